// The four questions about a run, in this order: what happened, why, what was tried, and what to do.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { Countdown } from "../../parts/pill.tsx";
import { Skeleton } from "../../parts/states.tsx";
import { type Span, useTrace } from "../trace/trace-rows.ts";
import { targetsIn } from "../trace/call-targets.ts";
import { AttemptAxis } from "./attempt-axis.tsx";
import { Do } from "./do.tsx";
import { Earlier, Evidence } from "./evidence.tsx";
import { type Decision, type Fault, type Run, spansOfVisit, type Visit, visitName } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./summary.css";

export interface SummaryProps {
  readonly run: Run;
  readonly visit: Visit | null;
  /** A person chose the visit; otherwise it is the one in focus. */
  readonly isChosen: boolean;
  /** A chosen attempt: its own failure is shown, if it has one. */
  readonly attempt: Span | null;
}

export function Summary({ run, visit, isChosen, attempt }: SummaryProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { data: trace } = useTrace(run.run);
  const spans = trace === undefined ? null : spansOfVisit(trace.spans, visit);
  const fault = attempt?.fault ?? visit?.fault ?? run.fault;
  return (
    <>
      <Section title={words.what}>
        <What run={run} visit={visit} fault={fault} />
      </Section>
      {fault === null ? null : (
        <Section title={words.why}>
          <Evidence fault={fault} />
          {attempt === null ? <Earlier spans={spans ?? []} shown={fault} /> : null}
        </Section>
      )}
      <Section title={words.so} aside={visit === null ? null : <span className="dim">{visitName(visit)}</span>}>
        {spans === null ? <Skeleton kind="text" rows={3} /> : <So run={run} visit={visit} spans={spans} />}
      </Section>
      <Do run={run} />
      <Section title={words.details}>
        <Details
          run={run}
          visit={visit}
          isChosen={isChosen}
          fault={fault}
          group={groupOf(attempt, spans ?? [])}
          spans={spans ?? []}
        />
      </Section>
    </>
  );
}

function What({
  run,
  visit,
  fault,
}: {
  readonly run: Run;
  readonly visit: Visit | null;
  readonly fault: Fault | null;
}): ReactNode {
  return (
    <div className="summary-what">
      <p>{run.message}</p>
      {fault === null ? (
        visit === null || visit.reason === "" ? null : (
          <p className="dim">
            {visit.node}: {visit.reason}
          </p>
        )
      ) : (
        <p>
          <b>{fault.title}</b>
          {visit?.target === null || visit === null ? null : <span className="dim"> · {visit.target}</span>}
          <br />
          {fault.message} {fault.next}
        </p>
      )}
    </div>
  );
}

/** What was tried, how long it took, and what comes next. */
function So({
  run,
  visit,
  spans,
}: {
  readonly run: Run;
  readonly visit: Visit | null;
  readonly spans: readonly Span[];
}): ReactNode {
  const words = useWords(RUN_WORDS);
  const { duration } = useFormat();
  const times = visit ?? null;
  return (
    <>
      <AttemptAxis spans={spans} label={words.attemptsOn(visit?.node ?? run.run)} />
      {times === null ? null : (
        <p className="axis-legend">
          {TIMES.map(({ phase, name }) => (
            <span key={name}>
              <i className={`waterfall-bar waterfall-swatch waterfall-${phase} tone-grey`} aria-hidden="true" />
              {words[name]} {duration(times[`${name}Ms`])}
            </span>
          ))}
        </p>
      )}
      <Next run={run} visit={visit} decision={spans.findLast(({ decision }) => decision !== null)?.decision ?? null} />
    </>
  );
}

const TIMES = [
  { phase: "queue", name: "queued" },
  { phase: "wait", name: "waited" },
  { phase: "work", name: "worked" },
] as const;

interface NextProps {
  readonly run: Run;
  readonly visit: Visit | null;
  readonly decision: Decision | null;
}

