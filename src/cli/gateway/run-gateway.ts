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
import { checkFile, printDiagnostics } from "../check-file.ts";
import { settingOf } from "../config/setting-of.ts";
import { SETTINGS } from "../config/settings.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { portInUse, refuseUnusable } from "../system-refusal.ts";
import { type Io, UsageError } from "../io.ts";
import { withNewJournal } from "../journal/with-journal.ts";
import type { GlobalOptions } from "../options.ts";
import { paintFor } from "../render/paint.ts";
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

export async function runGateway(options: GatewayCommandOptions, io: Io, shared: GlobalOptions): Promise<void> {
  const config = (await settingOf("gateway", options.config, io.env)).value ?? SETTINGS.gateway.fallback;
  if ((await io.fileBytes(config)) === null) throw new UsageError(GATEWAY_WORDS[shared.locale].noFile(config));
  if (options.check === true) {
    const parse = (source: string, file: string): Promise<{ usable: boolean } & ParsedGateway> => {
      const parsed = parseGateway(source, file, io.env, shared.locale);
      return Promise.resolve({ ...parsed, usable: parsed.settings !== null });
    };
    return checkFile(config, parse, false, io, shared);
  }
  const read = await readGatewayFile(config, io, shared);
  if (read === null) return void io.exit("config");
  const { text, settings } = read;
  const file = await journalOf(options, io);
  await refuseUnusable(file, io);
  await withNewJournal({ file, io, locale: shared.locale }, (journal) =>
    untilStopped((stopped) =>
      serve({ ...options, config }, { text, settings, journal, shownJournal: shownPlace(file), stopped }, io, shared),
    ),
  );
}

/** Prints all mistakes in the file. null: it cannot be used. */
export async function readGatewayFile(
  config: string,
  io: Io,
  shared: GlobalOptions,
): Promise<Pick<GatewayParts, "text" | "settings"> | null> {
  const text = await io.readFile(config);
  const { settings, diagnostics } = parseGateway(text, config, io.env, shared.locale);
  await printDiagnostics(diagnostics, text, io, shared);
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
  io: Io,
  shared: GlobalOptions,
): Promise<void> {
  const { config } = options;
  const words = GATEWAY_WORDS[shared.locale];
  // The ledger has the calls, so the last events are not kept in memory too: they would outlive V8's space for new objects.
  const faultline = createFaultline({ journal, clock: io.clock, maxRecent: 0 });
  const started = await start(faultline, settings, options, gatewayPrinters(io, shared));
  const tell = fileNewsPrinter(config, io, shared);
  const unfollow = followGatewayFile({
    file: config,
    text,
    env: io.env,
    clock: io.clock,
    locale: shared.locale,
    read: async (file) => ((await io.fileBytes(file)) === null ? null : io.readFile(file)),
    onNews: async (news) => {
      if (news.state === "loaded") await started.gateway.use(news.settings);
      await tell(news);
    },
  });
  const paint = paintFor(io.stdout, io.env, shared.color);
  const { url, port } = started;
  const listening = shared.json
    ? safeJson({ listening: { url, port, journal: shownJournal, config } })
    : [
        paint("bold", words.listening(url)),
        fitted(words.targets(summariseGateway(settings)), io.stdout),
        words.journal(oneLine(shownJournal, 500)),
        "",
        words.stop,
      ].join("\n");
  await io.stdout.write(`${listening}\n`);
  await stopped;
  unfollow();
  const [stopping] = await Promise.allSettled([started.close(), tellStopping(words.stopping, io, shared)]);
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
