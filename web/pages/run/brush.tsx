// The whole time of a run in small. Drag over it to look at a part; the two handles do the same from the keyboard.

import { type PointerEvent, type ReactNode, useRef } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { attemptSpans, type Span, toneOfSpan } from "./run-data.ts";
import type { Interval, TimeScale } from "./time-scale.ts";
import { RUN_WORDS } from "./words.ts";

const STEPS = 1_000;
/** A shorter drag is a click, and shows everything again. */
const LEAST = 0.005;
/** More bars than pixels say nothing. */
const MAX_BARS = 600;

export interface BrushProps {
  readonly spans: readonly Span[];
  readonly scale: TimeScale;
  readonly now: number;
  /** The part that is shown, from 0 to 1. */
  readonly part: Interval;
  readonly onChange: (part: Interval) => void;
}

export function Brush({ spans, scale, now, part, onChange }: BrushProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock } = useFormat();
  const began = useRef<number | null>(null);
  const placeOf = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const drag = (event: PointerEvent): void => {
    if (began.current === null) return;
    const at = placeOf(event);
    if (Math.abs(at - began.current) >= LEAST)
      onChange({ from: Math.min(began.current, at), to: Math.max(began.current, at) });
  };
  const handle = (label: string, value: number, change: (to: number) => Interval): ReactNode => (
    <input
      type="range"
      min={0}
      max={STEPS}
      value={Math.round(value * STEPS)}
      aria-label={label}
      aria-valuetext={clock(scale.timeAt(value))}
      onPointerDown={(event) => event.stopPropagation()}
      onChange={({ target }) => onChange(change(Number(target.value) / STEPS))}
    />
  );
  return (
    <div
      className="brush"
      role="group"
      aria-label={words.brush}
      onPointerDown={(event) => {
        began.current = placeOf(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onPointerUp={() => void (began.current = null)}
    >
      <BrushBars spans={spans} scale={scale} now={now} />
      <div className="brush-part" style={{ left: `${part.from * 100}%`, width: `${(part.to - part.from) * 100}%` }} />
      {handle(words.from, part.from, (to) => ({ from: Math.min(to, part.to - LEAST), to: part.to }))}
      {handle(words.to, part.to, (to) => ({ from: part.from, to: Math.max(to, part.from + LEAST) }))}
    </div>
  );
}

function BrushBars({ spans, scale, now }: Pick<BrushProps, "spans" | "scale" | "now">): ReactNode {
  const place = (from: number, to: number): { readonly left: string; readonly width: string } => ({
    left: `${scale.at(from) * 100}%`,
    width: `${(scale.at(to) - scale.at(from)) * 100}%`,
  });
  return (
    <div className="brush-bars" aria-hidden="true">
      {scale.cuts.map(({ from, to }) => (
        <i key={from} className="brush-cut" style={place(from, to)} />
      ))}
      {attemptSpans(spans)
        .slice(-MAX_BARS)
        .map((span) => (
          <i
            key={span.id}
            className="axis-bar"
            data-tone={toneOfSpan(span)}
            style={place(span.startAt, span.endAt ?? Math.max(now, span.startAt))}
          />
        ))}
    </div>
  );
}
