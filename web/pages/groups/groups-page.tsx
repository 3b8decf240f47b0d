// Failures of the same kind as groups, the one with the newest failure first; and the bulk actions taken on such groups.

import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { type LongList, useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useClient } from "../../app/server.tsx";
import { useNow } from "../../app/clock.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { ClearFilters } from "../../parts/filters.tsx";
import { Page } from "../../parts/page.tsx";
import { HeadCells, Rows } from "../../parts/rows.tsx";
import { Empty } from "../../parts/states.tsx";
import { Switch } from "../../parts/switch.tsx";
import { BulkList } from "./bulk-list.tsx";
import { GROUP_FILTERS, GroupFilters } from "./group-filters.tsx";
import { Sparkline } from "./sparkline.tsx";
import "./groups.css";

export type Group = Answer<"listFaultGroups">["items"][number];

const ROW_HEIGHT = 54;
const PAGE_SIZE = 50;

export function GroupsPage(): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const isBulk = search.get("view") === "bulk";
  const list = useGroups();
  return (
    <Page
      title={words.title}
      says={words.says}
      aside={
        <Switch
          name="view"
          label={words.views}
          choices={[
            ["groups", words.groups],
            ["bulk", words.bulk],
          ]}
        />
      }
      {...(isBulk ? {} : { filters: <GroupFilters groups={list.items} /> })}
    >
      {isBulk ? (
        <BulkList fingerprint={null} />
      ) : (
        <div className="groups-list">
          <GroupRows list={list} />
        </div>
      )}
    </Page>
  );
}

function useGroups(): LongList<Group> {
  const client = useClient();
  const search = useSearchParams();
  const asked = { q: search.get("q"), code: search.get("code"), tool: search.get("tool") };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));
  return useLongList({
    key: `groups ${JSON.stringify(given)}`,
    idOf: ({ fingerprint }) => fingerprint,
    read: (cursor, signal) =>
      client.listFaultGroups({
        query: { limit: PAGE_SIZE, ...given, ...(cursor === null ? {} : { cursor }) },
        signal,
      }),
  });
}

function GroupRows({ list }: { readonly list: LongList<Group> }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const navigate = useNavigate();
  const isFiltered = GROUP_FILTERS.some((name) => search.get(name) !== null);
  return (
    <Rows
      list={list}
      label={words.title}
      rowHeight={ROW_HEIGHT}
      idOf={({ fingerprint }) => fingerprint}
      chosen={search.get("chosen")}
      onChoose={({ fingerprint }) => search.set({ chosen: fingerprint })}
      opensOnClick
      onOpen={({ fingerprint }) => void navigate({ to: "/groups/$fingerprint", params: { fingerprint } })}
      head={
        <HeadCells
          titles={[
            [words.what],
            [words.cause],
            [words.trend],
            [words.count, "num"],
            [words.sessions, "num groups-sessions"],
            [words.last, "num"],
          ]}
        />
      }
      empty={
        isFiltered ? (
          <Empty title={words.noneMatch}>
            <ClearFilters names={GROUP_FILTERS} />
          </Empty>
        ) : (
          <Empty title={words.none}>
            <p>{words.noneSays}</p>
          </Empty>
        )
      }
    >
      {(group) => <GroupRow group={group} />}
    </Rows>
  );
}

function GroupRow({ group }: { readonly group: Group }): ReactNode {
  const words = useWords(WORDS);
  const { count, age, dateTime } = useFormat();
  const now = useNow();
  const { fingerprint, title, tool, code, message, example, trend, sessions, firstAt, lastAt } = group;
  return (
    <>
      <span role="gridcell" className="groups-what">
        <span className="one-line">
          <Link to="/groups/$fingerprint" params={{ fingerprint }} className="groups-title">
            {title}
          </Link>
          <span className="dim"> {tool}</span>
          {group.follows ? <span className="dim"> · {words.follows}</span> : null}
        </span>
        <span className="one-line groups-example">{example ?? message}</span>
      </span>
      <span role="gridcell" className="groups-cause">
        <span className="cause one-line" title={group.class}>
          {code}
        </span>
      </span>
      <span role="gridcell" className="groups-trend">
        <Sparkline trend={trend} />
      </span>
      <span role="gridcell" className="num groups-count">
        {count(group.count)}
        <span className="groups-unit">{words.times}</span>
      </span>
      <span role="gridcell" className="num groups-sessions">
        {count(sessions)}
      </span>
      <span role="gridcell" className="num groups-last" title={words.firstAndLast(dateTime(firstAt), dateTime(lastAt))}>
        <span>{age(now - lastAt)}</span>
        <span className="groups-first dim">{words.since(age(now - firstAt))}</span>
      </span>
    </>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Fault groups",
    says: "Failures with the same cause at the same place. A group counts root failures, not what they caused further up.",
    views: "Views",
    groups: "Groups",
    bulk: "Bulk actions",
    what: "What and where",
    cause: "Code",
    trend: "Last 24 hours",
    count: "Failures",
    times: "×",
    sessions: "Sessions",
    last: "Last · first",
    since: (age: string) => `first ${age} ago`,
    firstAndLast: (first: string, last: string) => `First seen ${first}, last seen ${last}`,
    none: "Nothing has failed yet",
    noneSays: "A failure of a tool, a model, an agent or a stage appears here as soon as it is recorded.",
    noneMatch: "No group fits these filters",
    follows: "follows from other failures",
  },
  "zh-CN": {
    title: "故障分组",
    says: "同一位置、同一原因的失败归为一组。只计根本失败，不计由它引起的上层失败。",
    views: "视图",
    groups: "分组",
    bulk: "批量操作",
    what: "故障与位置",
    cause: "代码",
    trend: "最近 24 小时",
    count: "次数",
    times: " 次",
    sessions: "会话",
    last: "最近 · 首次",
    since: (age: string) => `首次 ${age}前`,
    firstAndLast: (first: string, last: string) => `首次出现 ${first}，最近出现 ${last}`,
    none: "还没有失败",
    noneSays: "工具、模型、智能体或阶段的失败一经记录，就会显示在这里。",
    noneMatch: "没有符合筛选条件的分组",
    follows: "由其他失败引起",
  },
});
