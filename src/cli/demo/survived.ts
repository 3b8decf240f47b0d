// Counts what a run has survived, from its journal alone.

import { type Entry, type JournalEvent, traitsOf } from "../../core/index.ts";

export const SURVIVED = [
  "rateLimits", //  the call waited exactly as long as the server asked, then got an answer
  "failovers", //   a connection broke, and another provider answered
  "hangs", //       a tool hung, was stopped, and was called again
  "regenerated", // an answer did not match its schema, and the model was asked again
  "reviews", //     a reviewer requested changes, and they were made
  "failedTests", // tests failed, and passed later
  "crashes", //     a process died in the middle of its work, and another one continued it
] as const;
export type SurvivedId = (typeof SURVIVED)[number];

export interface SurvivedCounts {
  readonly counts: Readonly<Record<SurvivedId, number>>;
  /** Finished calls and node visits that were repeated, by name. Should be empty. */
  readonly redone: readonly string[];
}

export function countSurvived(entries: readonly Entry[]): SurvivedCounts {
  const story = entries.map((entry, index) => ({ ...entry, later: entries.slice(index + 1) }));
  const counts = Object.fromEntries(
    SURVIVED.map((id) => [id, story.filter(({ event, at, later }) => COUNTS[id](event, at, later)).length]),
  ) as Record<SurvivedId, number>;
  return { counts, redone: story.flatMap(({ event, later }) => redoneOf(event, later)) };
}

type Counts = (event: JournalEvent, at: number, later: readonly Entry[]) => boolean;
type Failed = Extract<JournalEvent, { type: "call-failed" }>;

const COUNTS: Readonly<Record<SurvivedId, Counts>> = {
  rateLimits: (event, at, later) => {
    if (event.type !== "call-failed" || event.decision.recourse !== "retry") return false;
    // The server's wait starts when its answer arrives, slightly before the failure is recorded.
    const { retryAfterMs = 0, resetAt = at + retryAfterMs } = event.fault;
    const next = later.find((entry) => entry.event.type === "call-admitted" && entry.event.call === event.call);
    return retryAfterMs > 0 && next !== undefined && next.at >= resetAt && succeeds(event, later);
  },
  failovers: (event, _at, later) => {
    if (event.type !== "call-failed" || event.decision.recourse !== "fallback") return false;
    return traitsOf(event.fault.code).scope === "network" && succeeds(event, later, event.decision.target);
  },
  hangs: (event, _at, later) => {
    if (event.type !== "call-failed" || event.decision.recourse !== "retry") return false;
    const { scope, cause } = traitsOf(event.fault.code);
    return scope === "tool" && cause === "timeout" && succeeds(event, later, event.tool);
  },
  regenerated: (event, _at, later) =>
    event.type === "call-failed" && event.decision.recourse === "regenerate" && succeeds(event, later),
  reviews: (event, _at, later) => {
    if (event.type !== "node-completed" || event.route.kind !== "to") return false;
    // A node that already completed is visited again: the reviewer sent the work back.
    const isBack = event.route.nodes.some((node) => completes(node, later));
    return isBack && decisionIn(event.output) === "changes_requested";
  },
  failedTests: (event, _at, later) =>
    event.type === "node-failed" && event.route !== null && completes(event.node, later),
  crashes: (event) => event.type === "session-resumed" && event.interrupted.length > 0,
};

function succeeds({ call }: Failed, later: readonly Entry[], by = ""): boolean {
  return later.some(
    ({ event }) => event.type === "call-succeeded" && event.call === call && (by === "" || event.tool === by),
  );
}

function completes(node: string, later: readonly Entry[]): boolean {
  return later.some(({ event }) => event.type === "node-completed" && event.node === node);
}

function decisionIn(output: unknown): unknown {
  return typeof output === "object" && output !== null && "decision" in output ? output.decision : undefined;
}

/** The name of a finished call or visit that is started again. */
function redoneOf(event: JournalEvent, later: readonly Entry[]): readonly string[] {
  if (event.type === "call-succeeded") {
    const { call } = event;
    return later.some((entry) => entry.event.type === "call-admitted" && entry.event.call === call) ? [call] : [];
  }
  if (event.type !== "node-completed") return [];
  const { node, execution } = event;
  const isAgain = later.some(
    ({ event: next }) => next.type === "node-started" && next.node === node && next.execution === execution,
  );
  return isAgain ? [`${node}#${execution}`] : [];
}
