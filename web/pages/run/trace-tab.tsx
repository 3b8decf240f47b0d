// Every turn, call, attempt and wait of the run, or of one visit, over time.

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { Empty, Skeleton } from "../../parts/states.tsx";
import { type Run, type Span, spansOfVisit, useTrace, type Visit } from "./run-data.ts";
import { timeScale } from "./time-scale.ts";
import { Waterfall } from "./waterfall.tsx";
import { RUN_WORDS } from "./words.ts";
import "./trace-tab.css";

export interface TraceTabProps {
  readonly run: Run;
  readonly visit: Visit | null;
}

export function TraceTab({ run, visit }: TraceTabProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const now = useNow();
  const { duration } = useFormat();
  const { data } = useTrace(run.run);
  const [isWhole, setWhole] = useState(true);
  const [chosen, choose] = useState<Span | null>(null);
  if (data === undefined) return <Skeleton kind="rows" rows={8} />;
  const spans = isWhole ? data.spans : spansOfVisit(data.spans, visit);
  if (spans.length === 0) return <Empty title={words.nothingYet}>{words.nothingYetNext}</Empty>;
  const from = Math.min(...spans.map(({ startAt }) => startAt));
  const to = Math.max(...spans.map(({ endAt }) => endAt ?? now), from + 1);
  return (
    <div className="trace">
      <div className="tab-bar">
        {visit === null ? null : (
          <label className="tab-check">
            <input type="checkbox" checked={!isWhole} onChange={() => setWhole(!isWhole)} />
            {words.onlyNode(visit.node)}
          </label>
        )}
        <span className="dim num">{duration(to - from)}</span>
        <Link className="link" to="/sessions/$session" params={{ session: run.run }}>
          {words.wholeTrace}
        </Link>
      </div>
      {data.left === 0 ? null : <p className="tab-note">{words.olderSpans(data.left)}</p>}
      <div className="trace-body">
        <Waterfall
          {...{ spans, now, onChoose: choose, deadlineAt: data.deadlineAt }}
          scale={timeScale({ from, to })}
          label={words.tabs.trace}
          chosen={chosen?.id ?? null}
        />
      </div>
      {chosen === null ? null : <SpanFacts span={chosen} />}
    </div>
  );
}

function SpanFacts({ span }: { readonly span: Span }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { dateTime, duration } = useFormat();
  const parts = [
    span.kind === "wait" ? (words.waits[span.why ?? ""] ?? span.why) : (words.spanStatus[span.status] ?? span.status),
    dateTime(span.startAt),
    span.endAt === null ? "" : duration(span.endAt - span.startAt),
    span.until === null ? "" : `${words.until} ${dateTime(span.until)}`,
    span.fault?.title ?? "",
    span.decision?.says ?? "",
  ];
  return (
    <div className="trace-facts" role="status">
      <b>{span.name}</b> <span className="dim">{parts.filter(Boolean).join(" · ")}</span>
    </div>
  );
}
