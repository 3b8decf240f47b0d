// A story sorted by calls: the events of each call and the runs of its tools, as the checks walk them.

import type { CallEvent } from "../../src/core/flow/call.ts";
import type { Decision } from "../../src/core/decide/decision.ts";
import { rowsOfRetry, withRows } from "../../src/core/policy/layer.ts";
import { type Place, type Policy, type PolicyRow, rowFor } from "../../src/core/policy/policy.ts";
import { PRESETS } from "../../src/core/policy/presets.ts";
import { traitsOf } from "../../src/core/fault/catalogue.ts";
import type { Fault } from "../../src/core/fault/fault.ts";
import { tool as makeTool } from "../../src/runtime/tool/tool.ts";
import type { Run, Story, Written } from "./story.ts";
import type { ToolSpec, WorldSpec } from "./world-spec.ts";

/** An event of a call that is on disk. */
export interface CallWritten extends Omit<Written, "entry"> {
  readonly seq: number;
  /** When it was recorded; it was on disk a little later. */
  readonly recordedAt: number;
  readonly event: CallEvent;
}

/** What happened to a call, in order. */
export type Moment =
  | { readonly order: number; readonly written: CallWritten; readonly run: null }
  | { readonly order: number; readonly written: null; readonly run: Run };

export interface CallHistory {
  readonly call: string;
  readonly events: readonly CallWritten[];
  readonly runs: readonly Run[];
  readonly moments: readonly Moment[];
}

const HISTORIES = new WeakMap<Story, ReadonlyMap<string, CallHistory>>();

export function historiesOf(story: Story): ReadonlyMap<string, CallHistory> {
  let histories = HISTORIES.get(story);
  if (histories === undefined) HISTORIES.set(story, (histories = sortByCall(story)));
  return histories;
}

function sortByCall(story: Story): ReadonlyMap<string, CallHistory> {
  const events = new Map<string, CallWritten[]>();
  for (const { order, life, at, entry } of story.written) {
    const { event, seq } = entry;
    if (!isCallEvent(event)) continue;
    const written = { order, life, at, seq, recordedAt: entry.at, event };
    const known = events.get(event.call);
    if (known === undefined) events.set(event.call, [written]);
    else known.push(written);
  }
  const runs = Map.groupBy(story.runs, ({ call }) => call);
  const names = new Set([...events.keys(), ...runs.keys()]);
  return new Map(Array.from(names, (call) => [call, historyOf(call, events.get(call) ?? [], runs.get(call) ?? [])]));
}

function historyOf(call: string, events: readonly CallWritten[], runs: readonly Run[]): CallHistory {
  const moments: Moment[] = [
    ...events.map((written) => ({ order: written.order, written, run: null })),
    ...runs.map((run) => ({ order: run.order, written: null, run })),
  ];
  return { call, events, runs, moments: moments.sort((a, b) => a.order - b.order) };
}

const CALL_EVENTS: ReadonlySet<string> = new Set<CallEvent["type"]>([
  "call-started",
  "call-admitted",
  "call-failed",
  "call-decided",
  "call-succeeded",
  "call-cancelled",
  "call-late",
  "call-adapted",
  "question-asked",
  "question-answered",
]);

function isCallEvent(event: Written["entry"]["event"]): event is CallEvent {
  return CALL_EVENTS.has(event.type);
}

/** What was decided with an event; null when nothing was. */
export function decisionOf(event: CallEvent): Decision | null {
  return event.type === "call-failed" || event.type === "call-decided" ? event.decision : null;
}

/** A person said: do it. */
export function isApproval(event: CallEvent): boolean {
  if (event.type !== "question-answered" || event.answer.status !== "accepted") return false;
  const { value } = event.answer;
  return value !== false && value !== "fail" && value !== "skip";
}

const LAST_RECOURSES: ReadonlySet<Decision["recourse"]> = new Set(["default", "partial", "skip", "surface", "fail"]);

/** After this the call is over. */
export function endsCall(event: CallEvent): boolean {
  if (event.type === "call-succeeded" || event.type === "call-cancelled") return true;
  if (event.type === "question-answered") {
    return event.answer.status === "accepted" && event.answer.value === "skip";
  }
  const decision = decisionOf(event);
  return decision !== null && LAST_RECOURSES.has(decision.recourse);
}

/** The work may have been done although it failed like this. */
export function mayHaveHappened({ code, context }: Fault): boolean {
  return context["ran"] === true || (traitsOf(code).mayHaveHappened && context["ran"] !== false);
}

export function toolOf({ tools }: WorldSpec, id: string): ToolSpec {
  const found = tools.get(id);
  if (found === undefined) throw new RangeError(`The world has no tool ${id}.`);
  return found;
}

const POLICIES = new WeakMap<ToolSpec, { readonly policy: Policy; readonly place: Place }>();

/** The row of the policy that is in charge of a fault of this tool. */
export function rowInCharge(world: WorldSpec, tool: ToolSpec, fault: Fault): PolicyRow {
  let known = POLICIES.get(tool);
  if (known === undefined) {
    const base = PRESETS[world.policy];
    const retry = tool.retry === null ? null : makeTool({ id: tool.id, retry: tool.retry, run: () => null }).retry;
    const rows = retry === null ? [] : rowsOfRetry(tool.id, retry, base);
    known = {
      policy: withRows(base, rows),
      place: { surface: "tool", provider: tool.target.id, tool: tool.id, stage: "" },
    };
    POLICIES.set(tool, known);
  }
  return rowFor(known.policy, fault, known.place);
}
