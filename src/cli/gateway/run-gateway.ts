// Runs a gateway until Ctrl-C or SIGTERM, and reloads its file when it changes.

import { isFaultError } from "../../core/index.ts";
import { createFaultline, type Faultline } from "../../faultline.ts";
import { followGatewayFile } from "../../server/gateway-file.ts";
import { type ParsedGateway, parseGateway } from "../../gateway/config/parse-gateway.ts";
import type { GatewaySettings } from "../../gateway/config/settings.ts";
import type { GatewayListener } from "../../gateway/gateway.ts";
import { summariseGateway } from "../../gateway/gateway-report.ts";
import { startGateway, type StartedGateway } from "../../gateway/start-gateway.ts";
import type { Journal } from "../../journal/journal.ts";
import { shownPlace } from "../../journal/journal-place.ts";
import type { Cli } from "../cli.ts";
import { checkFile, printDiagnostics } from "../check-file.ts";
import { settingOf } from "../config/setting-of.ts";
import { SETTINGS } from "../config/settings.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { portInUse, refuseUnusable } from "../system-refusal.ts";
import { UsageError } from "../io.ts";
import { withNewJournal } from "../journal/with-journal.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { fitted } from "../render/table.ts";
import { GATEWAY_WORDS } from "../render/words/gateway-words.ts";
import { type JournalOption, journalOf } from "../runs/run-deps.ts";
import { tellStopping, untilStopped } from "../stop-signals.ts";
import { fileNewsPrinter, gatewayPrinters } from "./gateway-news.ts";

export interface GatewayCommandOptions extends JournalOption {
  readonly config?: string;
  readonly port: number;
  readonly host: string;
  readonly check?: true;
}

export async function runGateway(options: GatewayCommandOptions, cli: Cli): Promise<void> {
  const config = (await settingOf("gateway", options.config, cli.env)).value ?? SETTINGS.gateway.fallback;
  if ((await cli.fileBytes(config)) === null) throw new UsageError(GATEWAY_WORDS[cli.locale].noFile(config));
  if (options.check === true) {
    const parse = (source: string, file: string): Promise<{ usable: boolean } & ParsedGateway> => {
      const parsed = parseGateway(source, file, cli.env, cli.locale);
      return Promise.resolve({ ...parsed, usable: parsed.settings !== null });
    };
    return checkFile(config, parse, false, cli);
  }
  const read = await readGatewayFile(config, cli);
  if (read === null) return void cli.exit("config");
  const { text, settings } = read;
  const file = await journalOf(options, cli);
  await refuseUnusable(file, cli);
  await withNewJournal(file, cli, (journal) =>
    untilStopped((stopped) =>
      serve({ ...options, config }, { text, settings, journal, shownJournal: shownPlace(file), stopped }, cli),
    ),
  );
}

/** Prints all mistakes in the file. null: it cannot be used. */
export async function readGatewayFile(
  config: string,
  cli: Cli,
): Promise<Pick<GatewayParts, "text" | "settings"> | null> {
  const text = await cli.readFile(config);
  const { settings, diagnostics } = parseGateway(text, config, cli.env, cli.locale);
  await printDiagnostics(diagnostics, text, cli);
  return settings === null ? null : { text, settings };
}

interface GatewayParts {
  /** The gateway file's text, and what it says. */
  readonly text: string;
  readonly settings: GatewaySettings;
  readonly journal: Journal;
  readonly shownJournal: string;
  readonly stopped: Promise<undefined>;
}

async function serve(
  options: GatewayCommandOptions & { readonly config: string },
  { text, settings, journal, shownJournal, stopped }: GatewayParts,
  cli: Cli,
): Promise<void> {
  const { config } = options;
  const words = GATEWAY_WORDS[cli.locale];
  // The ledger has the calls, so the last events are not kept in memory too: they would outlive V8's space for new objects.
  const faultline = createFaultline({ journal, clock: cli.clock, maxRecent: 0 });
  const started = await start(faultline, settings, options, gatewayPrinters(cli));
  const tell = fileNewsPrinter(config, cli);
  const unfollow = followGatewayFile({
    file: config,
    text,
    env: cli.env,
    clock: cli.clock,
    locale: cli.locale,
    read: async (file) => ((await cli.fileBytes(file)) === null ? null : cli.readFile(file)),
    onNews: async (news) => {
      if (news.state === "loaded") await started.gateway.use(news.settings);
      await tell(news);
    },
  });
  const { paint } = cli;
  const { url, port } = started;
  const listening = cli.json
    ? safeJson({ listening: { url, port, journal: shownJournal, config } })
    : [
        paint("bold", words.listening(url)),
        fitted(words.targets(summariseGateway(settings)), cli.stdout),
        words.journal(oneLine(shownJournal, 500)),
        "",
        words.stop,
      ].join("\n");
  await cli.stdout.write(`${listening}\n`);
  await stopped;
  unfollow();
  const [stopping] = await Promise.allSettled([started.close(), tellStopping(words.stopping, cli)]);
  const [closing] = await Promise.allSettled([faultline.close()]);
  // The first one says what is missing in the journal.
  if (stopping.status === "rejected") throw stopping.reason;
  if (closing.status === "rejected") throw closing.reason;
}

async function start(
  faultline: Faultline,
  settings: GatewaySettings,
  place: GatewayCommandOptions,
  listener: GatewayListener,
): Promise<StartedGateway> {
  try {
    return await startGateway(faultline, settings, place, listener);
  } catch (error) {
    await faultline.close();
    if (isFaultError(error)) throw refusalOf(error, "config");
    throw portInUse(error, place.port) ?? error;
  }
}
