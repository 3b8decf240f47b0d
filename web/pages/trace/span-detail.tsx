// What is known about the span or step that is chosen: its times, its fault, the decision about it, and what it cost.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Facts, Quote } from "../../parts/page.tsx";
import { StatePill } from "../../parts/pill.tsx";
import type { Span, Step } from "./trace-rows.ts";

type FaultShown = NonNullable<Span["fault"]>;
type DecisionShown = NonNullable<Span["decision"]>;

export function SpanDetail({ span, startAt }: { readonly span: Span; readonly startAt: number }): ReactNode {
  const words = useWords(WORDS);
  const { duration, dateTime, money } = useFormat();
  const { state, says, endAt, until, deadlineAt, tool, attempt, costMicrocents, fault, decision } = span;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [words.started, `${dateTime(span.startAt)} (+${duration(span.startAt - startAt)})`],
    [words.took, endAt === null ? words.stillOpen : duration(endAt - span.startAt)],
    ...(until === null ? [] : [[words.until, dateTime(until)] as const]),
    ...(deadlineAt === null ? [] : [[words.deadline, dateTime(deadlineAt)] as const]),
    ...(tool === "" ? [] : [[words.target, tool] as const]),
    ...(attempt === 0 ? [] : [[words.attempt, String(attempt)] as const]),
    ...(costMicrocents === null ? [] : [[words.cost, money(costMicrocents)] as const]),
  ];
  return (
    <div className="trace-detail-body">
      <header>
        <StatePill state={state} />
        <h2>{span.kind === "wait" ? says : span.name}</h2>
      </header>
      <Facts rows={rows} />
      {fault === null ? null : <FaultDetail fault={fault} />}
      {decision === null ? null : <DecisionDetail decision={decision} />}
    </div>
  );
}

export function StepDetail({ step }: { readonly step: Step }): ReactNode {
  return (
    <div className="trace-detail-body">
      <header>
        <StatePill state={step.state} />
        <h2>{step.label === "" ? step.node : step.label}</h2>
      </header>
      <p>{step.says}</p>
      {step.fault === null ? null : <FaultDetail fault={step.fault} />}
    </div>
  );
}

function FaultDetail({ fault }: { readonly fault: FaultShown }): ReactNode {
  const words = useWords(WORDS);
  const { class: family, code, title, message, next, detail, hint, rule, excerpt, correlationId } = fault;
  return (
    <section>
      <h3>{words.fault}</h3>
      <p>
        <b>{title}</b> <code className="dim">{`${family}/${code}`}</code>
      </p>
      <p>{message}</p>
      <p className="dim">{next}</p>
      {hint === undefined ? null : <p className="dim">{hint}</p>}
      {detail === undefined || detail === "" ? null : <Quote label={words.detail}>{detail}</Quote>}
      {excerpt === undefined || excerpt === "" || excerpt === detail ? null : (
        <Quote label={words.excerpt}>{excerpt}</Quote>
      )}
      <p className="trace-ids">
        {rule === undefined ? null : (
          <span className="dim">
            {words.rule} <code>{rule}</code>
          </span>
        )}
        <Copy text={correlationId} />
      </p>
    </section>
  );
}

function DecisionDetail({ decision }: { readonly decision: DecisionShown }): ReactNode {
  const words = useWords(WORDS);
  const { says, why, row } = decision;
  return (
    <section>
      <h3>{words.decision}</h3>
      <p>
        <b>{says}</b>
      </p>
      {why.length === 0 ? null : (
        <ul className="trace-why">
          {why.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      <p className="dim">
        {words.row} <code>{`${row.layer} ${row.at}`}</code>
      </p>
    </section>
  );
}

const WORDS = wordTable({
  "en": {
    started: "Started",
    took: "Took",
    stillOpen: "still running",
    until: "Planned until",
    deadline: "Deadline",
    target: "Target",
    attempt: "Attempt",
    cost: "Cost",
    fault: "What failed",
    detail: "Message",
    excerpt: "What it said",
    rule: "Rule",
    decision: "Decision",
    row: "Policy row",
  },
  "zh-CN": {
    started: "开始",
    took: "耗时",
    stillOpen: "仍在进行",
    until: "计划至",
    deadline: "截止时间",
    target: "目标",
    attempt: "尝试",
    cost: "费用",
    fault: "故障",
    detail: "消息",
    excerpt: "原文",
    rule: "规则",
    decision: "决定",
    row: "策略行",
  },
});
