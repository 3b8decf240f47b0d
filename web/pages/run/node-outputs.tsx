// What each visit of a node returned, as text. Short looks come with the run; the whole output of a node is read on demand.

import { type ReactNode, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Quote } from "../../parts/page.tsx";
import { StatePill } from "../../parts/pill.tsx";
import { ProblemState } from "../../parts/states.tsx";
import { textOfValue } from "./json-quote.tsx";
import { type Run, type Visit, visitKey } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./node-outputs.css";

export interface NodeOutputsProps {
  readonly run: Run;
  readonly chosen: string | null;
  readonly onChoose: (visit: Visit) => void;
}

/** Visits, newest first, with their times, cost and output. */
export function NodeOutputs({ run, chosen, onChoose }: NodeOutputsProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { duration, money } = useFormat();
  return (
    <ol className="visits" aria-label={words.visits}>
      {run.visits.toReversed().map((visit) => (
        <li key={visitKey(visit)} data-chosen={visitKey(visit) === chosen}>
          <button type="button" className="visit-line" onClick={() => onChoose(visit)}>
            <StatePill state={visit.state} nextAt={visit.nextAt} attempt={visit.attempt} of={visit.of} />
            <span className="visit-name one-line">
              <b>{visit.node}</b> {visit.execution > 1 ? `#${visit.execution}` : ""}{" "}
              <span className="dim">{visit.inherited ? words.inherited : visit.reason}</span>
            </span>
            <span className="visit-times num dim">
              {visit.spentMicrocents === 0 ? "" : `${money(visit.spentMicrocents)} · `}
              {visit.queuedMs + visit.waitedMs === 0
                ? ""
                : `${words.waited} ${duration(visit.queuedMs + visit.waitedMs)} · `}
              {duration(visit.workedMs)}
            </span>
          </button>
          {visit.output === undefined ? null : <Output run={run.run} visit={visit} />}
        </li>
      ))}
      {run.olderVisits === 0 ? null : <li className="tab-note">{words.olderVisits(run.olderVisits)}</li>}
    </ol>
  );
}

function Output({ run, visit }: { readonly run: string; readonly visit: Visit }): ReactNode {
  const words = useWords(RUN_WORDS);
  const [isWhole, showWhole] = useState(false);
  const canRead = useCanAct();
  const { data, error } = useRead(
    "showOutput",
    { params: { run }, query: { node: visit.node } },
    { enabled: isWhole && canRead },
  );
  const whole = data?.execution === visit.execution ? data.output : undefined;
  return (
    <details className="visit-output">
      <summary>{words.output}</summary>
      {error === null ? null : <ProblemState error={error} isInline />}
      <Quote label={`${words.output} ${visit.node}`}>{textOfValue(whole ?? visit.output)}</Quote>
      {isWhole || !canRead ? null : (
        <Button kind="quiet" onClick={() => showWhole(true)}>
          {words.wholeOutput}
        </Button>
      )}
    </details>
  );
}
