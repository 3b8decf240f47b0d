// What the pages about one run read, and which part of it a reader looks at. Nothing is decided here.

import { type Answer, useRead } from "../../app/server.tsx";
import type { Span } from "../trace/trace-rows.ts";

export type Run = Answer<"showRun">;
export type Visit = Run["visits"][number];
export type Fault = NonNullable<Run["fault"]>;
export type Attempt = Answer<"listAttempts">["items"][number];
export type Decision = NonNullable<Span["decision"]>;

export function useRun(run: string) {
  return useRead("showRun", { params: { run } });
}

/** Names a visit in the address: `review#2`. */
export function visitKey({ node, execution }: Pick<Visit, "node" | "execution">): string {
  return `${node}#${execution}`;
}

/** Names a visit to people: the first one by its node alone. */
export function visitName({ node, execution }: Pick<Visit, "node" | "execution">): string {
  return execution > 1 ? `${node} #${execution}` : node;
}

/** The visit that was asked for; else the newest of the node that the run is at; else the newest that failed, or the last of a completed run. */
export function visitInFocus(
  { visits, nodes, status }: Pick<Run, "visits" | "nodes" | "status">,
  asked: string | null,
): Visit | null {
  return (
    visits.find((visit) => visitKey(visit) === asked) ??
    visits.findLast(({ node }) => node === nodes[0]) ??
    // A run that is completed has survived its failures: nothing is to be done about them.
    visits.findLast(({ fault }) => status === "completed" || fault !== null) ??
    null
  );
}

/** The spans of one visit, in the order in which they began. */
export function spansOfVisit(spans: readonly Span[], visit: Pick<Visit, "node" | "execution"> | null): readonly Span[] {
  return visit === null
    ? spans
    : spans.filter(({ node, execution }) => node === visit.node && execution === visit.execution);
}
