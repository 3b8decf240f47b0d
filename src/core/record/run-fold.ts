// A run folded from the entries of its session: its own events, and what the calls of its nodes ask, try and cost, and which of
// them wait.

import type { FaultCode } from "../fault/catalogue.ts";
import { turnOfCall } from "../flow/call.ts";
import { placeOf } from "../flow/node.ts";
import { type RunState, visitOf } from "../flow/run-state.ts";
import { foldRun, noteTarget } from "../flow/run.ts";
import { isOpen, type Visit, type VisitCall } from "../flow/visit.ts";
import type { RunEvent } from "../flow/run-event.ts";
import type { Entry, JournalEvent } from "./event.ts";
import { noticeOf } from "./notice.ts";

type Happened = Pick<Entry, "at" | "event">;

/** Folds one entry into the run, in place. */
export function foldIntoRun(run: RunState, { at, event }: Happened): void {
  if ("call" in event) {
    const visit = visitIn(run, turnOfCall(event.call));
    if (visit !== undefined) foldCall(run, visit, { at, event });
  } else if (event.type === "turn-ended") {
    const visit = visitIn(run, event.turn);
    if (visit !== undefined) delete visit.calls;
  } else if (event.type === "session-resumed") {
    for (const visit of run.visits) if (visit.calls !== undefined) visit.calls = waitsIn(visit.calls);
  } else foldRun(run, event as RunEvent, at);
}

function visitIn(run: RunState, turn: string): Visit | undefined {
  const place = placeOf(turn);
  return place === null ? undefined : visitOf(run, place);
}

function foldCall(run: RunState, visit: Visit, entry: Happened): void {
  const { event } = entry;
  if (event.type === "call-admitted" || event.type === "call-succeeded") noteTarget(run, visit, event.tool);
  if (event.type === "call-admitted") visit.callAttempts += 1;
  else if ("cost" in event && event.type !== "call-late") visit.spentMicrocents += event.cost?.microcents ?? 0;
  if (isOpen(visit)) visit.calls = callsAfter(visit.calls ?? {}, entry);
}

type Calls = Readonly<Record<string, VisitCall>>;

/** Events that leave it open whether the call runs or waits. */
const ASIDE: ReadonlySet<JournalEvent["type"]> = new Set([
  "call-started",
  "call-late",
  "call-adapted",
  "artefact-kept",
  "target-paused",
  "budget-exceeded",
]);

function callsAfter(calls: Calls, entry: Happened): Calls {
  const { event } = entry;
  if (!("call" in event) || ASIDE.has(event.type)) return calls;
  const { [event.call]: before, ...others } = calls;
  const { code = null, of = null } = before ?? {};
  if (event.type === "call-admitted") {
    const { tool: target, attempt } = event;
    return { ...others, [event.call]: { target, attempt, of, code, held: null, nextAt: null } };
  }
  const notice = noticeOf(entry);
  if (notice?.kind !== "wait") return others;
  const { tool: target, attempt, nextAt } = notice;
  const why =
    event.type === "call-held" ? { code, held: event.reason } : { code: notice.reason as FaultCode, held: null };
  return { ...others, [event.call]: { target, attempt, of: notice.of ?? of, ...why, nextAt } };
}

/** A process that died ran nothing to its end, but the time that a call waits for stays. */
function waitsIn(calls: Calls): Calls {
  return Object.fromEntries(Object.entries(calls).filter(([, { nextAt }]) => nextAt !== null));
}
