// A session over time: the plan of a turn as a graph, and a waterfall of turns, calls, attempts and waits. What is chosen is explained
// beside it. Follows the session while it runs.

import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, ProblemState, Skeleton } from "../../parts/states.tsx";
import { timeScale } from "../../parts/time-scale.ts";
import { Waterfall } from "../../parts/waterfall.tsx";
import { WHOLE_WINDOW, ZoomButtons } from "../../parts/waterfall-zoom.tsx";
import { SpanDetail, StepDetail } from "./span-detail.tsx";
import { busyIn, rowsOf, type Trace, treeOf } from "./trace-rows.ts";
import { WORDS } from "./words.ts";
import "./trace.css";

const PlanGraph = lazy(() => import("./plan-graph.tsx"));

/** As many spans as are read at first, and at most. */
const [SOME_SPANS, ALL_SPANS] = [1_000, 5_000];

/** A larger plan takes too long to lay out, and nobody can read it. */
const MOST_STEPS = 150;

export interface TraceViewProps {
  readonly session: string;
  /** Only this turn. Default: the one in the address, or all. */
  readonly turn?: string;
}

export function TraceView({ session, turn }: TraceViewProps): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const [limit, setLimit] = useState(SOME_SPANS);
  const shown = turn ?? search.get("turn") ?? undefined;
  const query = { limit, ...(shown === undefined ? {} : { turn: shown }) };
  const { data, error, refetch } = useRead("traceSession", { params: { session }, query });
  if (data === undefined)
    return error === null ? <Skeleton kind="rows" /> : <ProblemState error={error} onRetry={() => void refetch()} />;
  if (data.spans.length === 0) return <Empty title={words.empty}>{words.emptyNext}</Empty>;
  return (
    <div className="trace">
      <TraceBody trace={data} />
      {data.left === 0 ? null : (
        <p className="trace-left">
          {words.left(data.left)}
          {limit < ALL_SPANS ? <Button onClick={() => setLimit(ALL_SPANS)}>{words.more(ALL_SPANS)}</Button> : null}
        </p>
      )}
    </div>
  );
}

function TraceBody({ trace }: { readonly trace: Trace }): ReactNode {
  const words = useWords(WORDS);
  const format = useFormat();
  const search = useSearchParams();
  const now = useNow();
  const [window, setWindow] = useState(WHOLE_WINDOW);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isIdleHidden = search.get("idle") === "hidden";
  const chosen = search.get("span");
  const choose = (id: string): void => search.set({ span: id === chosen ? null : id });

  const startAt = trace.startAt ?? now;
  const endAt = trace.endAt ?? Math.max(now, startAt);
  const tree = useMemo(() => treeOf(trace, words), [trace, words]);
  const time = trace.endAt ?? now;
  const rows = useMemo(
    () => rowsOf(tree, { toggled, now: time, startAt, format, words }),
    [tree, toggled, time, startAt, format, words],
  );
  const { axisEnd, line } = deadlineOf(trace, startAt, endAt);
  const scale = useMemo(
    () => timeScale({ startAt, endAt: axisEnd, window, ...(isIdleHidden ? { busy: busyIn(trace, time) } : {}) }),
    [startAt, axisEnd, window, isIdleHidden, trace, time],
  );
  const toggle = (id: string): void =>
    setToggled((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <>
      <Plan trace={trace} chosen={chosen} onChoose={choose} />
      <div className="trace-bar">
        <Legend />
        {line === null && trace.deadlineAt !== null ? (
          <span className="dim">{words.deadlineAt(format.clock(trace.deadlineAt))}</span>
        ) : null}
        <label className="trace-check">
          <input
            type="checkbox"
            checked={isIdleHidden}
            onChange={({ target }) => search.set({ idle: target.checked ? "hidden" : null })}
          />
          {words.hideIdle}
        </label>
        <ZoomButtons window={window} onWindow={setWindow} />
      </div>
      <div className="trace-split" data-detail={chosen === null ? "none" : "shown"}>
        <Waterfall
          label={words.waterfall}
          {...{ rows, scale, chosen, window }}
          line={line === null ? null : { at: line, says: words.deadline }}
          onChoose={choose}
          onToggle={toggle}
          onWindow={setWindow}
        />
        <Detail trace={trace} chosen={chosen} startAt={startAt} onClose={() => search.set({ span: null })} />
      </div>
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

interface ChosenProps {
  readonly trace: Trace;
  readonly chosen: string | null;
}

/** The plan of the newest turn that has one. */
function Plan({ trace, chosen, onChoose }: ChosenProps & { readonly onChoose: (id: string) => void }): ReactNode {
  const words = useWords(WORDS);
  const { nodes, edges } = trace.graph;
  const turn = nodes.at(-1)?.turn;
  const shown = nodes.filter((node) => node.turn === turn);
  if (shown.length < 2) return null;
  if (shown.length > MOST_STEPS) return <p className="trace-left">{words.largePlan(shown.length)}</p>;
  const ids = new Set(shown.map(({ id }) => id));
  return (
    <Suspense fallback={<Skeleton kind="text" rows={3} />}>
      <PlanGraph nodes={shown} edges={edges.filter(({ to }) => ids.has(to))} chosen={chosen} onChoose={onChoose} />
    </Suspense>
  );
}

function Detail({
  trace,
  chosen,
  startAt,
  onClose,
}: ChosenProps & { readonly startAt: number; readonly onClose: () => void }): ReactNode {
  const words = useWords(WORDS);
  if (chosen === null) return null;
  const [node, execution] = chosen.startsWith("visit:") ? chosen.slice(6).split("#") : [];
  const span =
    trace.spans.find(({ id }) => id === chosen) ??
    trace.spans.findLast(
      (one) => one.kind === "turn" && one.node === node && String(one.execution) === (execution ?? ""),
    );
  const step = trace.graph.nodes.find(({ id }) => `step:${id}` === chosen);
  return (
    <aside className="trace-detail" aria-label={words.detail}>
      <Button kind="quiet" className="trace-close" onClick={onClose}>
        {words.close}
      </Button>
      {span !== undefined ? <SpanDetail span={span} startAt={startAt} /> : null}
      {step !== undefined ? <StepDetail step={step} /> : null}
      {span === undefined && step === undefined ? <p className="dim">{words.notShown}</p> : null}
    </aside>
  );
}

function Legend(): ReactNode {
  const words = useWords(WORDS);
  return (
    <ul className="trace-legend" aria-label={words.legend}>
      {(["work", "wait", "queue"] as const).map((phase) => (
        <li key={phase}>
          <i className={`waterfall-bar waterfall-${phase} tone-green`} aria-hidden="true" />
          {words.phases[phase]}
        </li>
      ))}
    </ul>
  );
}
