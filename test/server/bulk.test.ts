// One action on many failed runs, through the real server: previewed, paced, stopped by itself, aborted, continued after a kill.

import { describe, expect, it, onTestFinished } from "vitest";
import { type Client, createClient, type ProblemError } from "../../src/client/index.ts";
import { type FailingProvider, failRuns, startFailingProvider } from "./failing-provider.ts";
import { startProcess } from "./own-process.ts";
import { problemOf } from "./run-world.ts";
import { journalPath, type ServerWorld, startWorld } from "./world.ts";

interface BulkWorld {
  readonly world: ServerWorld;
  readonly provider: FailingProvider;
  readonly runs: readonly string[];
  readonly params: { readonly fingerprint: string };
}

const ACTION = { action: "sign-in-again" } as const;

async function failedRuns(count: number): Promise<BulkWorld> {
  const provider = await startFailingProvider();
  onTestFinished(() => provider.close());
  const journal = journalPath();
  const runs = await failRuns(journal, provider, count);
  const world = await startWorld({ journal });
  return { world, provider, runs, params: { fingerprint: await groupOf(world.viewer) } };
}

/** The group of the failed calls. Their nodes failed with them, so they have none of their own. */
async function groupOf(client: Client): Promise<string> {
  const { items } = await client.listFaultGroups({ query: { code: "AuthFailed" } });
  expect(items).toHaveLength(1);
  return items[0]?.fingerprint ?? "";
}

/** What only a look can tell is looked at again and again; the test's own limit of time ends it. */
function untilEnded(client: Client, bulk: string): Promise<unknown> {
  return expect.poll(async () => (await client.showBulk({ params: { bulk } })).status, LONG).not.toBe("running");
}

/** Each look makes the server read all steps. */
const LONG = { timeout: 60_000, interval: 100 };

describe("a bulk action on many failed runs", { timeout: 120_000 }, () => {
  it("takes the runs in waves, and once, and all of them complete", async () => {
    const { world, provider, runs, params } = await failedRuns(30);
    const preview = await world.viewer.previewBulk({ params, body: {} });
    expect(preview).toMatchObject({ action: "sign-in-again", estimate: { runs: 30, waves: [1, 5, 20, 4] } });
    expect(preview.runs.map(({ run }) => run).toSorted()).toEqual(runs.toSorted());
    expect(preview.runs[0]).toMatchObject({ workflow: "flow", node: "write", code: "AuthFailed", passedOver: null });
    const paced = await world.viewer.previewBulk({ params, body: { pace: [10] } });
    expect(paced.estimate).toMatchObject({ pace: [10], waves: [10, 10, 10] });
    const chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    const words = (await chinese.previewBulk({ params, body: {} })).runs[0]?.action;
    expect([words?.label, words?.redoes]).toEqual(Array(2).fill(expect.stringMatching(/\p{Script=Han}/u)));

    provider.mode = "hold";
    const idempotencyKey = "once-and-for-all";
    const started = await world.operator.startBulk({ params, body: ACTION, idempotencyKey });
    expect(started).toMatchObject({ status: "running", runs: 30, by: "operator" });
    const bulk = { bulk: started.id };
    for (const [held, completed] of [
      [1, 0],
      [5, 1],
    ] as const) {
      await provider.untilHeld(held);
      const { counts } = await world.viewer.showBulk({ params: bulk });
      expect([provider.held, counts["completed"], counts["running"]]).toEqual([held, completed, held]);
      if (held === 5) provider.mode = "answer";
      provider.release();
    }
    await untilEnded(world.viewer, started.id);
    const shown = await world.viewer.showBulk({ params: bulk });
    expect(shown).toMatchObject({ status: "completed", counts: { completed: 30 } });
    expect(provider.requests).toBe(60);
    expect(new Set(shown.steps.map(({ now }) => now)).size).toBe(30);
    const waves = shown.steps.map(({ wave }) => wave);
    expect([1, 2, 3, 4].map((wave) => waves.filter((one) => one === wave).length)).toEqual([1, 5, 20, 4]);
    const { helped } = await world.viewer.showFaultGroup({ params });
    expect(helped).toContainEqual(expect.objectContaining({ recourse: "person:sign-in-again", worked: 30, failed: 0 }));
    expect(helped.map(({ says }) => says)).toContainEqual(expect.stringMatching(/, by a person$/));
    const over = (await world.viewer.previewBulk({ params, body: {} })).runs.map(({ passedOver, says }) => [
      passedOver,
      says,
    ]);
    expect(over).toEqual(Array(30).fill(["succeeded", expect.stringContaining("completed")]));
    expect(await world.operator.startBulk({ params, body: ACTION, idempotencyKey })).toMatchObject({ id: started.id });
    const listed = await chinese.listBulks({ query: params });
    expect((await chinese.listBulks({ query: { fingerprint: "another" } })).items).toEqual([]);
    expect(listed).toMatchObject({ items: [{ id: started.id, status: "completed" }], next: null });
    expect(`${listed.items[0]?.says} ${listed.items[0]?.statusLabel}`).toMatch(/\p{Script=Han}.* \p{Script=Han}/u);
    await expect(world.operator.startBulk({ params, body: ACTION })).rejects.toMatchObject({
      problem: { status: 409 },
    });
  });

  it("leaves the others alone when the first one fails again", async () => {
    const { world, provider, params } = await failedRuns(8);
    const { id } = await world.operator.startBulk({ params, body: ACTION });
    await untilEnded(world.viewer, id);
    const shown = await world.viewer.showBulk({ params: { bulk: id } });
    expect(shown).toMatchObject({ status: "stopped", counts: { failed: 1, pending: 7 } });
    expect([shown.steps[0]?.code, provider.requests]).toEqual(["AuthFailed", 9]);
    expect(shown.steps.map(({ label }) => label)).toEqual(["Failed again", ...Array<string>(7).fill("Left as it was")]);
    const { helped } = await world.viewer.showFaultGroup({ params });
    expect(helped).toContainEqual(expect.objectContaining({ recourse: "person:sign-in-again", worked: 0, failed: 1 }));
  });

  it("acts on no further run once it is aborted; a second one acts on the rest", async () => {
    const { world, provider, params } = await failedRuns(12);
    provider.mode = "hold";
    const { id } = await world.operator.startBulk({ params, body: { ...ACTION, pace: [2, 3] } });
    await provider.untilHeld(2);
    provider.release();
    await provider.untilHeld(3);
    await expect(world.viewer.abortBulk({ params: { bulk: id } })).rejects.toMatchObject({ problem: { status: 403 } });
    const aborted = await world.operator.abortBulk({ params: { bulk: id } });
    expect(aborted).toMatchObject({ status: "aborted", abortedBy: "operator", counts: { completed: 2, pending: 7 } });
    provider.mode = "answer";
    provider.release();
    const counts = async (): Promise<unknown> => (await world.viewer.showBulk({ params: { bulk: id } })).counts;
    await expect.poll(counts, LONG).toMatchObject({ completed: 5, pending: 7 });
    const left = await world.viewer.previewBulk({ params, body: {} });
    expect(left.estimate.runs).toBe(7);
    expect(left.runs.filter(({ passedOver }) => passedOver === "succeeded")).toHaveLength(5);
    const again = await world.operator.startBulk({ params, body: ACTION });
    await untilEnded(world.viewer, again.id);
    expect(await world.viewer.showBulk({ params: { bulk: again.id } })).toMatchObject({ counts: { completed: 7 } });
    expect(provider.requests).toBe(24);
  });

  it("is continued by the next server when the first one is killed, and no run is acted on twice", async () => {
    const provider = await startFailingProvider();
    onTestFinished(() => provider.close());
    const journal = journalPath();
    const runs = await failRuns(journal, provider, 12);
    provider.mode = "hold";
    const first = await startProcess(journal);
    const fingerprint = await groupOf(first.client);
    const { id } = await first.client.startBulk({ params: { fingerprint }, body: ACTION });
    await provider.untilHeld(1);
    provider.release();
    await provider.untilHeld(5);
    await first.kill();
    provider.mode = "answer";
    const second = await startProcess(journal);
    await untilEnded(second.client, id);
    const shown = await second.client.showBulk({ params: { bulk: id } });
    expect(shown).toMatchObject({ status: "completed", runs: 12, counts: { completed: 12 } });
    expect(new Set(shown.steps.map(({ now }) => now)).size).toBe(12);
    expect(shown.steps.map(({ run }) => run).toSorted()).toEqual(runs.toSorted());
    await second.kill();
  });
});

