// One group of failures: how often it happens, what helped, what it cost, why these failures are one group, and what to do about its runs.

import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useKeys } from "../../app/keys.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useSearchParams } from "../../app/search-params.ts";
import { useNow } from "../../app/clock.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Page, Quote, Section } from "../../parts/page.tsx";
import { Pending } from "../../parts/states.tsx";
import { BulkDialog, useBulkDialog } from "./bulk-dialog.tsx";
import { BulkList } from "./bulk-list.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { GroupCost, GroupHelped, GroupShared } from "./group-facts.tsx";
import { GroupTrend, useTrendRange } from "./group-trend.tsx";
import { Occurrences } from "./occurrences.tsx";
import "./group.css";

export type GroupReport = Answer<"showFaultGroup">;

export function GroupPage(): ReactNode {
  const words = useWords(WORDS);
  const { fingerprint } = useParams({ from: "/groups/$fingerprint" });
  const read = useRead("showFaultGroup", { params: { fingerprint }, query: useTrendRange().query });
  const canAct = useCanAct();
  const bulk = useSearchParams().get("bulk");
  const dialog = useBulkDialog();
  useKeys([{ keys: "b", says: words.act, does: dialog.open }]);
  const { data } = read;
  if (data === undefined)
    return (
      <Page title={words.group} says={<Path />}>
        <Pending read={read} kind="page" />
      </Page>
    );
  return (
    <Page
      title={data.title}
      says={<Path group={data} />}
      aside={
        <Button kind={canAct ? "primary" : "plain"} keyHint="b" onClick={dialog.open}>
          {canAct ? words.act : words.preview}
        </Button>
      }
    >
      {dialog.isOpen ? <BulkDialog fingerprint={fingerprint} /> : null}
      <div className="group-columns">
        <div className="group-main">
          <Figures group={data} />
          {bulk === null ? null : <BulkProgress key={bulk} bulk={bulk} />}
          <GroupTrend trend={data.trend} />
          <Occurrences fingerprint={fingerprint} />
        </div>
        <GroupAside group={data} />
      </div>
    </Page>
  );
}

function Path({ group }: { readonly group?: GroupReport }): ReactNode {
  const words = useWords(WORDS);
  return (
    <span className="group-path">
      <Link className="link" to="/groups">
        {words.groups}
      </Link>
      {group === undefined ? null : (
        <>
          <span className="cause">{group.code}</span>
          <span>{group.class}</span>
          <span>{group.tool}</span>
        </>
      )}
    </span>
  );
}

function Figures({ group }: { readonly group: GroupReport }): ReactNode {
  const words = useWords(WORDS);
  const { count, age, dateTime, money } = useFormat();
  const now = useNow();
  const { sessions, firstAt, lastAt, cost } = group;
  const figures = [
    [words.failures, count(group.count), ""],
    [words.sessions, count(sessions), ""],
    [words.last, words.ago(age(now - lastAt)), dateTime(lastAt)],
    [words.first, words.ago(age(now - firstAt)), dateTime(firstAt)],
    [words.cost, money(cost.microcents), ""],
  ] as const;
  return (
    <dl className="group-figures">
      {figures.map(([name, value, more]) => (
        <div key={name} title={more}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function GroupAside({ group }: { readonly group: GroupReport }): ReactNode {
  const words = useWords(WORDS);
  const { message, next, operator, example, fingerprint } = group;
  return (
    <aside className="group-aside" aria-label={words.about}>
      <Section title={words.what}>
        <p>{message}</p>
        {group.follows ? <p>{words.follows}</p> : null}
        {example === undefined ? null : <Quote label={words.example}>{example}</Quote>}
      </Section>
      <Section title={words.next}>
        <p>{operator ?? next}</p>
      </Section>
      <GroupHelped group={group} />
      <GroupCost group={group} />
      <GroupShared group={group} />
      <Section title={words.bulk}>
        <BulkList fingerprint={fingerprint} />
      </Section>
    </aside>
  );
}

const WORDS = wordTable({
  "en": {
    group: "Fault group",
    groups: "Fault groups",
    about: "About this group",
    act: "Act on its runs…",
    preview: "Preview an action…",
    failures: "Failures",
    sessions: "Sessions",
    last: "Last seen",
    first: "First seen",
    cost: "Cost",
    ago: (age: string) => `${age} ago`,
    what: "What happens",
    example: "The newest failure in its own words",
    next: "What to do",
    bulk: "Bulk actions",
    follows:
      "These calls were refused because of other failures, so nothing was tried. The overview does not count them as failures.",
  },
  "zh-CN": {
    group: "故障分组",
    groups: "故障分组",
    about: "关于此分组",
    act: "对其运行执行操作…",
    preview: "预览操作…",
    failures: "失败次数",
    sessions: "会话",
    last: "最近出现",
    first: "首次出现",
    cost: "费用",
    ago: (age: string) => `${age}前`,
    what: "发生了什么",
    example: "最近一次失败的原文",
    next: "该怎么做",
    bulk: "批量操作",
    follows: "这些调用因其他失败而被拒绝，没有实际执行。总览不会将其计为失败。",
  },
});
