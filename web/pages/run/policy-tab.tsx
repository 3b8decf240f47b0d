// The policy row behind each decision, why nothing else was done, and the retries that the row allows.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Facts } from "../../parts/page.tsx";
import { Empty, Skeleton } from "../../parts/states.tsx";
import { type Span, useTrace } from "../trace/trace-rows.ts";
import { type Decision, type Run, spansOfVisit, type Visit, visitName } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";

/** Every decision of the run, or those of the visit that was chosen. */
export function PolicyTab({ run, visit }: { readonly run: Run; readonly visit: Visit | null }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { data: trace } = useTrace(run.run);
  const { data: policy } = useRead("showPolicy", {});
  if (trace === undefined) return <Skeleton kind="rows" rows={4} />;
  const decided = spansOfVisit(trace.spans, visit)
    .filter(({ decision }) => decision !== null)
    .toReversed();
  const about = visit === null ? words.aboutRun : words.aboutVisit(visitName(visit));
  if (decided.length === 0)
    return (
      <Empty title={visit === null ? words.noDecision : words.noDecisionIn(visitName(visit))}>
        {words.noDecisionNext}
      </Empty>
    );
  return (
    <>
      <p className="tab-note">{about}</p>
      {decided.map((span) => (
        <Decided key={span.id} span={span} rows={policy?.rows ?? []} />
      ))}
    </>
  );
}

type PolicyRow = Answer<"showPolicy">["rows"][number];

function Decided({ span, rows }: { readonly span: Span; readonly rows: readonly PolicyRow[] }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock } = useFormat();
  const { decision, fault } = span;
  if (decision === null) return null;
  const surface = String(fault?.context?.["surface"] ?? "");
  const row = rows.find(
    ({ origin, match }) =>
      origin.layer === decision.row.layer &&
      origin.at === decision.row.at &&
      (match.surface === undefined || match.surface.includes(surface)),
  );
  return (
    <section className="section policy-decision">
      <header>
        <h3>{words.attemptNamed(span.attempt, placeOf(span))}</h3>
        <span className="dim num">{clock(span.endAt ?? span.startAt)}</span>
      </header>
      <p>
        {fault === null ? null : <span className="dim">{fault.title} → </span>}
        <b>{decision.says}</b>
      </p>
      <Facts rows={factsOf(decision, row, words)} />
      {row === undefined || row.waits.length === 0 ? null : <Schedule row={row} chosen={decision.attempt ?? 0} />}
    </section>
  );
}

/** The node, and whom it asked. */
function placeOf({ node, execution, tool }: Span): string {
  const names = [node === "" ? "" : visitName({ node, execution }), tool === node ? "" : tool];
  return names.filter((name) => name !== "").join(" · ");
}

function factsOf(
  decision: Decision,
  row: PolicyRow | undefined,
  words: (typeof RUN_WORDS)["en"],
): readonly (readonly [string, ReactNode])[] {
  const { why, leftSays, serverWait } = decision;
  return [
    [words.policyRow, <code key="row">{`${decision.row.layer} · ${decision.row.at}`}</code>],
    ...(row === undefined ? [] : [[words.matches, row.matches] as const]),
    ...(serverWait === true ? [[words.waitFrom, words.serverNamedIt] as const] : []),
    ...(why.length === 0
      ? []
      : [
          [
            words.whyNothingElse,
            <ul key="why">
              {why.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>,
          ] as const,
        ]),
    ...(leftSays.length === 0 ? [] : [[words.leftToTry, leftSays.join(" → ")] as const]),
  ];
}

/** The waits that the row plans between its attempts. */
function Schedule({ row, chosen }: { readonly row: PolicyRow; readonly chosen: number }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { duration } = useFormat();
  return (
    <table className="run-table">
      <caption>{words.schedule(row.maxAttempts)}</caption>
      <thead>
        <tr>
          <th scope="col">{words.attempt}</th>
          <th scope="col" className="num">
            {words.waitBefore}
          </th>
          <th scope="col" className="num">
            {words.atMostInAll}
          </th>
        </tr>
      </thead>
      <tbody>
        {row.waits.map(({ attempt, minMs, maxMs, totalMaxMs }) => (
          <tr key={attempt} aria-current={attempt === chosen ? "step" : undefined}>
            <td>{attempt}</td>
            <td className="num">{minMs === maxMs ? duration(maxMs) : `${duration(minMs)} – ${duration(maxMs)}`}</td>
            <td className="num">{duration(totalMaxMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
