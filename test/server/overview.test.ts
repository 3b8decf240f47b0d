// Everything at a glance, the search and the metrics, through the real server.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { openJournal } from "../../src/index.ts";
import { failRuns, startFailingProvider, writeRuns } from "./failing-provider.ts";
import { journalPath, type ServerWorld, startWorld } from "./world.ts";

const HOUR_MS = 3_600_000;
/** As many runs as a server advances at once. */
const AT_ONCE = 16;

describe("a server with some past", () => {
  let world: ServerWorld;
  let chinese: ServerWorld["viewer"];
  let runs: readonly string[];
  const ends: (() => void | Promise<void>)[] = [];
  const nextAt = Date.now() + HOUR_MS;

  beforeAll(async () => {
    const atEnd = (work: () => void | Promise<void>): void => void ends.unshift(work);
    const provider = await startFailingProvider();
    atEnd(() => provider.close());
    const journalFile = journalPath(atEnd);
    runs = await failRuns(journalFile, provider, 3);
    const journal = await openJournal(journalFile);
    await journal.keep([{ kind: "wake", key: runs[0] ?? "", value: nextAt }]);
    await journal.close();
    world = await startWorld({ journal: journalFile, drive: false }, atEnd);
    chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    await world.operator.reportFailure({ body: { tool: "pay", session: "shop", evidence: { code: "ETIMEDOUT" } } });
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it("says what needs a person, what waits, what failed and what it cost", async () => {
    const seen = await world.viewer.overview();
    expect(seen.failed).toEqual([
      { code: "AuthFailed", title: expect.any(String) as string, count: 3, newest: runs[2] },
    ]);
    expect(seen.waiting).toMatchObject({
      count: 1,
      isMore: false,
      first: [{ run: runs[0], workflow: "flow", nextAt }],
    });
    expect(seen.running).toEqual({ count: 0, isMore: false, first: [] });
    expect([seen.spentMicrocents, seen.isPartial, seen.since % 86_400_000]).toEqual([0, false, 0]);
    expect((await chinese.overview()).failed[0]?.title).toMatch(/\p{Script=Han}/u);
    // The session `shop` of a program that reports over HTTP, and its failure.
    expect(seen.programs).toMatchObject({ count: 1, isMore: false, first: [{ session: "shop" }] });
    const met = seen.faults.count;
    expect([seen.isWell, seen.says]).toEqual([
      false,
      `3 runs failed today. Calls met ${met} failures in the last 24 hours.`,
    ]);
    expect((await chinese.overview()).says).toBe(`今天有 3 个运行失败。过去 24 小时内调用遇到 ${met} 次故障。`);
  });

  it("counts a run as running when a process advances it, and as queued before, as the list does", async () => {
    const provider = await startFailingProvider();
    onTestFinished(() => provider.close());
    provider.mode = "hold";
    const journal = journalPath(onTestFinished);
    await writeRuns(journal, provider, AT_ONCE + 2);
    const busy = await startWorld({ journal }, onTestFinished);
    await provider.untilHeld(AT_ONCE);
    const seen = await busy.viewer.overview();
    expect([seen.running.count, seen.queued.count]).toEqual([AT_ONCE, 2]);
    const listed = async (state: "running" | "queued"): Promise<number> =>
      (await busy.viewer.listRuns({ query: { state, limit: 100 } })).items.length;
    expect([await listed("running"), await listed("queued")]).toEqual([AT_ONCE, 2]);
    provider.mode = "answer";
    provider.release();
  });

  it("counts the failures of the last 24 hours, hour by hour", async () => {
    const { faults } = await world.viewer.overview();
    const { items } = await world.viewer.listFaultGroups();
    const all = items.reduce((sum, { count }) => sum + count, 0);
    expect(faults).toMatchObject({ count: all, recoveredByRetry: 0 });
    expect(faults.trend).toHaveLength(24);
    expect(faults.trend.reduce((sum, { count }) => sum + count, 0)).toBe(all);
  });

  it("answers a poll of the overview with 304 as long as nothing has happened", async () => {
    const first = await world.send("/v1/overview");
    const poll = (): Promise<Response> =>
      world.send("/v1/overview", { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([first.status, (await poll()).status]).toEqual([200, 304]);
    const isolated = { params: { target: "pay" }, body: { reason: "under repair" } };
    await world.operator.isolateTarget(isolated);
    const changed = await poll();
    expect(changed.status).toBe(200);
    expect(await changed.json()).toMatchObject({ targets: [{ target: "pay", breaker: "isolated" }] });
    await world.operator.resetTarget({ params: { target: "pay" } });
    expect((await poll()).status).toBe(304);
  });

  it("finds failures and runs by words, page by page", async () => {
    const first = await world.viewer.search({ query: { q: "flow", limit: 2 } });
    expect(first.items).toMatchObject([
      { kind: "run", session: runs[2] },
      { kind: "run", session: runs[1] },
    ]);
    const second = await world.viewer.search({ query: { q: "flow", limit: 2, cursor: first.next ?? "" } });
    expect(second).toMatchObject({ items: [{ session: runs[0], run: { status: "failed" } }], next: null });
    const faults = await chinese.search({ query: { q: "shop PAY", kind: "fault" } });
    expect(faults.items).toMatchObject([{ kind: "fault", session: "shop", fault: { tool: "pay" } }]);
    expect(faults.items[0]?.title).toMatch(/\p{Script=Han}/u);
    await expect(world.viewer.search({ query: { q: "" } })).rejects.toMatchObject({ problem: { status: 422 } });
  });

  it("leads from an exact id to what has it", async () => {
    const run = runs[0] ?? "";
    const { items } = await world.viewer.listFaultGroups({ query: { code: "AuthFailed" } });
    const fingerprint = items[0]?.fingerprint ?? "";
    const ids = [run, ` ${run}/write#1.1/c1 `, "shop", "shop/c1", fingerprint, "nothing", "nothing/c1"];
    const answers = await Promise.all(ids.map((id) => world.viewer.lookUp({ query: { id } })));
    expect(answers.map(({ found }) => found)).toEqual([
      { kind: "run", run },
      { kind: "run", run },
      { kind: "session", session: "shop" },
      { kind: "session", session: "shop" },
      { kind: "fault-group", fingerprint },
      null,
      null,
    ]);
  });

  it("does not let viewers find out what messages of failures say", async () => {
    const query = { q: "incorrect api key", kind: "fault" } as const;
    const seen = (await world.operator.search({ query })).items;
    expect(seen.length).toBeGreaterThan(0);
    expect(seen[0]?.fault?.message).toContain("Incorrect API key");
    expect((await world.viewer.search({ query })).items).toEqual([]);
  });

  it("counts for Prometheus, in the format that the scraper asks for", async () => {
    const accept = "application/openmetrics-text; version=1.0.0";
    const open = await world.send("/metrics", { headers: { accept } });
    expect(open.headers.get("content-type")).toMatch(/^application\/openmetrics-text/);
    const text = await open.text();
    expect(text).toMatch(/# EOF\n$/);
    expect(text).toMatch(/faultline_\w+\{[^}]*tool="pay"/);
    const plain = await world.send("/metrics", { token: world.tokens.viewer });
    expect(plain.headers.get("content-type")).toMatch(/^text\/plain/);
    expect((await world.send("/metrics", { token: null })).status).toBe(401);
  });
});
