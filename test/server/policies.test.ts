// Policies through the real server: shown, checked, replayed over the past, tried out on evidence.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, type ProblemError } from "../../src/client/index.ts";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { placeFor } from "../../src/server/views.ts";
import { type ServerWorld, startWorld } from "./world.ts";

const ONCE = "version: 1\nrows:\n  - { match: { tool: search }, retry: none, then: [surface] }\n";
const BAD = "version: 1\nrows:\n  - { match: { code: RateLimted }, then: [fail] }\n";

describe("policies", () => {
  let world: ServerWorld;
  let chinese: ServerWorld["viewer"];
  const ends: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    world = await startWorld({ drive: false }, (work) => void ends.unshift(work));
    chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    for (const session of ["s1", "s2"]) {
      const body = { tool: "search", session, idempotent: true, evidence: { status: 503 } };
      await world.operator.reportFailure({ body });
    }
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it("are shown with every row, its layer and its waits", async () => {
    const shown = await world.viewer.showPolicy();
    expect(shown.rows.length).toBeGreaterThanOrEqual(DEFAULT_POLICY.rows.length);
    expect(shown.rows.every(({ origin }) => origin.layer !== "" && origin.at !== "")).toBe(true);
    const limited = shown.rows.find(({ match }) => match.code?.includes("RateLimited"));
    expect(limited?.waits.map(({ baseMs }) => baseMs)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000]);
    const eager = await chinese.showPolicy({ query: { preset: "eager" } });
    expect([eager.name, eager.rows[0]?.origin.layer]).toEqual(["eager", "preset"]);
    const byDefault = await world.viewer.showPolicy({ query: { preset: "default" } });
    const steps = byDefault.rows.find(({ matches }) => matches === "code KeyMissing")?.then.map(({ says }) => says);
    expect(steps).toEqual(["renew the credential", "fall back", "ask a person", "give up"]);
    expect(eager.rows[0]?.then[0]?.says).toMatch(/\p{Script=Han}/u);
  });

  it("are checked, with the line and the column of every mistake", async () => {
    const bad = await world.viewer.checkPolicy({ body: { text: BAD } });
    expect(bad).toMatchObject({ usable: false, policy: null, diagnostics: [{ severity: "error", line: 3 }] });
    expect(bad.diagnostics[0]?.label).toContain("RateLimited");
    expect(bad.diagnostics[0]?.shown).toContain("^");
    const good = await world.viewer.checkPolicy({ body: { text: ONCE } });
    expect(good).toMatchObject({ usable: true, policy: { rows: expect.arrayContaining([]) as unknown } });
    expect(good.policy?.rows[0]?.origin).toEqual({ layer: "file", at: "policy.yaml:3" });
  });

  it("are replayed over past decisions, with links to them", async () => {
    const replayed = await world.viewer.replayPolicy({ body: { text: ONCE, limit: 1 } });
    expect(replayed).toMatchObject({
      decisions: 2,
      changed: 2,
      table: [{ from: "retry", to: "surface", tool: "search", count: 2 }],
      examples: [{ session: "s1", isRun: false, code: "ToolUnavailable" }],
    });
    expect((await chinese.replayPolicy({ body: { text: ONCE } })).examples[0]?.would).toMatch(/\p{Script=Han}/u);
    expect(await world.viewer.replayPolicy({ body: { preset: "default" } })).toMatchObject({ same: 2, changed: 0 });
    const newest = await world.viewer.replayPolicy({ body: { text: ONCE, last: 1 } });
    expect(newest).toMatchObject({ decisions: 1, table: [{ says: { from: "retried", to: "surfaced" } }] });
    expect(newest.examples.map(({ session }) => session)).toEqual(["s2"]);
    const later = { preset: "cautious", sinceAt: Date.now() + 3_600_000 } as const;
    expect(await world.viewer.replayPolicy({ body: later })).toMatchObject({ decisions: 0 });
  });

  it("are replayed as the server decides: its built-in rows do not ask a person about a report", async () => {
    const { operator, viewer } = await startWorld({ drive: false });
    await operator.reportFailure({ body: { tool: "mail", evidence: { status: 500 } } });
    const replayed = await viewer.replayPolicy({ body: { preset: "default" } });
    expect(replayed).toMatchObject({ decisions: 1, changed: 0 });
  });

  it("are refused where there are none or two, and where they have mistakes", async () => {
    const problems = await Promise.all(
      [
        world.viewer.replayPolicy({ body: {} }),
        world.viewer.replayPolicy({ body: { text: ONCE, preset: "eager" } }),
        world.viewer.replayPolicy({ body: { text: BAD } }),
        world.viewer.classify({ body: { evidence: {}, text: BAD } }),
      ].map((asked) =>
        asked.then(
          () => null,
          (error: unknown) => (error as ProblemError).problem,
        ),
      ),
    );
    expect(problems.map((problem) => problem?.status)).toEqual([422, 422, 422, 422]);
    expect(problems[2]?.errors?.[0]?.detail).toMatch(/^line 3, column \d+: .*RateLimted/);
  });

  it("decide about evidence that someone tries out, attempt by attempt, and nothing is written", async () => {
    const before = await world.send("/v1/fault-groups").then((response) => response.text());
    const body = { evidence: { status: 429, headers: { "retry-after": "30" } }, provider: "openai" };
    const tried = await world.operator.classify({ body });
    expect(tried.fault).toMatchObject({
      code: "RateLimited",
      retryAfterMs: 30_000,
      rule: expect.any(String) as string,
    });
    expect(tried.decision).toMatchObject({ recourse: "retry", delayMs: 30_000, serverWait: true });
    expect(tried.schedule.map(({ recourse }) => recourse)).toEqual([...Array<string>(5).fill("retry"), "park"]);
    expect(tried.schedule.slice(0, 5).map(({ delayMs }) => delayMs)).toEqual(Array<number>(5).fill(30_000));
    const seen = await chinese.classify({ body: { ...body, text: ONCE, tool: "search" } });
    expect(seen.decision.recourse).toBe("surface");
    expect(seen.fault.message).toMatch(/\p{Script=Han}/u);
    expect(seen.fault.rule).toBeUndefined();
    expect(await world.send("/v1/fault-groups").then((response) => response.text())).toBe(before);
  });

  it("read what someone pasted, and give the words of each language and the bounds of each wait", async () => {
    const pasted = "HTTP/1.1 503 Service Unavailable\n\nupstream is down";
    const tried = await world.viewer.classify({ body: { pasted, tool: "search", idempotent: true } });
    expect(tried).toMatchObject({
      read: { kind: "http", surface: "http" },
      cause: { label: expect.any(String) as string },
    });
    expect(tried.words.map(({ language }) => language)).toEqual(["en", "zh-CN"]);
    const [first, second] = tried.schedule;
    expect(first?.at).toEqual({ minMs: 0, maxMs: 0 });
    expect(first?.wait.minMs).toBeLessThan(first?.wait.maxMs ?? 0);
    expect(second?.at).toEqual(first?.wait);
    const sum = (bound: "minMs" | "maxMs") => tried.schedule.reduce((all, { wait }) => all + wait[bound], 0);
    expect(tried.total).toEqual({ minMs: sum("minMs"), maxMs: sum("maxMs") });
    const named = await world.viewer.classify({ body: { pasted: "HTTP/1.1 429\nretry-after: 30" } });
    expect(named.schedule[0]?.wait).toEqual({ minMs: 30_000, maxMs: 30_000 });
    for (const body of [{}, { pasted, evidence: {} }])
      expect((await world.send("/v1/classify", { method: "POST", body })).status).toBe(422);
  });

  it("say nothing of a replay that has ended, or never began", async () => {
    await world.viewer.replayPolicy({ body: { text: ONCE, progress: "mine" } });
    for (const progress of ["mine", "other"])
      expect(await world.viewer.replayProgress({ query: { progress } })).toEqual({ isRunning: false, read: 0, of: 0 });
  });

  it("show viewers the name of a file, and operators where it is", () => {
    for (const folder of ["/srv/agents/", "C:\\agents\\"]) {
      const at = `${folder}my.policy.yaml:3`;
      expect([placeFor("viewer", at), placeFor("operator", at)]).toEqual(["my.policy.yaml:3", at]);
    }
    expect(placeFor("viewer", "ToolTransient")).toBe("ToolTransient");
  });
});
