// One run beside a list: what failed, why, what was tried, and the button that fixes it.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { CauseTag, StatePill } from "../../parts/pill.tsx";
import { ProblemState, Skeleton } from "../../parts/states.tsx";
import { type Run, useRun } from "./run-data.ts";
import { RunTabs } from "./run-tabs.tsx";
import { StageStrip, stagesDone } from "./stage-strip.tsx";
import { RUN_WORDS } from "./words.ts";
import "./run-panel.css";

export interface RunPanelProps {
  readonly run: string;
  readonly onClose: () => void;
}

export function RunPanel({ run, onClose }: RunPanelProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { data: kept, error, refetch } = useRun(run);
  // While another run is read, the one before it must not stand under the new name.
  const data = kept?.run === run ? kept : undefined;
  return (
    <section className="run-panel" aria-label={words.panel(run)}>
      <header className="run-panel-head">
        <div className="run-panel-title">
          <h2 className="run-name one-line">
            <Link to="/runs/$run" params={{ run }} title={words.openPage}>
              {run}
            </Link>
          </h2>
          <button type="button" className="icon-button" aria-label={words.close} title={words.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {data !== undefined ? <HeadFacts run={data} /> : error === null ? <Skeleton kind="text" rows={2} /> : null}
      </header>
      {data !== undefined ? (
        <RunTabs run={data} />
      ) : error === null ? (
        <div className="run-panel-wait">
          <Skeleton kind="text" rows={12} />
        </div>
      ) : (
        <ProblemState error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function HeadFacts({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock } = useFormat();
  const { nodes } = run.graph;
  return (
    <>
      <p className="run-panel-pills">
        <StatePill state={run.state} nextAt={run.nextAt} />
        <CauseTag cause={run.cause} />
      </p>
      <p className="dim one-line">
        {run.workflow} {run.version} · {words.started} {clock(run.startedAt)} ·{" "}
        {words.stages(stagesDone(nodes), nodes.length)}
      </p>
      <StageStrip nodes={nodes} />
    </>
  );
}
