// A trace as a waterfall, with its legend, the part of the time in view, and what is left out.

import { type ReactNode, useMemo, useState } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { Check } from "../../parts/check.tsx";
import { Empty } from "../../parts/states.tsx";
import { timeScale } from "../../parts/time-scale.ts";
import { Waterfall } from "../../parts/waterfall.tsx";
import { WHOLE_WINDOW, ZoomButtons } from "../../parts/waterfall-zoom.tsx";
import { busyIn, rowsOf, type Trace, treeOf, troubleIn } from "./trace-rows.ts";
import { WORDS } from "./words.ts";
import "./trace.css";

export interface TraceWaterfallProps {
  readonly trace: Trace;
  /** A span, a step or a visit. */
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
  /** Stands beside the rows. */
  readonly detail?: ReactNode;
}

export function TraceWaterfall({ trace, chosen, onChoose, detail = null }: TraceWaterfallProps): ReactNode {
  const words = useWords(WORDS);
  const format = useFormat();
  const search = useSearchParams();
  const now = useNow();
  const [window, setWindow] = useState(WHOLE_WINDOW);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isIdleHidden = search.get("idle") === "hidden";
  const onlyErrors = search.get("errors") === "only";

  const startAt = trace.startAt ?? now;
  const time = trace.endAt ?? now;
  const tree = useMemo(() => treeOf(onlyErrors ? troubleIn(trace) : trace, words), [trace, words, onlyErrors]);
  const rows = useMemo(
    () => rowsOf(tree, { toggled, now: time, startAt, format, words }),
    [tree, toggled, time, startAt, format, words],
  );
  const { axisEnd, line } = deadlineOf(trace, startAt, Math.max(time, startAt));
  const scale = useMemo(
    () => timeScale({ startAt, endAt: axisEnd, window, ...(isIdleHidden ? { busy: busyIn(trace, time) } : {}) }),
    [startAt, axisEnd, window, isIdleHidden, trace, time],
  );
  const toggle = (id: string): void =>
    setToggled((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <>
      <div className="trace-bar">
        <Legend />
        {line === null && trace.deadlineAt !== null ? (
          <span className="dim trace-deadline">{words.deadlineAt(format.clock(trace.deadlineAt))}</span>
        ) : null}
        <Check
          name={words.hideIdle}
          isOn={isIdleHidden}
          onChange={(on) => search.set({ idle: on ? "hidden" : null })}
        />
        <Check
          name={words.onlyErrors}
          isOn={onlyErrors}
          onChange={(on) => search.set({ errors: on ? "only" : null })}
        />
        <ZoomButtons window={window} onWindow={setWindow} />
      </div>
      {rows.length === 0 ? (
        <Empty title={words.noTrouble}>{words.noTroubleNext}</Empty>
      ) : (
        <div className="trace-split" data-detail={detail === null ? "none" : "shown"}>
          <Waterfall
            label={words.waterfall}
            {...{ rows, scale, chosen, window, onChoose }}
            line={line === null ? null : { at: line, says: words.deadline }}
            onToggle={toggle}
            onWindow={setWindow}
          />
          {detail}
        </div>
      )}
    </>
  );
}

/** The deadline is drawn when it is near; one that is far away would leave no room for what happened. */
function deadlineOf(
  { deadlineAt }: Trace,
  startAt: number,
  endAt: number,
): { readonly axisEnd: number; readonly line: number | null } {
  const long = Math.max(endAt - startAt, 1);
  if (deadlineAt === null || deadlineAt < startAt || deadlineAt > endAt + long) return { axisEnd: endAt, line: null };
  return { axisEnd: Math.max(endAt, deadlineAt + long * 0.02), line: deadlineAt };
}

function Legend(): ReactNode {
  const words = useWords(WORDS);
  return (
    <ul className="trace-legend" aria-label={words.legend}>
      {(["work", "wait", "queue"] as const).map((phase) => (
        <li key={phase}>
          <i className={`waterfall-bar waterfall-swatch waterfall-${phase} tone-grey`} aria-hidden="true" />
          {words.phases[phase]}
        </li>
      ))}
    </ul>
  );
}
