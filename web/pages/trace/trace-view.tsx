// A session over time: the plan of a turn as a graph, and a waterfall of turns, calls, attempts and waits. What is chosen is explained
// beside it. Follows the session while it runs.

import { lazy, type ReactNode, Suspense, useState } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Pending, Skeleton } from "../../parts/states.tsx";
import { SpanDetail, StepDetail } from "./span-detail.tsx";
import { nodeVisit, SOME_SPANS, type Trace, useTrace } from "./trace-rows.ts";
import { TraceWaterfall } from "./trace-waterfall.tsx";
import { WORDS } from "./words.ts";

const PlanGraph = lazy(() => import("./plan-graph.tsx"));

/** As many spans as are read at most. */
const ALL_SPANS = 5_000;

/** A larger plan takes too long to lay out and is unreadable. */
const MOST_STEPS = 150;

export function TraceView({ session }: { readonly session: string }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const [limit, setLimit] = useState(SOME_SPANS);
  const read = useTrace(session, { limit, turn: search.get("turn") });
  const chosen = search.get("span");
  const choose = (id: string): void => search.set({ span: id === chosen ? null : id });
  const { data } = read;
  if (data === undefined) return <Pending read={read} kind="rows" />;
  if (data.spans.length === 0) return <Empty title={words.empty}>{words.emptyNext}</Empty>;
  return (
    <div className="trace">
      <Plan trace={data} chosen={chosen} onChoose={choose} />
      <TraceWaterfall
        trace={data}
        chosen={chosen}
        onChoose={choose}
        detail={
          chosen === null ? null : <Detail trace={data} chosen={chosen} onClose={() => search.set({ span: null })} />
        }
      />
      {data.left === 0 ? null : (
        <p className="trace-left">
          {words.left(data.left)}
          {limit < ALL_SPANS ? <Button onClick={() => setLimit(ALL_SPANS)}>{words.more(ALL_SPANS)}</Button> : null}
        </p>
      )}
    </div>
  );
}

interface PlanProps {
  readonly trace: Trace;
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

/** The plan of the newest turn that has one. */
function Plan({ trace, chosen, onChoose }: PlanProps): ReactNode {
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

interface DetailProps {
  readonly trace: Trace;
  readonly chosen: string;
  readonly onClose: () => void;
}

function Detail({ trace, chosen, onClose }: DetailProps): ReactNode {
  const words = useWords(WORDS);
  const visit = nodeVisit(chosen);
  const span =
    trace.spans.find(({ id }) => id === chosen) ??
    trace.spans.findLast((one) => one.kind === "turn" && `${one.node}#${one.execution}` === visit);
  const step = trace.graph.nodes.find(({ id }) => `step:${id}` === chosen);
  return (
    <aside className="trace-detail" aria-label={words.detail}>
      <Button kind="quiet" className="trace-close" onClick={onClose}>
        {words.close}
      </Button>
      {span !== undefined ? <SpanDetail span={span} startAt={trace.startAt ?? span.startAt} /> : null}
      {step !== undefined ? <StepDetail step={step} /> : null}
      {span === undefined && step === undefined ? <p className="dim">{words.notShown}</p> : null}
    </aside>
  );
}
