// A run on a page of its own: on the left everything over time, on the right what is chosen.

import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { CauseTag, StatePill } from "../../parts/pill.tsx";
import { ProblemState, Skeleton } from "../../parts/states.tsx";
import { nodeVisit, type Trace, useTrace } from "../trace/trace-rows.ts";
import { TraceWaterfall } from "../trace/trace-waterfall.tsx";
import { CopyReport } from "./copy-report.tsx";
import { NodeOutputs } from "./node-outputs.tsx";
import { type Run, useRun, visitInFocus, visitKey } from "./run-data.ts";
import { RunGraph } from "./run-graph.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { Split } from "./split.tsx";
import { StageStrip } from "./stage-strip.tsx";
import { RUN_WORDS } from "./words.ts";
import "./run-page.css";

const route = getRouteApi("/runs/$run");

export function RunPage(): ReactNode {
  const { run } = route.useParams();
  const { data: kept, error, refetch } = useRun(run);
  const data = kept?.run === run ? kept : undefined;
  if (data === undefined && error !== null) return <ProblemState error={error} onRetry={() => void refetch()} />;
  return (
    <div className="run-page">
      <RunHead run={run} data={data ?? null} />
      {data === undefined ? (
        <Split left={<Skeleton kind="rows" rows={10} />} right={<Skeleton kind="rows" rows={6} />} />
      ) : (
        <Split left={<Over run={data} />} right={<RunTabs run={data} />} />
      )}
    </div>
  );
}

function RunHead({ run, data }: { readonly run: string; readonly data: Run | null }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock, duration, money } = useFormat();
  return (
    <header className="run-page-head">
      <div className="run-page-title">
        <h1 className="one-line">{run}</h1>
        {data === null ? null : (
          <>
            <StatePill state={data.state} nextAt={data.nextAt} />
            <CauseTag cause={data.cause} />
          </>
        )}
        <div className="run-page-aside">
          {data === null ? null : <Successor run={data} />}
          <CopyReport run={run} />
        </div>
      </div>
      {data === null ? (
        <Skeleton kind="text" rows={1} />
      ) : (
        <p className="run-page-facts dim">
          <span>
            {data.workflow} {data.version}
          </span>
          <span>
            {words.started} {clock(data.startedAt)}
          </span>
          {data.endedAt === null ? null : (
            <span>
              {words.runtime} {duration(data.endedAt - data.startedAt)}
            </span>
          )}
          <span>{money(data.spentMicrocents)}</span>
          <Copy text={data.run} label={words.copyId} />
        </p>
      )}
    </header>
  );
}

/** The runs before and after this one. */
function Successor({ run: { predecessor, successor } }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  return (
    <>
      {predecessor === null ? null : (
        <Link className="link" to="/runs/$run" params={{ run: predecessor }}>
          {words.before} {predecessor}
        </Link>
      )}
      {successor === null ? null : (
        <Link className="link" to="/runs/$run" params={{ run: successor }}>
          {words.after} {successor}
        </Link>
      )}
    </>
  );
}

/** Everything over time, and the choice of a part of it. */
function Over({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const search = useSearchParams();
  const { data: trace } = useTrace(run.run);
  const visit = visitInFocus(run, search.get("visit"));
  const chosen = visit === null ? null : visitKey(visit);
  const chooseNode = (node: string): void => {
    const newest = run.visits.findLast((one) => one.node === node);
    if (newest !== undefined) search.set({ visit: visitKey(newest), attempt: null });
  };
  return (
    <>
      <div className="run-page-strip">
        <StageStrip nodes={run.graph.nodes} chosen={visit?.node ?? null} onChoose={chooseNode} />
      </div>
      <Section title={words.timeline}>
        <div className="bleed">
          {trace === undefined || trace.session !== run.run ? (
            <Skeleton kind="rows" rows={6} />
          ) : (
            <OverTime trace={trace} />
          )}
        </div>
      </Section>
      <Section title={words.graph}>
        <div className="bleed">
          <RunGraph graph={run.graph} chosen={visit?.node ?? null} onChoose={chooseNode} />
        </div>
      </Section>
      <Section title={words.visits}>
        <div className="bleed">
          <NodeOutputs
            run={run}
            chosen={chosen}
            onChoose={(one) => search.set({ visit: visitKey(one), attempt: null })}
          />
        </div>
      </Section>
    </>
  );
}

/** A row chooses its visit, and an attempt of it. */
function OverTime({ trace }: { readonly trace: Trace }): ReactNode {
  const search = useSearchParams();
  const choose = (row: string): void => {
    const span = trace.spans.find(({ id }) => id === row);
    const visit = nodeVisit(row) ?? (span === undefined || span.node === "" ? null : visitKey(span));
    search.set({ visit, attempt: span?.id ?? null });
  };
  return (
    <div className="run-page-time">
      <TraceWaterfall trace={trace} chosen={search.get("attempt")} onChoose={choose} />
    </div>
  );
}
