// Spans over time: one row each, with its bar on a shared axis. Only rows in view exist. Arrow keys choose a row.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { type Span, toneOfSpan } from "./run-data.ts";
import type { TimeScale } from "./time-scale.ts";
import { RUN_WORDS } from "./words.ts";
import "./waterfall.css";

const ROW_PX = 26;
const OVERSCAN = 10;

export interface WaterfallProps {
  readonly spans: readonly Span[];
  readonly scale: TimeScale;
  readonly now: number;
  readonly label: string;
  readonly chosen: string | null;
  readonly onChoose: (span: Span) => void;
  /** A line that must not be crossed. */
  readonly deadlineAt?: number | null;
}

interface Row {
  readonly span: Span;
  readonly depth: number;
}

/** Each span behind the one it is part of, in the order in which they began. */
export function treeRows(spans: readonly Span[]): readonly Row[] {
  const known = new Set(spans.map(({ id }) => id));
  const inside = new Map<string | null, Span[]>();
  for (const span of spans) {
    const parent = span.parent !== null && known.has(span.parent) ? span.parent : null;
    const siblings = inside.get(parent);
    if (siblings === undefined) inside.set(parent, [span]);
    else siblings.push(span);
  }
  const rows: Row[] = [];
  const add = (parent: string | null, depth: number): void => {
    for (const span of inside.get(parent)?.toSorted((a, b) => a.startAt - b.startAt) ?? []) {
      rows.push({ span, depth });
      add(span.id, depth + 1);
    }
  };
  add(null, 0);
  return rows;
}

export function Waterfall(props: WaterfallProps): ReactNode {
  const { spans, label, chosen, onChoose, scale, deadlineAt = null } = props;
  const rows = useMemo(() => treeRows(spans), [spans]);
  const scroller = useRef<HTMLDivElement>(null);
  const base = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const at = rows.findIndex(({ span }) => span.id === chosen);
  const move = (event: KeyboardEvent): void => {
    const to = MOVES[event.key]?.(at, rows.length);
    if (to === undefined) return;
    event.preventDefault();
    const next = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (next === undefined) return;
    onChoose(next.span);
    virtual.scrollToIndex(rows.indexOf(next));
  };
  return (
    <div
      className="waterfall"
      ref={scroller}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      onKeyDown={move}
      {...(at === -1 ? {} : { "aria-activedescendant": `${base}-${at}` })}
    >
      <div className="waterfall-all" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {deadlineAt === null || scale.at(deadlineAt) >= 1 ? null : <Deadline at={scale.at(deadlineAt)} />}
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={row.span.id}
              id={`${base}-${index}`}
              role="option"
              aria-selected={index === at}
              className="waterfall-row"
              style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
              onClick={() => onChoose(row.span)}
            >
              <WaterfallRow row={row} {...props} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const MOVES: Readonly<Record<string, (at: number, length: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_at, length) => length - 1,
};

function Deadline({ at }: { readonly at: number }): ReactNode {
  const words = useWords(RUN_WORDS);
  return (
    <div className="waterfall-tracks" aria-hidden="true">
      <i className="waterfall-deadline" title={words.deadline} style={{ left: `${at * 100}%` }} />
    </div>
  );
}

function WaterfallRow({ row: { span, depth }, scale, now }: { readonly row: Row } & WaterfallProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { duration, money } = useFormat();
  const end = span.endAt ?? Math.max(now, span.startAt);
  const [left, right] = [scale.at(span.startAt), scale.at(end)];
  const name = nameOf(span, words.waits);
  const isOut = right < 0 || left > 1;
  const status = span.kind === "wait" ? "" : (words.spanStatus[span.status] ?? span.status);
  return (
    <>
      <span className="waterfall-name one-line" style={{ paddingLeft: depth * 12 }} data-kind={span.kind} title={name}>
        {name}
      </span>
      <span className="waterfall-track" aria-hidden="true">
        {isOut ? null : (
          <i
            className="axis-bar"
            data-kind={span.kind}
            data-tone={span.why === "queue" ? "queue" : toneOfSpan(span)}
            style={{ left: `${Math.max(0, left) * 100}%`, width: `${(Math.min(1, right) - Math.max(0, left)) * 100}%` }}
          />
        )}
      </span>
      <span className="waterfall-note num">
        {span.fault === null || span.kind !== "attempt" ? null : (
          <span className="waterfall-fault one-line">{span.fault.title}</span>
        )}
        <span>
          {span.costMicrocents === null || span.costMicrocents === 0 ? null : `${money(span.costMicrocents)} · `}
          {duration(end - span.startAt)}
        </span>
      </span>
      <span className="visually-hidden">{status}</span>
    </>
  );
}

export function nameOf(span: Span, waits: Readonly<Record<string, string>>): string {
  if (span.kind === "wait") return waits[span.why ?? ""] ?? span.why ?? "";
  if (span.kind === "turn") return span.name;
  return span.kind === "call" ? span.tool : `${span.attempt} ${span.tool}`;
}
