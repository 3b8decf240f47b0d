// A run in the list: where it stands, what it is, why it stands there, and the way out.

import { memo, type ReactNode, useEffect, useState } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { ActionButtons } from "../../parts/actions.tsx";
import { CauseTag, StatePill } from "../../parts/pill.tsx";
import { RUNS_WORDS } from "./words.ts";

export type RunLine = Answer<"listRuns">["items"][number];

const MAX_NODES = 3;

export const RunRow = memo(function RunRow({ run }: { readonly run: RunLine }): ReactNode {
  const { money } = useFormat();
  const words = useWords(RUNS_WORDS);
  const { state, cause, reason, nodes, target, nextAt, attempt, of } = run;
  const continues = run.predecessor === null ? [] : [words.continues(run.predecessor)];
  const about = [run.workflow, ...nodes.slice(0, MAX_NODES), ...continues];
  return (
    <>
      <div role="gridcell" className="runs-state">
        <StatePill state={state} nextAt={nextAt} attempt={attempt} of={state.id === "retrying" ? of : 0} />
      </div>
      <div role="gridcell" className="runs-what">
        <p className="one-line" title={[run.run, ...about].join(" · ")}>
          <b>{run.run}</b> <span className="dim">{about.join(" · ")}</span>
        </p>
        <p className="one-line runs-reason" title={reason}>
          {reason}
        </p>
      </div>
      <div role="gridcell" className="runs-cause">
        <CauseTag cause={cause} />
        {target === null ? null : (
          <span className="runs-target one-line dim" title={target}>
            {target}
          </span>
        )}
      </div>
      <div role="gridcell" className="runs-cost num">
        {run.spentMicrocents === 0 ? "" : money(run.spentMicrocents)}
      </div>
      <div role="gridcell" className="runs-age num dim">
        <Age at={run.startedAt} />
      </div>
      <div role="gridcell" className="runs-do">
        {run.successor === null && state.id !== "completed" ? <Do run={run.run} /> : null}
      </div>
    </>
  );
});

function Age({ at }: { readonly at: number }): ReactNode {
  const now = useNow();
  const { age, dateTime } = useFormat();
  return (
    <time dateTime={new Date(at).toISOString()} title={dateTime(at)}>
      {age(now - at)}
    </time>
  );
}

/** A row that flies past asks for nothing. */
const RESTS_MS = 300;

/** The best action, asked for when the row has rested in view. The panel shows the same answer. */
function Do({ run }: { readonly run: string }): ReactNode {
  const canAct = useCanAct();
  const [isResting, setResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setResting(true), RESTS_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useRead("showRun", { params: { run } }, { enabled: isResting && canAct });
  return data?.run === run ? <ActionButtons run={run} actions={data.actions} kind="row" /> : null;
}
