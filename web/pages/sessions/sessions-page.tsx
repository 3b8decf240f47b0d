// All sessions, newest first: the conversations and jobs of programs, and the runs of workflows.

import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, type Sent, useClient } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { ChoiceFilter, ClearFilters } from "../../parts/filters.tsx";
import { Page } from "../../parts/page.tsx";
import { StatePill } from "../../parts/pill.tsx";
import { HeadCells, Rows } from "../../parts/rows.tsx";
import { Empty } from "../../parts/states.tsx";
import "./sessions.css";

type Session = Answer<"listSessions">["items"][number];
type Query = NonNullable<Sent<"listSessions">["query"]>;
const STATUSES = ["open", "waiting", "done", "failed", "cancelled"] as const satisfies readonly Query["status"][];
const KINDS = ["run", "program"] as const satisfies readonly Query["kind"][];

export function SessionsPage(): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearchParams();
  const [chosen, setChosen] = useState<string | null>(null);
  const status = STATUSES.find((one) => one === search.get("status"));
  const kind = KINDS.find((one) => one === search.get("kind"));
  const list = useLongList<Session>({
    key: `sessions ${status ?? ""} ${kind ?? ""}`,
    idOf: ({ session }) => session,
    read: (cursor, signal) =>
      client.listSessions({
        query: {
          limit: 100,
          ...(status === undefined ? {} : { status }),
          ...(kind === undefined ? {} : { kind }),
          ...(cursor === null ? {} : { cursor }),
        },
        signal,
      }),
  });
  const isFiltered = status !== undefined || kind !== undefined;
  return (
    <Page title={words.title} says={words.says} filters={<Filter />}>
      <Rows
        list={list}
        label={words.title}
        rowHeight={44}
        idOf={({ session }) => session}
        chosen={chosen}
        onChoose={({ session }) => setChosen(session)}
        opensOnClick
        onOpen={({ session }) => void navigate({ to: "/sessions/$session", params: { session } })}
        head={
          <HeadCells
            titles={[
              [words.state],
              [words.session],
              [words.kind, "sessions-kind"],
              [words.entries, "num"],
              [words.started, "num"],
              [words.updated, "num"],
            ]}
          />
        }
        empty={
          <Empty title={isFiltered ? words.noneFiltered : words.none}>{isFiltered ? words.widen : words.begin}</Empty>
        }
      >
        {(session) => <SessionRow session={session} />}
      </Rows>
    </Page>
  );
}

function SessionRow({ session: line }: { readonly session: Session }): ReactNode {
  const words = useWords(WORDS);
  const { clock, age, count, dateTime } = useFormat();
  const now = useNow();
  const { session, state, isRun, startedAt, updatedAt, lastSeq } = line;
  return (
    <>
      <span role="gridcell">
        <StatePill state={state} />
      </span>
      <span role="gridcell" className="one-line">
        <Link to="/sessions/$session" params={{ session }} className="sessions-name">
          {session}
        </Link>
      </span>
      <span role="gridcell" className="sessions-kind one-line">
        {isRun ? (
          <Link to="/runs/$run" params={{ run: session }} className="link sessions-run">
            {words.run}
          </Link>
        ) : (
          <span className="dim">{words.program}</span>
        )}
      </span>
      <span role="gridcell" className="num sessions-entries">
        {count(lastSeq)}
      </span>
      <time
        role="gridcell"
        className="num sessions-started"
        dateTime={new Date(startedAt).toISOString()}
        title={dateTime(startedAt)}
      >
        {clock(startedAt)}
      </time>
      <time role="gridcell" className="num" dateTime={new Date(updatedAt).toISOString()} title={dateTime(updatedAt)}>
        {words.ago(age(Math.max(0, now - updatedAt)))}
      </time>
    </>
  );
}

function Filter(): ReactNode {
  const words = useWords(WORDS);
  const choices = STATUSES.map((id) => ({ id, label: words.statuses[id] }));
  return (
    <>
      <ChoiceFilter name="status" label={words.state} choices={choices} />
      <ChoiceFilter name="kind" label={words.kind} choices={KINDS.map((id) => ({ id, label: words.kinds[id] }))} />
      <ClearFilters names={["status", "kind"]} />
    </>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Sessions",
    says: "Every conversation, job and run in the journal. Open one to see its turns, calls and waits over time.",
    state: "State",
    session: "Session",
    kind: "Kind",
    entries: "Entries",
    started: "Started",
    updated: "Updated",
    run: "Run",
    program: "Program",
    kinds: { run: "runs of workflows", program: "programs" },
    statuses: { open: "open", waiting: "waiting", done: "completed", failed: "failed", cancelled: "cancelled" },
    ago: (age: string) => `${age} ago`,
    none: "No sessions yet",
    begin:
      "A session appears here when a program calls fl.session, when a run starts, or when an executor reports a failure.",
    noneFiltered: "No session matches these filters",
    widen: "Clear the filter to see every session.",
  },
  "zh-CN": {
    title: "会话",
    says: "日志中的所有对话、任务与运行。打开其中一个，可查看各轮、调用与等待的时间轴。",
    state: "状态",
    session: "会话",
    kind: "类型",
    entries: "条目",
    started: "开始",
    updated: "更新",
    run: "运行",
    program: "程序",
    kinds: { run: "工作流运行", program: "程序" },
    statuses: { open: "进行中", waiting: "等待中", done: "已完成", failed: "失败", cancelled: "已取消" },
    ago: (age: string) => `${age}前`,
    none: "还没有会话",
    begin: "程序调用 fl.session、运行开始或执行器报告故障时，会话会出现在这里。",
    noneFiltered: "没有符合条件的会话",
    widen: "清除筛选可查看所有会话。",
  },
});
