// The tools of a simulated world, as one life of its program has them. Whatever they do is written into the story.

import { fault } from "../../src/core/fault/fault.ts";
import { type AnyTool, partial, type RunContext, tool, type ToolOptions } from "../../src/runtime/tool/tool.ts";
import { type Act, actOf } from "./simulated-act.ts";
import type { Life } from "./simulated-life.ts";
import type { Run } from "./story.ts";
import type { ToolSpec } from "./world-spec.ts";

/** What is passed to every tool. */
export interface SimulatedInput {
  readonly n: number;
  readonly [field: string]: unknown;
}

export function toolsOf(life: Life): ReadonlyMap<string, AnyTool> {
  const { tools } = life.story.world;
  return new Map(Array.from(tools, ([id, spec]) => [id, toolFrom(life, spec) as AnyTool]));
}

/** What a priced tool says it will cost: depends on the input, which a person may replace on the way. */
function estimateOf({ price }: ToolSpec, input: unknown): number | null {
  if (typeof price !== "number") return null;
  const n = typeof input === "object" && input !== null && "n" in input ? input.n : 0;
  return price + (typeof n === "number" ? (n % 7) * 10 : 0);
}

function toolFrom(life: Life, spec: ToolSpec): ReturnType<typeof tool<SimulatedInput, unknown>> {
  const { target } = spec;
  const options: ToolOptions<SimulatedInput, unknown> = {
    id: spec.id,
    idempotent: spec.idempotent,
    timeoutMs: spec.timeoutMs,
    optional: spec.optional,
    alternatives: spec.alternatives,
    target: target.id,
    maxConcurrent: target.maxConcurrent,
    maxQueued: target.maxQueued,
    breaker: target.breaker,
    ...(spec.retry === null ? {} : { retry: spec.retry }),
    ...(spec.hasDefault ? { default: `default of ${spec.id}` } : {}),
    ...(spec.price === "free" ? {} : { cost: { estimate: (input: SimulatedInput) => estimateOf(spec, input) } }),
    run: (input, context) => runTool(life, spec, input, context),
  };
  return tool(options);
}

function runTool(life: Life, spec: ToolSpec, input: unknown, context: RunContext): unknown {
  if (life.isOver()) return life.never();
  const { story, clock } = life;
  const { call, attempt, deadlineAt } = context;
  const act = actOf(story.world, spec, call, attempt);
  const run: Run = {
    order: story.next(),
    life: life.number,
    at: clock.now(),
    tool: spec,
    call,
    attempt,
    deadlineAt,
    estimate: estimateOf(spec, input),
    hasEffect: act.hasEffect,
    ended: null,
    reports: [],
  };
  story.runs.push(run);
  report(run, context, act.costAtFirst, true);
  if (act.partial) context.partial({ part: call }, [{ item: 1, fault: fault("NotFound", { message: "item 1" }) }]);
  if (act.ends !== "never" && act.afterMs === 0) return finish(life, run, act, context);
  return later(life, run, act, context);
}

async function later(life: Life, run: Run, act: Act, context: RunContext): Promise<unknown> {
  const { clock } = life;
  const stopped = await new Promise<boolean>((resolve) => {
    if (act.ends !== "never") clock.after(act.afterMs, () => resolve(false));
    if (act.listens) context.signal.addEventListener("abort", () => resolve(true), { once: true });
  });
  if (life.isOver()) return life.never();
  if (!stopped) return finish(life, run, act, context);
  end(life, run);
  throw context.signal.reason as Error;
}

function finish(life: Life, run: Run, act: Act, context: RunContext): unknown {
  report(run, context, act.costAtLast, false);
  end(life, run);
  if (act.ends === "throw") throw act.error as Error;
  if (!act.isPartialValue) return act.value;
  return partial(act.value, [{ item: "rest", fault: fault("ResourceBusy", { message: "the rest" }) }]);
}

function report(run: Run, context: RunContext, microcents: number | null, isFirst: boolean): void {
  if (microcents === null) return;
  context.cost(microcents);
  run.reports = [...run.reports, { isFirst, microcents }];
}

function end(life: Life, run: Run): void {
  run.ended = { order: life.story.next(), at: life.clock.now() };
}
