// The rows of a waterfall from the spans of a trace. Pure: what a span is and says comes from the server, here it only gets its place.

import type { Format } from "../../app/format.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import type { WaterfallBar, WaterfallRow } from "../../parts/waterfall.tsx";
import { nameOfCall, targetsIn } from "./call-targets.ts";
import type { Interval } from "../../parts/time-scale.ts";

export type Trace = Answer<"traceSession">;
export type Span = Trace["spans"][number];
export type Step = Trace["graph"]["nodes"][number];

/** As many of the newest spans as are read at first. */
export const SOME_SPANS = 1_000;

export function useTrace(
  session: string,
  { limit = SOME_SPANS, turn = null }: { readonly limit?: number; readonly turn?: string | null } = {},
) {
  return useRead("traceSession", { params: { session }, query: { limit, ...(turn === null ? {} : { turn }) } });
}

export interface RowWords {
  readonly attempt: (count: number) => string;
  readonly notTried: string;
  readonly takes: (start: string, long: string) => string;
  readonly lasts: (start: string, long: string) => string;
}

/** One thing with what it holds: a visit of a run's node, a span, or a step that never ran. */
interface Item {
  readonly id: string;
  readonly span: Span | null;
  readonly step: Step | null;
  readonly label: string;
  readonly children: Item[];
}

/** A trace as a tree; the same as long as the trace is the same. */
export function treeOf({ spans, graph }: Trace, words: RowWords): readonly Item[] {
  const labels = new Map(graph.nodes.map(({ id, label, node }) => [id, label === "" ? node : label]));
  const items = new Map<string, Item>();
  const visits = new Map<string, Item>();
  const roots: Item[] = [];
  for (const span of spans) {
    const item: Item = { id: span.id, span, step: null, label: labelOf(span, labels, words), children: [] };
    items.set(span.id, item);
    const parent = span.parent === null ? undefined : items.get(span.parent);
    (parent?.children ?? homeOf(span, visits, roots)).push(item);
  }
  const turns = new Map([...items.values()].map((item) => [item.span?.kind === "turn" ? item.span.name : "", item]));
  for (const step of graph.nodes)
    if (step.span === null) {
      const label = step.label === "" ? step.node : step.label;
      turns.get(step.turn)?.children.push({ id: `step:${step.id}`, span: null, step, label, children: [] });
    }
  return roots;
}

/** What failed, what it is part of, and the waits within it. */
export function troubleIn(trace: Trace): Trace {
  const { spans, graph } = trace;
  const byId = new Map(spans.map((span) => [span.id, span]));
  const kept = new Set<string>();
  for (const span of spans) {
    if (span.fault === null) continue;
    for (let at: Span | undefined = span; at !== undefined; at = byId.get(at.parent ?? "")) kept.add(at.id);
  }
  return {
    ...trace,
    spans: spans.filter(({ id, kind, parent }) => kept.has(id) || (kind === "wait" && kept.has(parent ?? ""))),
    graph: { ...graph, nodes: graph.nodes.filter(({ span, because }) => span !== null || because !== null) },
  };
}

/** The visit that a row shows, as `node#execution`; null for other rows. */
export function nodeVisit(row: string): string | null {
  return row.startsWith(VISIT) ? row.slice(VISIT.length) : null;
}

const VISIT = "visit:";

/** Spans of a run's node stand under their visit; everything else stands at the top. */
function homeOf({ node, execution }: Span, visits: Map<string, Item>, roots: Item[]): Item[] {
  if (node === "") return roots;
  const id = `${VISIT}${node}#${execution}`;
  const known = visits.get(id);
  if (known !== undefined) return known.children;
  const visit = { id, span: null, step: null, label: execution > 1 ? `${node} #${execution}` : node, children: [] };
  visits.set(id, visit);
  roots.push(visit);
  return visit.children;
}

function labelOf(
  { kind, name, tool, attempt, says }: Span,
  labels: ReadonlyMap<string, string>,
  words: RowWords,
): string {
  if (kind === "wait") return says;
  if (kind === "attempt" || (kind === "turn" && attempt > 0)) return words.attempt(attempt);
  return labels.get(name) ?? (kind === "call" && tool !== "" ? tool : name);
}

export interface RowOptions {
  /** Rows that are not as they are at first. */
  readonly toggled: ReadonlySet<string>;
  readonly now: number;
  readonly startAt: number;
  readonly format: Format;
  readonly words: RowWords;
}

