// Everything that happened in a run over time: every attempt of every node and call, with its waits. It can be zoomed, idle time can be
// drawn short, and what worked can be left out.

import { type ReactNode, useMemo, useState } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/states.tsx";
import { Brush } from "./brush.tsx";
import { attemptSpans, type Span, type Trace } from "./run-data.ts";
import { type Interval, timeScale } from "./time-scale.ts";
import { Waterfall } from "./waterfall.tsx";
import { RUN_WORDS } from "./words.ts";
import "./timeline.css";

const ALL: Interval = { from: 0, to: 1 };
/** Rows that show before the list scrolls. */
const MAX_ROWS = 14;
const ROW_PX = 26;

export interface TimelineProps {
  readonly trace: Trace;
  readonly chosen: string | null;
  readonly onChoose: (span: Span) => void;
}

export function Timeline({ trace, chosen, onChoose }: TimelineProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock } = useFormat();
  const search = useSearchParams();
  const now = useNow();
  const [part, setPart] = useState(ALL);
  const hidesIdle = search.get("idle") === "hide";
  const onlyErrors = search.get("errors") === "only";
  const spans = useMemo(() => (onlyErrors ? troubleIn(trace.spans) : trace.spans), [trace.spans, onlyErrors]);
  const all = intervalOf(trace.spans, now);
  const busy = hidesIdle ? busyTimes(trace.spans, now) : null;
  const whole = timeScale(all, busy);
  const view: Interval = { from: whole.timeAt(part.from), to: whole.timeAt(part.to) };
  const scale = timeScale(view, busy);
  return (
    <div className="timeline">
      <div className="tab-bar">
        <Switch name={words.hideIdle} isOn={hidesIdle} onChange={(on) => search.set({ idle: on ? "hide" : null })} />
        <Switch
          name={words.onlyErrors}
          isOn={onlyErrors}
          onChange={(on) => search.set({ errors: on ? "only" : null })}
        />
        <span className="timeline-range dim num">
          {clock(view.from)} – {clock(view.to)}
        </span>
        {part === ALL ? null : (
          <Button kind="quiet" onClick={() => setPart(ALL)}>
            {words.wholeTime}
          </Button>
        )}
      </div>
      <Brush spans={trace.spans} scale={whole} now={now} part={part} onChange={setPart} />
      {spans.length === 0 ? (
        <Empty title={words.noTrouble}>{words.noTroubleNext}</Empty>
      ) : (
        <div style={{ height: Math.min(spans.length, MAX_ROWS) * ROW_PX }}>
          <Waterfall
            {...{ spans, scale, now, chosen, onChoose }}
            label={words.timeline}
            deadlineAt={trace.deadlineAt}
          />
        </div>
      )}
      {trace.left === 0 ? null : <p className="tab-note">{words.olderSpans(trace.left)}</p>}
    </div>
  );
}

function Switch(props: {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): ReactNode {
  const { name, isOn, onChange } = props;
  return (
    <label className="tab-check">
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
      {name}
    </label>
  );
}

function intervalOf(spans: readonly Span[], now: number): Interval {
  const from = Math.min(...spans.map(({ startAt }) => startAt), now);
  return { from, to: Math.max(...spans.map(({ endAt }) => endAt ?? now), from + 1) };
}

/** When an attempt was under way. */
function busyTimes(spans: readonly Span[], now: number): readonly Interval[] {
  return attemptSpans(spans).map(({ startAt, endAt }) => ({ from: startAt, to: endAt ?? Math.max(now, startAt) }));
}

/** What failed, what it is part of, and the waits within it. */
function troubleIn(spans: readonly Span[]): readonly Span[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const kept = new Set<string>();
  for (const span of spans) {
    if (span.fault === null) continue;
    for (let at: Span | undefined = span; at !== undefined; at = byId.get(at.parent ?? "")) kept.add(at.id);
  }
  return spans.filter(({ id, kind, parent }) => kept.has(id) || (kind === "wait" && kept.has(parent ?? "")));
}
