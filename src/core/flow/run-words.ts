// One sentence about a run, whatever its state: what is done, what is missing and why, what it waits for. The words are those of turns.

import { fault, type Fault } from "../fault/fault.ts";
import type { Locale } from "../fault/words/words.ts";
import type { PauseReason, SkipReason } from "./node.ts";
import type { RunState } from "./run-state.ts";
import { type Settlement, tellSteps } from "./turn-words.ts";
import { callWaitOf, type Visit, type VisitState } from "./visit.ts";

/** The newest visit of each node counts: what a later round did replaces what an earlier one did. */
export function describeRun(state: Pick<RunState, "status" | "fault" | "visits">, locale: Locale): string {
  const newest = new Map<string, Visit>();
  for (const visit of state.visits) if (!isOlder(visit, newest.get(visit.node))) newest.set(visit.node, visit);
  const settlements = Array.from(newest.values(), (visit) => ({ ...namedBy(visit), ...SETTLED[visit.state](visit) }));
  return tellSteps(settlements, endOf(state), locale);
}

function isOlder({ execution }: Visit, known: Visit | undefined): boolean {
  return known !== undefined && execution < known.execution;
}

function endOf({ status, fault: seen }: Pick<RunState, "status" | "fault">): Fault | null {
  if (status === "cancelled") return fault("SessionCancelled");
  return status === "failed" ? seen : null;
}

const namedBy = ({ node, fault: seen }: Visit): Pick<Settlement, "label" | "because" | "fault"> => ({
  ...{ label: node, because: "", fault: seen },
});

type Settled = Pick<Settlement, "status"> & Partial<Settlement>;

const SETTLED: Readonly<Record<VisitState, (visit: Visit) => Settled>> = {
  completed: () => ({ status: "done", fault: null }),
  failed: () => ({ status: "failed" }),
  cancelled: () => ({ status: "cancelled", fault: null }),
  skipped: ({ skipped }) => SKIPPED[skipped ?? "operator"],
  running: (visit) => {
    if (visit.pause !== null) return { status: "answered", fault: null };
    const wait = callWaitOf(visit, 0);
    if (wait === null) return { status: "running" };
    return { status: "parked", wakeAt: wait.nextAt, fault: wait.code === null ? null : fault(wait.code) };
  },
  // Not tried yet, or to be tried again.
  ready: ({ fault: seen, notBefore }) =>
    seen === null ? { status: "unstarted" } : { status: "parked", wakeAt: notBefore },
  paused: (visit) => (visit.pause === null ? { status: "running" } : PAUSED[visit.pause.why](visit.pause)),
};

const SKIPPED: Readonly<Record<SkipReason, Settled>> = {
  "gate": { status: "skipped", fault: null },
  "operator": { status: "skipped", fault: null },
  "resolution": { status: "skipped" },
  "sibling-failed": { status: "halted", fault: null },
};

type Pause = NonNullable<Visit["pause"]>;

const asked = ({ questions: [question] }: Pause): Settled => ({
  status: "waiting",
  ...(question === undefined ? {} : { question }),
});

const PAUSED: Readonly<Record<PauseReason, (pause: Pause) => Settled>> = {
  gate: (pause) => ({ ...asked(pause), fault: null }),
  question: asked,
  budget: asked,
  parked: ({ wakeAt }) => ({ status: "parked", ...(wakeAt === null ? {} : { wakeAt }) }),
  stopped: () => ({ status: "stopped", fault: null }),
};
