// A workflow run in a trace: a span each time that a process advances it, a span for each attempt of a node, calls below it.

import { trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fault, FaultError, tool } from "../../src/index.ts";
import { stage } from "../../src/workflow/define.ts";
import { engineWorld, STORES } from "../support/engine-world.ts";
import { recordSpans, type Spans } from "../support/spans.ts";

let spans: Spans;
beforeEach(() => void (spans = recordSpans()));
afterEach(() => spans.stop());

const search = tool({ id: "search", run: () => "found" });

describe.each(STORES)("a run on a journal in %s", (store) => {
  it("shows its stages, their calls and their retries", async () => {
    let tries = 0;
    const { go } = await engineWorld(
      {
        id: "team",
        stages: {
          coder: stage({ act: async (_request, { turn }) => (await turn.protect(search, "x")).status }),
          tester: stage({
            retryPolicy: { maxAttempts: 2 },
            act: () => {
              if (++tries === 1) throw new FaultError(fault("ToolUnavailable", { message: "secret words" }));
              return "ok";
            },
          }),
        },
      },
      { store },
    );
    const { run } = await go();
    expect(spans.lines()).toEqual([
      "invoke_workflow team completed",
      "  faultline.stage coder 1 completed",
      "    execute_tool search done",
      "      faultline.attempt 1",
      "  faultline.stage tester 1 retrying ✗ ToolUnavailable",
      "  faultline.stage tester 2 completed",
    ]);
    const [span] = spans.named("invoke_workflow team");
    expect(span?.attributes).toMatchObject({ "gen_ai.conversation.id": run, "gen_ai.workflow.name": "team" });
    expect(JSON.stringify(spans.all().map(({ attributes, status }) => [attributes, status]))).not.toContain("secret");
  });

  it("that fails has an error; one that waits has none, and continues the trace it was started in", async () => {
    const limited = tool({
      id: "limited",
      retry: "none",
      run: (_input: string, { attempt }) => {
        if (attempt === 1) throw new FaultError(fault("RateLimited", { retryAfterMs: 3_600_000 }));
        throw new TypeError("broken");
      },
    });
    const world = await engineWorld(
      {
        id: "team",
        stages: {
          asks: stage({
            act: async (_request, { turn }) => {
              const outcome = await turn.protect(limited, "x");
              if (outcome.status !== "done" && "fault" in outcome) throw new FaultError(outcome.fault);
            },
          }),
        },
      },
      { store },
    );
    const run = await trace.getTracer("test").startActiveSpan("request", async (span) => {
      const started = await world.start();
      span.end();
      return started;
    });
    expect(await world.advance(run)).toMatchObject({ status: "paused" });
    await world.clock.advance(3_600_000);
    expect(await world.advance(run)).toMatchObject({ status: "failed" });
    expect(spans.lines()).toEqual([
      "request",
      "  invoke_workflow team paused",
      "    faultline.stage asks 1 paused",
      "      execute_tool limited parked",
      "        · faultline.park RateLimited",
      "        faultline.attempt 1 ✗ RateLimited",
      "  invoke_workflow team failed ✗ ExecutionFailed",
      "    faultline.stage asks 1 failed ✗ ExecutionFailed",
      "      execute_tool limited surfaced ✗ ExecutionFailed",
      "        · faultline.recourse ExecutionFailed",
      "        faultline.attempt 2 ✗ ExecutionFailed",
    ]);
  });
});
