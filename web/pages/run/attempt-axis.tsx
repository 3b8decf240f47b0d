// Attempts and the waits between them on one time axis. Waits are hatched; words also distinguish queue, wait and work.

import type { ReactNode } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { toneOf } from "../../parts/pill.tsx";
import type { Span } from "../trace/trace-rows.ts";
import { attemptSpans } from "./attempt-spans.ts";
import "../../parts/waterfall.css";
import "./attempt-axis.css";

interface AxisRow {
  readonly attempt: Span;
  /** What was waited for before the first attempt, and after this one. */
  readonly waits: readonly Span[];
}

/** The rows of the axis: each attempt with the waits that follow it. Waits before all attempts belong to the first row. */
function axisRows(spans: readonly Span[]): readonly AxisRow[] {
  const attempts = attemptSpans(spans).toSorted((a, b) => a.startAt - b.startAt);
  const waits = spans.filter(({ kind }) => kind === "wait");
  return attempts.map((attempt, index) => {
    const from = index === 0 ? Number.NEGATIVE_INFINITY : attempt.startAt;
    const to = attempts[index + 1]?.startAt ?? Number.POSITIVE_INFINITY;
    return { attempt, waits: waits.filter(({ startAt }) => startAt >= from && startAt < to) };
  });
}

export interface AttemptAxisProps {
  readonly spans: readonly Span[];
  /** Waits that are not over are drawn up to now. */
  readonly label: string;
  readonly chosen?: string | null;
  readonly onChoose?: (span: Span) => void;
}

export function AttemptAxis({ spans, label, chosen = null, onChoose }: AttemptAxisProps): ReactNode {
  const now = useNow();
  const rows = axisRows(spans);
  const endOf = ({ startAt, endAt }: Span): number => endAt ?? Math.max(now, startAt);
  const all = rows.flatMap(({ attempt, waits }) => [attempt, ...waits]);
  const from = Math.min(...all.map(({ startAt }) => startAt));
  const to = Math.max(...all.map(endOf), from + 1);
  const place = (span: Span): { readonly left: string; readonly width: string } => ({
    left: `${((span.startAt - from) / (to - from)) * 100}%`,
    width: `${((endOf(span) - span.startAt) / (to - from)) * 100}%`,
  });
  if (rows.length === 0) return null;
  return (
    <ol className="axis" aria-label={label}>
      {rows.map((row, index) => (
        <AxisLine
          key={row.attempt.id}
          row={row}
          number={index + 1}
          place={place}
          lengthMs={endOf(row.attempt) - row.attempt.startAt}
          isChosen={chosen === row.attempt.id}
          {...(onChoose === undefined ? {} : { onChoose })}
        />
      ))}
    </ol>
  );
}

interface AxisLineProps {
  readonly row: AxisRow;
  readonly number: number;
  readonly place: (span: Span) => { readonly left: string; readonly width: string };
  readonly lengthMs: number;
  readonly isChosen: boolean;
  readonly onChoose?: (span: Span) => void;
}

function AxisLine({ row: { attempt, waits }, number, place, lengthMs, isChosen, onChoose }: AxisLineProps): ReactNode {
  const { duration } = useFormat();
  const who = attempt.tool === "" ? attempt.node : attempt.tool;
  const content = (
    <>
      <span className="axis-number num">{number}</span>
      <span className="axis-who one-line" title={who}>
        {who}
      </span>
      <span className="axis-track" aria-hidden="true">
        {[...waits, attempt].map((span) => (
          <i
            key={span.id}
            className={`waterfall-bar waterfall-${span.phase} tone-${toneOf(span.state.id)}`}
            style={place(span)}
          />
        ))}
      </span>
      <span className="num dim">{duration(lengthMs)}</span>
      <span className="visually-hidden">{attempt.says}</span>
    </>
  );
  return (
    <li aria-current={isChosen ? "true" : undefined}>
      {onChoose === undefined ? (
        <div className="axis-line">{content}</div>
      ) : (
        <button type="button" className="axis-line" onClick={() => onChoose(attempt)}>
          {content}
        </button>
      )}
      {attempt.decision === null ? null : <p className="axis-says">{attempt.decision.says}</p>}
    </li>
  );
}
