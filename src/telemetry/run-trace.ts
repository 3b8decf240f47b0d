// The spans of a workflow run: one for each time that a process advances it, and one below it for each attempt of a node. A run can
// wait for days and move between processes, so no span covers all of it. What belongs together is found by the run's id, and, if the
// run was started inside a trace, by that trace.

import type { Fault } from "../core/fault/fault.ts";
import type { NodeKind, NodePlace } from "../core/flow/visit.ts";
import type { RunEvent } from "../core/flow/run-event.ts";
import { LiveSpan } from "./live-span.ts";
import { otel, parentContext, remoteContext } from "./otel.ts";
import { SPANS } from "./span-names.ts";

/** How far a process has advanced a run. */
export interface RunProgress {
  readonly status: string;
  readonly fault: Fault | null;
}

/** `traceparent`: where the run was started, if that is known. */
export async function tracedRun<E extends RunProgress>(
  {
    run,
    workflow,
    traceparent,
  }: { readonly run: string; readonly workflow: string; readonly traceparent: string | null },
  advance: () => Promise<E>,
): Promise<E> {
  const found = otel();
  if (found === null) return advance();
  const { trace } = found.api;
  const here = parentContext(found);
  const started = traceparent === null ? null : remoteContext(found, traceparent);
  const isInside = trace.getSpanContext(here) !== undefined;
  const parent = started === null || isInside ? here : trace.setSpanContext(here, started);
  const links = started !== null && isInside ? [{ context: started }] : [];
  const facts = { operation: "invoke_workflow", workflowName: workflow, conversation: run };
  const span = new LiveSpan(found, parent, named(SPANS.run, workflow), "INTERNAL", facts, links);
  try {
    const ending = await span.within(advance);
    span.set({ outcome: ending.status });
    if (ending.status === "failed" && ending.fault !== null) span.fail(ending.fault);
    return ending;
  } finally {
    span.end();
  }
}

/** How an attempt of a node ended. */
export interface StageEnd {
  readonly events: readonly RunEvent[];
  readonly fault: Fault | null;
}

/** `work` tells how it ended before it returns; without that it was stopped. */
export async function tracedStage(
  { node, execution, attempt }: NodePlace,
  kind: NodeKind,
  work: (ended: (end: StageEnd) => void) => Promise<void>,
): Promise<void> {
  const found = otel();
  if (found === null) return work(() => undefined);
  const facts = { node, nodeKind: kind, execution, number: attempt };
  const span = new LiveSpan(found, parentContext(found), named(SPANS.stage, node), "INTERNAL", facts);
  const ended = ({ events, fault }: StageEnd): void => {
    const last = events.find(({ type }) => type.startsWith("node-"));
    span.set({ outcome: last?.type.slice("node-".length) });
    // A node that waits has a reason, and has not failed.
    if (fault !== null && last?.type !== "node-paused") span.fail(fault);
  };
  try {
    await span.within(() => work(ended));
  } finally {
    span.end();
  }
}

function named(pattern: string, name: string): string {
  return pattern.replace(/\{.*\}/, () => name);
}