export function rowsOf(tree: readonly Item[], options: RowOptions): readonly WaterfallRow[] {
  const rows: WaterfallRow[] = [];
  const add = (item: Item, depth: number): void => {
    const isOpen = item.children.length === 0 ? null : isOpenFirst(item) !== options.toggled.has(item.id);
    rows.push(rowOf(item, depth, isOpen, options));
    if (isOpen === true) for (const child of item.children) add(child, depth + 1);
  };
  for (const item of tree) add(item, 0);
  return rows;
}

/** Calls show their attempts and waits in one row until they are opened; attempts at several targets have their own rows from the start. */
function isOpenFirst(item: Item): boolean {
  return item.span === null || item.span.kind === "turn" || isChain(item);
}

function targetsOf({ children }: Item): readonly string[] {
  return targetsIn(children.flatMap(({ span }) => span ?? []));
}

function isChain(item: Item): boolean {
  return item.span?.kind === "call" && targetsOf(item).length > 1;
}

function rowOf(item: Item, depth: number, isOpen: boolean | null, options: RowOptions): WaterfallRow {
  const { id, span, step } = item;
  const label = span?.kind === "call" ? nameOfCall(item.label, span.tool, targetsOf(item)).label : item.label;
  const bars = barsOf(item, options);
  const last = span ?? step ?? item.children.at(-1)?.span ?? null;
  const told = bars.length === 0 ? [label, last?.says ?? ""] : [label, ...bars.map(({ says }) => says)];
  return {
    ...{ id, depth, label, isOpen, bars },
    note: noteOf(item, options.words),
    state: last?.state ?? null,
    fault: span?.kind === "attempt" ? (span.fault?.title ?? "") : "",
    long: bars.length === 0 ? "" : options.format.duration(lengthOf(bars)),
    text: step === null ? "" : step.says,
    says: told.join("; "),
  };
}

function noteOf(item: Item, words: RowWords): string {
  const { span, step, label } = item;
  if (step !== null) return step.tool === label ? "" : step.tool;
  if (span === null || span.kind === "wait") return "";
  if (!span.attempted) return words.notTried;
  return nameOfCall(label, span.tool, targetsOf(item)).note;
}

/** A visit and a call are shown by what is in them; a turn is a thin line around its calls, which wait more than they work. */
function barsOf(item: Item, options: RowOptions): readonly WaterfallBar[] {
  const { span, children } = item;
  const inside = children.filter((child): child is Item & { readonly span: Span } => child.span !== null);
  if (span === null || (span.kind === "call" && inside.length > 0))
    return inside.flatMap((child) => [
      ...(isChain(item) ? [barOf(child.span, options, child.span.tool)] : barsOf(withoutCalls(child), options)),
      ...(child.span.kind === "turn" ? child.children.flatMap((call) => barsOf(call, options)) : []),
    ]);
  return [{ ...barOf(span, options), ...(children.length > 0 ? { phase: "frame" } : {}) }];
}

function withoutCalls(item: Item): Item {
  return { ...item, children: item.span?.kind === "turn" ? item.children : [] };
}

/** `target`: named where the row is of several. */
function barOf(span: Span, { now, startAt, format, words }: RowOptions, target = ""): WaterfallBar {
  const { id, phase, state, says, endAt } = span;
  const end = endAt ?? Math.max(now, span.startAt);
  const from = format.duration(span.startAt - startAt);
  const long = format.duration(end - span.startAt);
  const time = endAt === null ? words.lasts(from, long) : words.takes(from, long);
  const first =
    span.kind === "attempt"
      ? `${[target, words.attempt(span.attempt)].filter((part) => part !== "").join(" · ")}: `
      : "";
  return { id, phase, state: state.id, startAt: span.startAt, endAt: end, says: `${first}${says}, ${time}` };
}

/** From the first beginning to the last end. */
function lengthOf(bars: readonly WaterfallBar[]): number {
  return Math.max(...bars.map(({ endAt }) => endAt)) - Math.min(...bars.map(({ startAt }) => startAt));
}

/** When something was at work; waits and everything between are idle. */
export function busyIn({ spans }: Trace, now: number): readonly Interval[] {
  const holders = new Set(
    spans.filter(({ kind }) => kind === "call" || kind === "attempt").map(({ parent }) => parent),
  );
  return spans
    .filter(({ id, phase }) => phase === "work" && !holders.has(id))
    .map(({ startAt, endAt }) => ({ startAt, endAt: endAt ?? Math.max(now, startAt) }));
}
