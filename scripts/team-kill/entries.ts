// Reads from the entries of a run which work was done. Pure.

import type { Entry, JournalEvent } from "../../src/index.ts";

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { readonly type: Type }>;

export function only<Type extends JournalEvent["type"]>(
  entries: readonly Entry[],
  ...types: readonly Type[]
): readonly EventOf<Type>[] {
  return entries
    .map(({ event }) => event)
    .filter((event): event is EventOf<Type> => types.includes(event.type as Type));
}

/** An attempt of a call that ended by itself, with or without success, and was not interrupted by a kill. */
export type Finished = EventOf<"call-succeeded"> | EventOf<"call-failed">;

export function finishedAttempts(entries: readonly Entry[]): readonly Finished[] {
  return only(entries, "call-succeeded", "call-failed").filter((event) => !isCutOff(event));
}

export function cutOffAttempts(entries: readonly Entry[]): readonly EventOf<"call-failed">[] {
  return only(entries, "call-failed").filter(isCutOff);
}

function isCutOff(event: Finished): boolean {
  return event.type === "call-failed" && event.fault.code === "Interrupted";
}

/** Attempts that asked a model; models are named `provider/model`. */
export function finishedRequests(entries: readonly Entry[]): readonly Finished[] {
  return finishedAttempts(entries).filter(({ tool }) => tool.includes("/"));
}

export function microcents(events: readonly Pick<Finished, "cost">[]): number {
  return events.reduce((sum, { cost }) => sum + (cost?.microcents ?? 0), 0);
}

/** `node#execution.attempt` of each visit's beginning or end, in order. */
export function places(
  entries: readonly Entry[],
  ...types: readonly ("node-started" | "node-completed" | "node-failed" | "node-skipped" | "node-retrying")[]
): readonly string[] {
  return only(entries, ...types).map(({ type, node, execution, attempt }) => `${type} ${node}#${execution}.${attempt}`);
}
