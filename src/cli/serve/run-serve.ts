// Runs the server until Ctrl-C or SIGTERM.

import { delimiter, join } from "node:path";
import type { Cli } from "../cli.ts";
import { portInUse, refuseUnusable } from "../system-refusal.ts";
import { defined } from "../../core/defined.ts";
import { isFaultError } from "../../core/index.ts";
import { folderBeside, isPostgresAddress, shownPlace } from "../../journal/journal-place.ts";
import { makeFolder } from "../../journal/files/file-store.ts";
import type { FolderReport } from "../../workflow/folder/workflow-folder.ts";
import { renderDiagnostic } from "../../yaml-file/diagnostic.ts";
import type { NoticeKind } from "../../server/notify/notice.ts";
import type { ServerOptions } from "../../server/options.ts";
import type { NotifyOptions } from "../../server/notify/channels.ts";
import { type RunningServer, startServer } from "../../server/server.ts";
import { settingOf } from "../config/setting-of.ts";
import { SETTINGS, variableOf } from "../config/settings.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { type Io, UsageError } from "../io.ts";
import { journalRefusal } from "../journal/with-journal.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { fitted } from "../render/table.ts";
import { GATEWAY_WORDS } from "../render/words/gateway-words.ts";
import { SERVE_WORDS } from "../render/words/serve-words.ts";
import { type JournalOption, journalOf } from "../runs/run-deps.ts";
import { tellStopping, untilStopped } from "../stop-signals.ts";
import { gatewayListener } from "../gateway/gateway-news.ts";
import { hostsOf, restateOf } from "../worker/run-worker.ts";

export interface ServeCommandOptions extends JournalOption {
  readonly port: number;
  readonly host: string;
  /** False for `--no-drive`. */
  readonly drive: boolean;
  readonly driver?: string;
  /** A folder. */
  readonly workflows?: string;
  /** A gateway file. */
  readonly gateway?: string;
  readonly publicUrl?: string;
  readonly behindTlsProxy?: true;
  readonly notifyUrl?: string;
  readonly notifyCommand?: string;
  readonly notifyAbout?: readonly NoticeKind[];
}

export async function runServe(options: ServeCommandOptions, version: string, cli: Cli): Promise<void> {
  const { gateway, notifyCommand } = options;
  if (notifyCommand !== undefined && !(await isProgram(notifyCommand, cli)))
    throw new UsageError(SERVE_WORDS[cli.locale].noNotifier(oneLine(notifyCommand, 200)));
  // The server reads the file by itself. Here its mistakes are shown with their places, as `faultline gateway` shows them.
  if (gateway !== undefined) {
    if ((await cli.fileBytes(gateway)) === null) throw new UsageError(GATEWAY_WORDS[cli.locale].noFile(gateway));
    const { readGatewayFile } = await import("../gateway/run-gateway.ts");
    if ((await readGatewayFile(gateway, cli)) === null) return void cli.exit("config");
  }
  const journal = await journalOf(options, cli);
  const driver = options.driver === undefined ? null : hostsOf(options.driver);
  // Other users of this machine must not read tokens or the files of runs.
  if (isPostgresAddress(journal)) await makeFolder(folderBeside(journal), { mode: 0o700 });
  await untilStopped((stopped) => serve(options, { journal, driver, version, stopped }, cli));
}

interface ServerParts {
  readonly journal: string;
  readonly driver: string | null;
  /** Of this program. */
  readonly version: string;
  readonly stopped: Promise<undefined>;
}

async function serve(
  options: ServeCommandOptions,
  { journal, driver, version, stopped }: ServerParts,
  cli: Cli,
): Promise<void> {
  const words = SERVE_WORDS[cli.locale];
  const gatewayWords = GATEWAY_WORDS[cli.locale];
  const { paint } = cli;
  await refuseUnusable(journal, cli);
  const server = await start(options, { journal, version }, cli);
  const printed = cli.json
    ? safeJson({
        listening: {
          url: server.url,
          port: server.port,
          tokenFile: server.tokenFile,
          journal: shownPlace(journal),
          drives: options.drive,
          driver,
          gateway: options.gateway ?? null,
        },
      })
    : [
        paint("bold", words.listening(server.url)),
        words.journal(oneLine(shownPlace(journal), 500), driver === null ? options.drive : null),
        ...(driver === null ? [] : [words.onRestate(driver)]),
        ...(server.gateway === null
          ? []
          : [gatewayWords.listening(server.url), fitted(gatewayWords.targets(server.gateway), cli.stdout)]),
        words.token(oneLine(server.tokenFile, 500)),
        ...signInLines(server, cli, words.signIn),
        "",
        words.stop,
      ].join("\n");
  await cli.stdout.write(`${printed}\n`);
  await stopped;
  await Promise.all([server.close(), tellStopping(words.stopping, cli)]);
}

