// Advances the runs of a journal until a signal comes, then drains.

import type { Cli } from "../cli.ts";
import type { Io } from "../io.ts";
import { portInUse } from "../system-refusal.ts";
import { defined } from "../../core/defined.ts";
import { type FaultCode, isFaultError } from "../../core/index.ts";
import { shownPlace } from "../../journal/journal-place.ts";
import { oncePerMinute, type Driver, type DriverOptions } from "../../workflow/driver.ts";
import { readRestateAddress } from "../../workflow/restate/restate-address.ts";
import type { Workflows } from "../../workflow/workflows.ts";
import { settingOf } from "../config/setting-of.ts";
import { variableOf } from "../config/settings.ts";
import { messageIn, refusalOf } from "../fault-sentences/sentence.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { WORKER_WORDS } from "../render/words/worker-words.ts";
import { type JournalOption, journalOf, withRuns } from "../runs/run-deps.ts";
import { untilStopped } from "../stop-signals.ts";

export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

export interface WorkerCommandOptions extends JournalOption {
  readonly driver?: string;
  /** A folder. */
  readonly workflows?: string;
  readonly maxRuns: number;
  readonly listen: ListenPlace;
  readonly advertise?: string;
  /** In milliseconds. */
  readonly drain: number;
}

/** What drives, and where Restate calls it. */
interface Driving extends Pick<Driver, "drain" | "stop"> {
  readonly port: number | null;
}

/** A run that another worker has is nothing to tell. */
const QUIET: readonly FaultCode[] = ["ResourceBusy"];

export async function runWorkerCommand(options: WorkerCommandOptions, cli: Cli): Promise<void> {
  const journal = await journalOf(options, cli);
  const words = WORKER_WORDS[cli.locale];
  const driver = options.driver === undefined ? null : hostsOf(options.driver);
  await untilStopped((stopped) =>
    withRuns({ ...options, make: true }, cli, async ({ workflows }) => {
      const { value: folder } = await settingOf("workflows", options.workflows, cli.env);
      if (folder !== null) await workflows.openFolder(folder);
      const driving = await drive(workflows, options, cli);
      const { paint } = cli;
      const { port } = driving;
      const printed = cli.json
        ? safeJson({ working: { journal: oneLine(shownPlace(journal), 500), driver, port, maxRuns: options.maxRuns } })
        : [
            paint("bold", words.working(oneLine(shownPlace(journal), 500), options.maxRuns)),
            ...(driver === null ? [] : [words.onRestate(driver, port ?? 0)]),
            words.stop,
          ].join("\n");
      await cli.stdout.write(`${printed}\n`);
      await stopped;
      if (!cli.json) await cli.stderr.write(`${words.draining}\n`);
      const isDrained = await within(options.drain, cli, driving.drain());
      if (!isDrained && !cli.json) await cli.stderr.write(`${words.leaving}\n`);
      await driving.stop();
    }),
  );
}

async function drive(workflows: Workflows, options: WorkerCommandOptions, cli: Cli): Promise<Driving> {
  const { driver: url, maxRuns, listen, advertise } = options;
  const watched: DriverOptions = { maxRuns, onWarning: warningPrinter(cli) };
  if (url === undefined) {
    const driver = workflows.driver(watched);
    driver.start();
    return { port: null, drain: () => driver.drain(), stop: () => driver.stop() };
  }
  const identityKey = variableOf("restateIdentityKey", cli.env);
  const driver = await workflows.restateDriver({
    ...watched,
    ...restateOf(url, cli),
    worker: {
      ...listen,
      ...defined({ advertise }),
      identityKeys: identityKey === "" ? [] : [identityKey],
    },
  });
  try {
    await driver.start();
  } catch (error) {
    throw startRefused(error, listen);
  }
  return driver;
}

/** The token comes from the environment: other users of a machine can read command lines. */
export function restateOf(url: string, { env }: Pick<Io, "env">): { readonly url: string; readonly token?: string } {
  const token = variableOf("restateToken", env);
  return { url, ...(token === "" ? {} : { token }) };
}

/** Restate's hosts, without the user and password of the address. */
export function hostsOf(url: string): string {
  try {
    return readRestateAddress(url)
      .ingress.map((origin) => new URL(origin).host)
      .join(", ");
  } catch (error) {
    if (isFaultError(error)) throw refusalOf(error, "usage");
    throw error;
  }
}

function startRefused(error: unknown, { port }: ListenPlace): unknown {
  if (isFaultError(error)) return refusalOf(error, "failed");
  return portInUse(error, port, "--listen") ?? error;
}

function warningPrinter(cli: Cli): NonNullable<DriverOptions["onWarning"]> {
  const { locale } = cli;
  return oncePerMinute(cli.clock, (run, { code, message }) => {
    const said = messageIn(locale, message);
    const text = run === "" ? said : WORKER_WORDS[locale].ofRun(run, said);
    if (!QUIET.includes(code)) void cli.stderr.write(`faultline: ${oneLine(text, 2_000)}\n`);
  });
}

/** False when the time is over first. */
async function within(ms: number, { clock }: Io, work: Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const disarm = clock.after(ms, () => late.resolve(false));
  const isDone = await Promise.race([work.then(() => true), late.promise]);
  disarm();
  return isDone;
}
