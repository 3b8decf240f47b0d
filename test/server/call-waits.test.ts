// Runs whose calls wait inside of a node, as people see them: in the list, on the run's page and in the overview. Their server is a
// process that is killed while they wait.

import { expect, it, onTestFinished } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { type Journal, openJournal } from "../../src/index.ts";
import { startFailingProvider, writeRuns } from "./failing-provider.ts";
import { startProcess } from "./own-process.ts";
import { journalPath } from "./world.ts";

/** As many as a server advances at once. */
const RUNS = 16;

/** Resolves when every run has met an event of these types, newer than `seen`. */
async function met(
  journal: Journal,
  runs: readonly string[],
  types: readonly string[],
  seen: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  const each = runs.map(
    (run) =>
      new Promise<void>((resolve) => {
        const stop = journal.subscribe(
          ({ event }) => {
            if (!types.includes(event.type)) return;
            queueMicrotask(() => stop());
            resolve();
          },
          { session: run, after: seen.get(run) ?? 0 },
        );
      }),
  );
  await Promise.all(each);
}

it("shows for each run that it retries, until when and why, and still does after its server was killed", async () => {
  const file = journalPath();
  const provider = await startFailingProvider();
  onTestFinished(() => provider.close());
  provider.mode = "pause";
  const runs = await writeRuns(file, provider, RUNS);
  const journal = await openJournal(file, { clock: systemClock });
  onTestFinished(() => journal.close());
  const first = await startProcess(file);
  await met(journal, runs, ["call-failed", "call-held"]);
  const looks = async (client: Client): Promise<ReadonlyMap<string, number | null>> => {
    const { items } = await client.listRuns({ query: { state: "open", limit: 100 } });
    expect(items).toHaveLength(RUNS);
    const overview = await client.overview();
    expect([overview.running.count, overview.waiting.count]).toEqual([0, RUNS]);
    expect(overview.waiting.first).toHaveLength(RUNS);
    for (const line of items) {
      const isHeldBack = line.code === null;
      expect(line).toMatchObject({ status: "running", state: { id: isHeldBack ? "waiting" : "retrying" }, held: true });
      expect(line.reason).toContain("east/m");
      if (!isHeldBack) expect(line).toMatchObject({ cause: { id: "rate-limited" }, attempt: 2 });
      const { visits, ...run } = await client.showRun({ params: { run: line.run } });
      expect([run.state, run.nextAt]).toEqual([line.state, line.nextAt]);
      expect(visits).toMatchObject([{ state: line.state, nextAt: line.nextAt, cause: line.cause }]);
    }
    const times = items.map(({ run, nextAt }) => [run, nextAt] as const);
    return new Map(times);
  };
  const before = await looks(first.client);
  for (const nextAt of before.values()) expect((nextAt ?? 0) - Date.now()).toBeGreaterThan(0);
  const retried = await first.client.listRuns({ query: { state: "retrying", limit: 100 } });
  expect(retried.items.length).toBeGreaterThan(0);
  await first.kill();

  const seen = new Map((await journal.sessions()).map(({ session, lastSeq }) => [session, lastSeq]));
  const second = await startProcess(file);
  await met(journal, runs, ["session-resumed"], seen);
  const after = await looks(second.client);
  for (const { run } of retried.items) expect(after.get(run)).toBe(before.get(run));
});
