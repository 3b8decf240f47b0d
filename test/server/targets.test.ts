// Targets through the real server: seen, taken out of service while a call runs, tried again, put back.

import { describe, expect, it, onTestFinished } from "vitest";
import { createClient, type ProblemError } from "../../src/client/index.ts";
import { startFailingProvider, writeRuns } from "./failing-provider.ts";
import { FAILING_COMMAND, fromText, runWorld } from "./run-world.ts";
import { journalPath, startWorld } from "./world.ts";

const LONG = { timeout: 30_000, interval: 20 };

describe("a target", { timeout: 60_000 }, () => {
  it("that is isolated gets no further attempt of a call that runs; a probe and a reset put it back", async () => {
    const provider = await startFailingProvider();
    onTestFinished(() => provider.close());
    const journal = journalPath();
    const [run = ""] = await writeRuns(journal, provider, 1);
    provider.mode = "hold";
    const world = await startWorld({ journal });
    await provider.untilHeld(1);
    const [busy] = (await world.viewer.listTargets()).items;
    expect(busy).toMatchObject({ kind: "model", breaker: "closed", running: 1, recent: null, limits: [] });
    const params = { target: busy?.target ?? "" };
    const isolated = await world.operator.isolateTarget({ params, body: { reason: "billing is broken" } });
    expect(isolated).toMatchObject({ breaker: "isolated", reason: "billing is broken (operator)", retryAt: null });
    provider.mode = "busy";
    provider.release();
    const status = (of: string) => async (): Promise<unknown> =>
      (await world.viewer.showRun({ params: { run: of } })).status;
    await expect.poll(status(run), LONG).not.toBe("running");
    expect(provider.requests).toBe(1);

    const chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    const [seen] = (await chinese.listTargets()).items;
    expect([seen?.reason, seen?.says]).toEqual([null, expect.stringMatching(/\p{Script=Han}/u)]);
    expect(seen).toMatchObject({ tools: ["east/m"], figures: { calls: 1, errors: expect.any(Number) as number } });

    // The refusal said how much is left.
    const left = { of: "requests", limit: 60, remaining: 59, resetAt: expect.any(Number) as number };
    expect(seen).toMatchObject({ limits: [left], recent: { attempts: 1, errorRate: 1 } });

    provider.mode = "answer";
    expect(await world.operator.probeTarget({ params })).toMatchObject({ breaker: "half-open" });
    const offers = (await world.operator.showRun({ params: { run } })).actions;
    const retry = offers.find(({ id }) => id === "retry-stage" || id === "retry-now");
    const { run: now } = await world.operator.act({ params: { run }, body: { action: retry?.id ?? "" } });
    await expect.poll(status(now), LONG).toBe("completed");
    expect(provider.requests).toBe(2);
    // A person's retry goes out at once, whatever the target's pause says, and is still counted as work of the target.
    const after = (await world.viewer.listTargets()).items;
    expect(after.map(({ target }) => target)).toEqual([params.target]);
    expect(after[0]).toMatchObject({ limits: [{ ...left, remaining: 58 }], recent: { attempts: 2, errorRate: 0.5 } });
    expect(await world.operator.resetTarget({ params })).toMatchObject({ breaker: "closed", pausedUntil: null });
  });

  it("that is a command counts each attempt that ended with an error, and has one row after a person's retry", async () => {
    const { workflow, journal } = await fromText("tests.yaml", FAILING_COMMAND);
    const world = await runWorld([workflow], { journal });
    const { run } = await world.operator.startRun({ body: { workflow: "tests" } });
    await world.event(run, "run-ended");
    const { run: again } = await world.operator.act({ params: { run }, body: { action: "retry-stage" } });
    await world.event(again, "run-ended");
    const { items } = await world.viewer.listTargets();
    expect(items.map(({ target, recent }) => [target, recent?.attempts, recent?.errorRate])).toEqual([
      ["command:check", 2, 1],
    ]);
  });

  it("whose breaker opened says why, and when it is tried again; a restart keeps it", async () => {
    const journal = journalPath();
    const first = await startWorld({ journal, drive: false });
    for (let call = 0; call < 5; call++) {
      const body = { tool: "search", evidence: { status: 503, message: "down for a while" }, retry: "none" } as const;
      await first.operator.reportFailure({ body });
    }
    const expected = { target: "search", breaker: "open", cause: { code: "ToolUnavailable" } };
    const [open] = (await first.operator.listTargets()).items;
    expect(open).toMatchObject({ ...expected, cause: { message: expect.stringContaining("down") as string } });
    expect(open?.retryAt).toBeGreaterThan(open?.since ?? Infinity);
    expect((await first.viewer.listTargets()).items[0]?.cause?.message).toBeUndefined();
    await first.server.close();
    const second = await startWorld({ journal, drive: false });
    expect((await second.viewer.listTargets()).items).toMatchObject([expected]);
    await second.operator.resetTarget({ params: { target: "search" } });
    expect((await second.viewer.overview()).targets).toEqual([]);
  });

  it("that executors elsewhere call has the durations and limits that they report", async () => {
    const { operator, viewer } = await startWorld({ drive: false });
    const headers = {
      "anthropic-ratelimit-input-tokens-remaining": "7",
      "anthropic-ratelimit-input-tokens-limit": "9",
    };
    const report = { tool: "search", surface: "mcp", idempotent: true, evidence: { status: 503, headers } } as const;
    const { id } = await operator.reportFailure({ body: { ...report, durationMs: 40 } });
    await operator.reportFailure({ body: { ...report, failure: id, attempt: 2 } });
    await operator.reportOutcome({ params: { id }, body: { status: "succeeded", durationMs: 20 } });
    const [seen] = (await viewer.listTargets()).items;
    expect(seen).toMatchObject({
      kind: "mcp",
      recent: { attempts: 3, errorRate: 2 / 3, p50Ms: 20, p95Ms: 40 },
      limits: [{ of: "input-tokens", remaining: 7, limit: 9, resetAt: null }],
    });
  });

  it("is changed by hand on the record: the audit log has each change and the token's name", async () => {
    const { operator } = await startWorld({ drive: false });
    const params = { target: "search" };
    await operator.isolateTarget({ params, body: { reason: "billing is broken" } });
    await operator.probeTarget({ params });
    await operator.resetTarget({ params });
    const { items } = await operator.listAudit({ query: { on: "search" } });
    const recorded = items.map(({ what, by }) => `${what} by ${by}`);
    expect(recorded.toSorted()).toEqual([
      "target.isolate by operator",
      "target.probe by operator",
      "target.release by operator",
    ]);
    expect(items.find(({ what }) => what === "target.isolate")).toMatchObject({
      said: "billing is broken",
      session: null,
    });
  });

  it("can be isolated before any call uses it, and only by operators, with a reason", async () => {
    const world = await startWorld({ drive: false });
    const params = { target: "new/model" };
    const problems = await Promise.all(
      [
        world.viewer.isolateTarget({ params, body: { reason: "no" } }),
        world.operator.isolateTarget({ params, body: { reason: "" } }),
        world.operator.probeTarget({ params }),
        world.operator.resetTarget({ params }),
      ].map((asked) =>
        asked.then(
          () => null,
          (error: unknown) => (error as ProblemError).problem.status,
        ),
      ),
    );
    expect(problems).toEqual([403, 422, 404, 404]);
    await world.operator.isolateTarget({ params, body: { reason: "not before Monday" } });
    const body = { tool: "ask", target: params.target, evidence: { status: 503 }, idempotent: true };
    const { breaker, decision } = await world.operator.reportFailure({ body });
    expect([breaker, decision.recourse]).toEqual(["isolated", expect.not.stringMatching("retry")]);
  });
});
