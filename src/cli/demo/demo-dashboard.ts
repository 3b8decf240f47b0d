// The dashboard of the demo: a server on the demo's runtime, with more to look at than the one run: a search service that was down, so
// that its breaker is open, a run that has failed and that a retry completes, and at the end a run that waits for its reader's answer.
// B1  The server never drives: while the story lasts, the run belongs to the workers, one of which is killed.

import { startChaos } from "../../chaos/start-chaos.ts";
import type { JournalEvent } from "../../core/index.ts";
import type { Clock } from "../../host/clock.ts";
import { step, tool } from "../../index.ts";
import { type RunningServer, serve } from "../../server/server.ts";
import type { Workflows } from "../../workflow/workflows.ts";
import type { Io } from "../io.ts";
import type { DemoFolder } from "./demo-folder.ts";
import { envOf, playFrom, readWorkflow, startTeam, type TeamStage, UNDISTURBED_STEPS_AFTER } from "./drive-demo.ts";

export interface DemoDashboard {
  /** Signs its reader in once. */
  link(): string;
  /** Once the story is over: drives what people do in the dashboard, and starts a run that asks them. */
  stay(): Promise<void>;
  close(): Promise<void>;
}

export interface DashboardStage extends TeamStage {
  readonly place: DemoFolder;
  readonly version: string;
}

export async function openDashboard(stage: DashboardStage, io: Io): Promise<DemoDashboard> {
  const { workflows, place, version } = stage;
  const server = await serve(workflows, { journal: place.journal, port: 0, drive: false, env: envOf(io), version });
  const closing = new AbortController();
  const index = await startIndex();
  const outage = Promise.all([askIndex(workflows, index, closing.signal), failPublishing(workflows, place)]);
  const drivers: { stop(): Promise<void> }[] = [];
  return {
    link: () => linkOf(server),
    async stay() {
      const driver = workflows.driver({ lookEveryMs: LOOK_EVERY_MS });
      const bulkDriver = workflows.bulks.driver({ onActed: () => driver.poke() });
      drivers.push(bulkDriver, driver);
      for (const one of [driver, bulkDriver]) one.start();
      index.recover();
      const run = await startTeam(stage);
      // In this process, so that the models are ready before the run continues.
      workflows.journal.subscribe(({ event }) => playAfter(event, stage), { session: run, after: 0 });
    },
    async close() {
      closing.abort();
      await outage;
      for (const driver of drivers) await driver.stop();
      await Promise.all([server.close(), index.close()]);
    },
  };
}

const LOOK_EVERY_MS = 100;

/** The demo's folder is new, so the operator's token is in it. */
function linkOf(server: RunningServer): string {
  return server.signInLink() ?? server.url;
}

function playAfter(event: JournalEvent, { chaos }: TeamStage): void {
  if (event.type !== "node-resumed" || event.answer?.status !== "accepted") return;
  playFrom(String(event.answer.value), chaos, UNDISTURBED_STEPS_AFTER);
}

/** A run that fails for a reason that has passed by the time a person sees it. */
async function failPublishing({ runs, ...workflows }: Workflows, { publishFile }: DemoFolder): Promise<void> {
  await runs.advance(await runs.start(await readWorkflow(workflows, publishFile)));
}

/** A search service that nothing can connect to until it recovers. */
interface SearchIndex {
  address(): string;
  recover(): void;
  close(): Promise<void>;
}

async function startIndex(): Promise<SearchIndex> {
  const gone = await startChaos();
  await gone.close();
  const recovered = await startChaos();
  let { url } = gone;
  return { address: () => url, recover: () => void ({ url } = recovered), close: () => recovered.close() };
}

/**
 * A program that keeps asking a service that is down: the breaker opens, for longer than most people look at a demo. By then the service works,
 * so "Put back into service" or a probe closes the breaker.
 */
async function askIndex({ faultline, clock }: Workflows, index: SearchIndex, closing: AbortSignal): Promise<void> {
  const search = tool({
    id: "search_index",
    idempotent: true,
    retry: { maxAttempts: 1 },
    breaker: { failures: 3, openMs: OPEN_MS },
    run: async () => (await fetch(index.address())).text(),
  });
  const pages = tool({ id: "list_pages", idempotent: true, run: () => ["split.md", "bills.md"] });
  const digest = tool({ id: "write_digest", idempotent: true, run: () => "2 pages" });
  const session = await faultline.session("nightly-digest");
  for (let turn = 0; turn < TURNS; turn++)
    await session.turn({
      pages: step(pages, {}),
      related: step(search, { words: "bill" }),
      links: step(search, { words: "split" }),
      digest: step(digest, {}, { needs: ["pages", "related"] }),
    });
  await session.end();
  for (let call = 0; call < MAX_CALLS && !closing.aborted; call++) {
    await faultline.protect(search, { words: "tip" });
    await wait(clock, CALL_EVERY_MS, closing);
  }
}

/** Calls of one turn fail together and count once, so as many turns as the breaker needs failures open it. */
const TURNS = 3;
const CALL_EVERY_MS = 3_000;
const OPEN_MS = 10 * 60_000;
/** A demo that is left open over night does not fill the disk. */
const MAX_CALLS = 1_000;

async function wait(clock: Clock, ms: number, closing: AbortSignal): Promise<void> {
  if (closing.aborted) return;
  await new Promise<void>((resolve) => {
    const disarm = clock.after(ms, resolve);
    closing.addEventListener("abort", () => {
      disarm();
      resolve();
    });
  });
}