/** The one time at which it continues, as a clock and as a countdown, and who is asked then. */
function Next({ run, visit, decision }: NextProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock } = useFormat();
  const nextAt = visit?.nextAt ?? run.nextAt;
  if (nextAt === null) return null;
  const target = decision?.target ?? visit?.target ?? run.target;
  const [attempt, of] =
    decision?.maxAttempts === undefined
      ? [visit?.attempt ?? 0, visit?.of ?? 0]
      : [decision.attempt ?? 0, decision.maxAttempts];
  const isAsking = (visit ?? run).state.id === "asking";
  return (
    <p className="summary-next">
      <b>{isAsking ? words.answerUntil : words.nextAttempt}</b> {words.at} {clock(nextAt)} · {words.in}{" "}
      <Countdown until={nextAt} />
      {isAsking || target === null ? null : ` · ${target}`}
      {isAsking || of < 2 ? null : ` · ${words.ofAttempts(attempt, of)}`}
    </p>
  );
}

function Details({
  run,
  visit,
  isChosen,
  fault,
  group,
  spans,
}: {
  readonly run: Run;
  readonly visit: Visit | null;
  readonly isChosen: boolean;
  readonly fault: Fault | null;
  /** The group that counts the failure. */
  readonly group: string | null;
  readonly spans: readonly Span[];
}): ReactNode {
  const words = useWords(RUN_WORDS);
  const { money } = useFormat();
  const decision = spans.findLast((span) => span.decision !== null)?.decision ?? null;
  const rows: readonly (readonly [string, ReactNode] | null)[] = [
    fault === null || group === null ? null : [words.group, <GroupLink key="group" fingerprint={group} />],
    fault === null ? null : [words.correlation, <Copy key="id" text={fault.correlationId} />],
    ...Object.entries(fault?.requestIds ?? {}).map(
      ([name, id]) => [`${words.request} ${name}`, <Copy key={name} text={id} />] as const,
    ),
    visit === null || !isChosen ? null : [words.costOf(visitName(visit)), money(visit.spentMicrocents)],
    [isChosen ? words.costOfRun : words.cost, <CostOf key="cost" run={run} />],
    decision === null ? null : [words.policyRow, `${decision.row.layer} ${decision.row.at} → ${decision.recourse}`],
    visit === null ? null : [words.node, visitName(visit)],
    visit === null || visit.targets.length === 0 ? null : [words.target, targetsFor(visit, spans)],
    run.predecessor === null ? null : [words.before, <RunLink key="before" run={run.predecessor} />],
    run.successor === null ? null : [words.after, <RunLink key="after" run={run.successor} />],
  ];
  return <Facts rows={rows.filter((row) => row !== null)} />;
}

/** Those that it asked; before it asked any, those that it can ask. */
function targetsFor({ targets }: Visit, spans: readonly Span[]): string {
  const asked = targetsIn(spans);
  return asked.length === 0 ? targets.join(", ") : asked.join(", ");
}

/** The group of the attempt in view, or of what failed last. */
function groupOf(attempt: Span | null, spans: readonly Span[]): string | null {
  return attempt?.group ?? spans.findLast(({ group }) => group !== null)?.group ?? null;
}

function GroupLink({ fingerprint }: { readonly fingerprint: string }): ReactNode {
  const words = useWords(RUN_WORDS);
  return (
    <Link className="link" to="/groups/$fingerprint" params={{ fingerprint }} title={fingerprint}>
      {words.sameFailures}
    </Link>
  );
}

function RunLink({ run }: { readonly run: string }): ReactNode {
  return (
    <Link className="link" to="/runs/$run" params={{ run }}>
      {run}
    </Link>
  );
}

function CostOf({ run: { spending } }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { money, count } = useFormat();
  const { microcents, estimatedMicrocents, unpricedAttempts } = spending;
  const parts = [
    money(microcents),
    ...(estimatedMicrocents > 0 ? [words.estimated(money(estimatedMicrocents))] : []),
    ...(unpricedAttempts > 0 ? [words.unpriced(count(unpricedAttempts))] : []),
  ];
  return parts.join(", ");
}
