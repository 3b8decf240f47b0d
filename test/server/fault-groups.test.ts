// Failures as groups, through the real server: counts, trends, what helped, what it cost, in pages.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClient, type ProblemError } from "../../src/client/index.ts";
import { failRuns, startFailingProvider } from "./failing-provider.ts";
import { journalPath, type ServerWorld, startWorld } from "./world.ts";

const SECRET = "sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFF";

describe("a failing call and the node and run that it fails", () => {
  it("are one group, of the call, that leads to the run", async () => {
    const provider = await startFailingProvider();
    onTestFinished(() => provider.close());
    const journal = journalPath();
    const runs = await failRuns(journal, provider, 3);
    const { viewer } = await startWorld({ journal, drive: false });
    const { items } = await viewer.listFaultGroups();
    expect(items).toMatchObject([{ tool: "east/m", code: "AuthFailed", count: 3, sessions: 3 }]);
    const params = { fingerprint: items[0]?.fingerprint ?? "" };
    const preview = await viewer.previewBulk({ params, body: {} });
    expect(preview.runs.map(({ run }) => run)).toEqual(runs.toReversed());
    const { spans } = await viewer.traceSession({ params: { session: runs[0] ?? "" } });
    const failed = spans.filter(({ group }) => group !== null);
    expect(failed.map(({ kind, group }) => [kind, group])).toEqual([
      ["turn", params.fingerprint],
      ["attempt", params.fingerprint],
    ]);
  });
});

describe("groups of failures", () => {
  let world: ServerWorld;
  const ends: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    world = await startWorld({ drive: false }, (work) => void ends.unshift(work));
    const { operator } = world;
    for (const session of ["s1", "s2", "s3"]) {
      const report = { tool: "search", session, idempotent: true, costUsd: 0.01 };
      const { id } = await operator.reportFailure({
        body: { ...report, evidence: { status: 503, message: `down, key ${SECRET}` } },
      });
      await operator.reportOutcome({ params: { id }, body: { status: "succeeded" } });
    }
    await operator.reportFailure({ body: { tool: "book", evidence: { status: 401 } } });
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it("are listed newest first, page by page, with words in the asked language", async () => {
    const first = await world.operator.listFaultGroups({ query: { limit: 1 } });
    expect(first.items).toMatchObject([{ tool: "book", code: "AuthFailed", count: 1, sessions: 1 }]);
    const second = await world.operator.listFaultGroups({ query: { limit: 1, cursor: first.next ?? "" } });
    expect(second).toMatchObject({ items: [{ tool: "search", count: 3, sessions: 3 }], next: null });
    const chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    const { items } = await chinese.listFaultGroups({ query: { tool: "book" } });
    expect(items.map(({ title }) => title)).toEqual([expect.stringMatching(/\p{Script=Han}/u)]);
    expect((await world.viewer.listFaultGroups({ query: { code: "AuthFailed" } })).items).toHaveLength(1);
    expect((await world.viewer.listFaultGroups({ query: { code: "RateLimited" } })).items).toEqual([]);
    const bookedIn = async (client: typeof chinese, q: string): Promise<readonly string[]> =>
      (await client.listFaultGroups({ query: { q, limit: 1 } })).items.map((group) => group.tool);
    expect(await bookedIn(chinese, items[0]?.title ?? "")).toEqual(["book"]);
    expect(await bookedIn(world.operator, "down key")).toEqual(["search"]);
    expect(await bookedIn(world.viewer, "down key")).toEqual([]);
  });

  it("say what helped, what it cost and how often it happened when", async () => {
    const group = (await world.viewer.listFaultGroups({ query: { tool: "search" } })).items[0];
    const params = { fingerprint: group?.fingerprint ?? "" };
    const shown = await world.viewer.showFaultGroup({ params, query: { trendMs: 7_200_000, bucketMs: 3_600_000 } });
    expect(shown.helped).toEqual([{ recourse: "retry", says: "retried", worked: 3, failed: 0 }]);
    expect(shown.cost).toMatchObject({ microcents: 3_000_000, failures: 3, unpricedAttempts: 0 });
    expect(shown.shared).toMatchObject({ code: "ToolUnavailable", surface: "tool", tool: "search", status: 503 });
    expect(shown.trend).toHaveLength(2);
    expect(shown.trend.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    const { items, next } = await world.viewer.listFaults({ params, query: { limit: 2 } });
    expect(items).toMatchObject([
      { session: "s3", recourse: "retry", worked: true, isRun: false },
      { session: "s2", recourse: "retry", worked: true, isRun: false },
    ]);
    const rest = await world.viewer.listFaults({ params, query: { limit: 2, cursor: next ?? "" } });
    expect(rest).toMatchObject({ items: [{ session: "s1" }], next: null });
  });

  it("show operators the failure's own words without secrets, and viewers only ours", async () => {
    const { items } = await world.operator.listFaultGroups({ query: { tool: "search" } });
    const params = { fingerprint: items[0]?.fingerprint ?? "" };
    expect(items[0]?.example).toContain("down, key");
    expect(JSON.stringify(await world.operator.listFaults({ params }))).toContain("down, key");
    const seen = [
      await world.viewer.listFaultGroups(),
      await world.viewer.showFaultGroup({ params }),
      await world.viewer.listFaults({ params }),
    ];
    expect(JSON.stringify(seen)).not.toContain("down, key");
    expect(JSON.stringify([items, seen])).not.toContain(SECRET);
  });

  it("refuse a cursor that is not theirs, and too many buckets", async () => {
    const problems = await Promise.all(
      [
        world.viewer.listFaultGroups({ query: { cursor: "bm9uc2Vuc2U" } }),
        world.viewer.showFaultGroup({
          params: { fingerprint: "x" },
          query: { trendMs: 366 * 86_400_000, bucketMs: 60_000 },
        }),
        world.viewer.showFaultGroup({ params: { fingerprint: "x" } }),
      ].map((asked) =>
        asked.then(
          () => null,
          (error: unknown) => (error as ProblemError).problem,
        ),
      ),
    );
    expect(problems.map((problem) => problem?.status)).toEqual([422, 422, 404]);
    expect(problems[0]?.errors).toMatchObject([{ pointer: "/query/cursor" }]);
  });

  it("answer a poll with 304 as long as nothing has happened", async () => {
    const first = await world.send("/v1/fault-groups");
    const again = await world.send("/v1/fault-groups", {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    expect([first.status, again.status]).toEqual([200, 304]);
  });
});