/** Only on a terminal: what a server prints elsewhere ends up in a log, and the link signs in. */
export function signInLines(
  server: Pick<RunningServer, "signInLink">,
  { stdout }: { readonly stdout: Pick<Io["stdout"], "isTTY"> },
  tell: (link: string) => string,
): readonly string[] {
  const link = stdout.isTTY ? server.signInLink() : null;
  return link === null ? [] : [tell(link)];
}

/** One line per file that was loaded, changed or removed, with its diagnostics below it. */
function reloadPrinter(cli: Cli): (report: FolderReport) => void {
  const { locale, json, paintError: paint } = cli;
  const words = SERVE_WORDS[locale];
  return ({ files, changed, removed }) => {
    const news = files.filter(({ file }) => changed.includes(file));
    const lines = json
      ? [
          safeJson({
            reloaded: { files: news.map(({ text: _text, ...file }) => file), removed },
          }),
        ]
      : [
          ...news.flatMap(({ file, state, workflow, diagnostics, text }) => [
            paint(state === "loaded" ? "dim" : "red", words.reloaded[state](oneLine(file, 200), workflow)),
            ...diagnostics.map((one) => renderDiagnostic(one, text, locale)),
          ]),
          ...removed.map((file) => paint("dim", words.removed(oneLine(file, 200)))),
        ];
    void cli.stderr.write(`${lines.join("\n")}\n`);
  };
}

/** Whether such a program can be started, by its path or from the PATH. Windows also finds it by a name without its extension. */
async function isProgram(name: string, cli: Cli): Promise<boolean> {
  if (process.platform === "win32") return true;
  const places = name.includes("/")
    ? [name]
    : (cli.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  // What cannot be read cannot be started either.
  const found = await Promise.allSettled(places.map((place) => cli.fileBytes(place)));
  return found.some((file) => file.status === "fulfilled" && file.value !== null);
}

/** The webhook's secret comes from the environment: other users of a machine can read command lines. */
function notifyOf(
  { notifyUrl: url, notifyCommand, notifyAbout: about }: ServeCommandOptions,
  { env, locale }: Cli,
): NotifyOptions | null {
  const secret = variableOf("webhookSecret", env);
  if (url !== undefined && secret === "") {
    throw new UsageError(SERVE_WORDS[locale].needsSecret(SETTINGS.webhookSecret.variables[0]));
  }
  if (url === undefined && notifyCommand === undefined) return null;
  return {
    ...defined({ about }),
    ...(url === undefined ? {} : { webhook: { url, secret } }),
    ...(notifyCommand === undefined ? {} : { command: [notifyCommand] }),
  };
}

/** The one option of the server that is a file with content to correct; the others are values on the command line. */
const GATEWAY_FILE: keyof ServerOptions = "gateway";

async function start(
  options: ServeCommandOptions,
  { journal, version }: Pick<ServerParts, "journal" | "version">,
  cli: Cli,
): Promise<RunningServer> {
  const { port, host, drive, driver, publicUrl, behindTlsProxy } = options;
  const { value: workflows } = await settingOf("workflows", options.workflows, cli.env);
  const { gateway } = options;
  const { env } = cli;
  const notify = notifyOf(options, cli);
  try {
    return await startServer({
      journal,
      port,
      host,
      drive,
      version,
      env,
      ...(driver === undefined ? {} : { restate: restateOf(driver, cli) }),
      ...(workflows === null ? {} : { workflowsFolder: workflows, onReload: reloadPrinter(cli) }),
      ...(gateway === undefined ? {} : { gateway, onGateway: gatewayListener(gateway, cli) }),
      ...defined({ publicUrl, behindTlsProxy }),
      ...(notify === null ? {} : { notify }),
    });
  } catch (error) {
    if (isFaultError(error) && error.fault.context["field"] === GATEWAY_FILE) throw refusalOf(error, "config");
    if (isFaultError(error)) throw journalRefusal(error, journal, cli);
    throw portInUse(error, port) ?? error;
  }
}
