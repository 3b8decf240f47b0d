// Who did what, when, and with which key. For operators.

import { type ReactNode, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { type LongList, useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useClient } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceFilter, ClearFilters, TextFilter } from "../../parts/filters.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page } from "../../parts/page.tsx";
import { HeadCells, Rows } from "../../parts/rows.tsx";
import { SessionLink } from "../../parts/session-link.tsx";
import { Empty } from "../../parts/states.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { readAll, saveAsCsv, saveAsJson } from "./audit-export.ts";
import "../../parts/pill.css";
import "./audit.css";

export type AuditRecord = Answer<"listAudit">["items"][number];
type ReadAudit = (cursor: string | null, more?: { readonly signal: AbortSignal }) => Promise<Answer<"listAudit">>;

const ROW_HEIGHT = 44;
const PAGE_SIZE = 100;

export function AuditPage(): ReactNode {
  const words = useWords(WORDS);
  return useCanAct() ? (
    <AuditOfOperators />
  ) : (
    <Page title={words.title}>
      <Empty title={words.forOperators}>
        <p>{words.forOperatorsSays}</p>
      </Empty>
    </Page>
  );
}

function AuditOfOperators(): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const search = useSearchParams();
  const asked = Object.fromEntries(["by", "on"].flatMap((name) => one(name, search.get(name))));
  const read: ReadAudit = (cursor, more) =>
    client.listAudit({ query: { limit: PAGE_SIZE, ...asked, ...(cursor === null ? {} : { cursor }) }, ...more });
  const list = useLongList<AuditRecord>({
    key: `audit ${JSON.stringify(asked)}`,
    idOf: ({ id }) => id,
    read: (cursor, signal) => read(cursor, { signal }),
  });
  return (
    <Page
      title={words.title}
      says={words.says}
      aside={list.items.length === 0 ? null : <Export read={read} />}
      filters={<Filters records={list.items} />}
    >
      <AuditRows list={list} isFiltered={Object.keys(asked).length > 0} />
    </Page>
  );
}

function one(name: string, value: string | null): readonly (readonly [string, string])[] {
  return value === null ? [] : [[name, value]];
}

/** Exports every record that fits the filters, also those that the list has not read or no longer keeps. */
function Export({ read }: { readonly read: ReadAudit }): ReactNode {
  const words = useWords(WORDS);
  const { fail } = useToasts();
  const [isReading, setIsReading] = useState(false);
  const exportWith = (save: (records: readonly AuditRecord[]) => void): void => {
    if (isReading) return;
    setIsReading(true);
    readAll(read)
      .then(save, fail)
      .finally(() => setIsReading(false));
  };
  return (
    <>
      <Button isBusy={isReading} onClick={() => exportWith(saveAsJson)}>
        {words.json}
      </Button>
      <Button isBusy={isReading} onClick={() => exportWith(saveAsCsv)}>
        {words.csv}
      </Button>
    </>
  );
}

function Filters({ records }: { readonly records: readonly AuditRecord[] }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const by = search.get("by");
  const people = [...new Set([...records.map((record) => record.by), ...(by === null ? [] : [by])])].toSorted();
  return (
    <>
      <ChoiceFilter name="by" label={words.by} choices={people.map((name) => ({ id: name, label: name }))} />
      <TextFilter name="on" label={words.onExactly} isWhole />
      <ClearFilters names={["by", "on"]} />
    </>
  );
}

function AuditRows({
  list,
  isFiltered,
}: {
  readonly list: LongList<AuditRecord>;
  readonly isFiltered: boolean;
}): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  return (
    <div className="audit-list">
      <Rows
        list={list}
        label={words.title}
        rowHeight={ROW_HEIGHT}
        idOf={({ id }) => id}
        chosen={search.get("chosen")}
        onChoose={({ id }) => search.set({ chosen: id })}
        onOpen={({ on }) => search.set({ on }, { push: true })}
        head={<HeadCells titles={[[words.when], [words.by], [words.what], [words.on], [words.result], [words.key]]} />}
        empty={
          <Empty title={isFiltered ? words.noneMatch : words.none}>
            <p>{words.noneSays}</p>
          </Empty>
        }
      >
        {(record) => <AuditRow record={record} />}
      </Rows>
    </div>
  );
}

function AuditRow({ record }: { readonly record: AuditRecord }): ReactNode {
  const words = useWords(WORDS);
  const { clock, dateTime } = useFormat();
  const { at, by, what, says, said, refused, why, key } = record;
  return (
    <>
      <time role="gridcell" className="dim audit-when" dateTime={new Date(at).toISOString()} title={dateTime(at)}>
        {clock(at)}
      </time>
      <span role="gridcell" className="one-line audit-by">
        {by}
      </span>
      <span role="gridcell" className="audit-what">
        <span className="one-line">
          {says} <code className="dim">{what}</code>
        </span>
        {said === "" ? null : (
          <q className="one-line dim audit-said" title={said}>
            {said}
          </q>
        )}
      </span>
      <span role="gridcell" className="one-line audit-on">
        <WhatItWasDoneTo record={record} />
      </span>
      <span role="gridcell" className={refused === null ? "audit-result tone-green" : "audit-result tone-red"}>
        <Icon name={refused === null ? "completed" : "failed"} />
        <span className="one-line" title={refused === null ? undefined : why}>
          {refused === null ? words.done : words.refused(why)}
        </span>
      </span>
      <code role="gridcell" className="one-line dim audit-key" title={key}>
        {key}
      </code>
    </>
  );
}

/** A question is gone once it is answered: its run or session stays. */
function WhatItWasDoneTo({ record: { on, session, isRun } }: { readonly record: AuditRecord }): ReactNode {
  if (session === null) return on;
  return <SessionLink session={session} isRun={isRun} />;
}

const WORDS = wordTable({
  "en": {
    title: "Audit",
    says: "Everything that people and clients did, by whatever way it came in.",
    forOperators: "The audit log is for operators",
    forOperatorsSays: "Sign in with an operator's token to see who did what.",
    json: "Export JSON",
    csv: "Export CSV",
    when: "When",
    by: "Who",
    what: "What",
    on: "On",
    result: "Result",
    key: "Key",
    done: "Done",
    refused: (why: string) => `Refused: ${why}`,
    onExactly: "Exact id…",
    none: "Nothing was done by hand yet",
    noneMatch: "Nothing fits these filters",
    noneSays: "Actions on runs, answers to questions and changes to targets appear here with the name of the token.",
  },
  "zh-CN": {
    title: "审计",
    says: "人和客户端所做的一切，无论从哪里发起。",
    forOperators: "审计日志仅供操作员查看",
    forOperatorsSays: "请使用操作员令牌登录，以查看谁做了什么。",
    json: "导出 JSON",
    csv: "导出 CSV",
    when: "时间",
    by: "操作者",
    what: "操作",
    on: "对象",
    result: "结果",
    key: "幂等键",
    done: "已执行",
    refused: (why: string) => `被拒绝：${why}`,
    onExactly: "完整标识…",
    none: "还没有人工操作",
    noneMatch: "没有符合筛选条件的记录",
    noneSays: "对运行的操作、对问题的回答以及对目标的更改都会连同令牌名称显示在这里。",
  },
});