describe("a bulk action", () => {
  it("is not started beside another one on the same failures, and each start is in the audit log", async () => {
    const { world, provider, params } = await failedRuns(2);
    provider.mode = "hold";
    const { id } = await world.operator.startBulk({ params, body: ACTION });
    await provider.untilHeld(1);
    const refused = await problemOf(world.operator.startBulk({ params, body: ACTION }));
    expect(refused).toMatchObject({ status: 409, code: "bulk-under-way" });
    expect((await world.viewer.listBulks()).items.map((bulk) => bulk.id)).toEqual([id]);
    await world.operator.abortBulk({ params: { bulk: id } });
    const again = await world.operator.startBulk({ params, body: ACTION });
    expect(again.id).not.toBe(id);
    const { items } = await world.operator.listAudit({ query: { on: params.fingerprint } });
    expect(items.map(({ what, by, refused: why }) => [what, by, why !== null])).toEqual([
      ["bulk.start", "operator", false],
      ["bulk.start", "operator", true],
      ["bulk.start", "operator", false],
    ]);
    provider.mode = "answer";
    provider.release();
  });

  it("is refused for a group that is not there, for an action that no run offers, and with a wrong body", async () => {
    const { world, params } = await failedRuns(1);
    const problems = await Promise.all(
      [
        world.viewer.previewBulk({ params: { fingerprint: "nothing" }, body: {} }),
        world.operator.startBulk({ params: { fingerprint: "nothing" }, body: ACTION }),
        world.operator.startBulk({ params, body: { action: "raise-limit" } }),
        world.operator.startBulk({ params, body: { ...ACTION, pace: [0] } }),
        world.viewer.startBulk({ params, body: ACTION }),
        world.viewer.showBulk({ params: { bulk: "nothing" } }),
      ].map((asked) =>
        asked.then(
          () => null,
          (error: unknown) => (error as ProblemError).problem.status,
        ),
      ),
    );
    expect(problems).toEqual([404, 404, 409, 422, 403, 404]);
    expect((await world.viewer.listBulks()).items).toEqual([]);
  });
});
