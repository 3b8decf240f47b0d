// Which limit a fault reached, its value, and whether it belongs to the run or to the node. An offer names a limit by what it limits
// (`timeoutMs`); the fault says whose it is.

import type { FaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { ActionId } from "./action-words.ts";
import type { RunLimits } from "./run-event.ts";
import { type RunState, visitOf } from "./run-state.ts";

type Amounts = Readonly<Record<string, number>>;

interface LimitRow {
  /** Its name in the offer and its present value; 0 when none was set. */
  readonly offered: (limits: RunLimits, reached: number) => Amounts;
  /** The names under which the node looks for its own; null for a limit of the run. */
  readonly ofNode: Readonly<Record<string, string>> | null;
}

// prettier-ignore
const ROWS = {
  // 2.00 of 2.00 dollars are spent.
  runMoney:    { offered: ({ maxCostMicrocents }) => ({ maxCostMicrocents }),        ofNode: null },
  // The agent may spend 0.50 dollars in a run, and has.
  agentMoney:  { offered: (_limits, maxCostMicrocents) => ({ maxCostMicrocents }),   ofNode: { maxCostMicrocents: "agentCostMicrocents" } },
  // The run took longer than half an hour.
  runTime:     { offered: ({ timeoutMs }) => ({ timeoutMs: timeoutMs ?? 0 }),        ofNode: null },
  // One attempt of the node did.
  attemptTime: { offered: (_limits, timeoutMs) => ({ timeoutMs }),                   ofNode: { timeoutMs: "attemptMs" } },
  // A loop that does not end has visited its 100 nodes.
  nodes:       { offered: ({ maxNodes }) => ({ maxNodes }),                          ofNode: null },
  // The agent was still using tools after 8 rounds.
  rounds:      { offered: (_limits, turnCap) => ({ turnCap }),                       ofNode: { turnCap: "turnCap" } },
  // A stage written in TypeScript ran out of rounds and does not say which limit that was.
  eitherRounds: { offered: ({ maxNodes }) => ({ maxNodes, turnCap: 0 }),             ofNode: null },
} as const satisfies Readonly<Record<string, LimitRow>>;

interface Reached {
  readonly isAgents: boolean;
  readonly isKnown: boolean;
}

/** By the code of the fault; every other code means the run's budget. */
const BY_CODE: Readonly<Partial<Record<FaultCode, (reached: Reached) => LimitRow>>> = {
  BudgetExceeded: ({ isAgents }) => (isAgents ? ROWS.agentMoney : ROWS.runMoney),
  RunTimeout: () => ROWS.runTime,
  TurnTimeout: () => ROWS.attemptTime,
  TurnLimit: ({ isAgents, isKnown }) => (isAgents ? ROWS.rounds : isKnown ? ROWS.nodes : ROWS.eitherRounds),
};

/** The limits that can be raised after this fault, with their present values. */
export function limitsReached(seen: Fault | null, limits: RunLimits): Amounts {
  // The workflow itself declared this end: there is no limit to raise.
  if (seen?.context["declared"] === true) return {};
  return rowOf(seen).offered(limits, reachedIn(seen) ?? 0);
}

/** The new values, under the names the enforcing code reads. */
export function limitsAsMeant(
  { id, node, execution }: { readonly id: ActionId; readonly node: string; readonly execution: number },
  state: RunState,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (id !== "raise-limit") return params;
  const { ofNode } = rowOf(visitOf(state, { node, execution })?.fault ?? state.fault);
  if (ofNode === null) return params;
  const limits = Object.entries((params["limits"] ?? {}) as Amounts);
  return { ...params, limits: Object.fromEntries(limits.map(([name, limit]) => [ofNode[name] ?? name, limit])) };
}

function rowOf(seen: Fault | null): LimitRow {
  if (seen === null) return ROWS.runMoney;
  const reached = { isAgents: typeof seen.context["agent"] === "string", isKnown: reachedIn(seen) !== null };
  return BY_CODE[seen.code]?.(reached) ?? ROWS.runMoney;
}

function reachedIn(seen: Fault | null): number | null {
  const limit = seen?.context["limit"];
  return typeof limit === "number" ? limit : null;
}
