// The failures of a group, newest first, each with what was decided about it and whether that worked.

import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { useLongList } from "../../app/long-list.ts";
import { type Answer, useClient } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/page.tsx";
import { Rows } from "../../parts/rows.tsx";
import { SessionLink } from "../../parts/session-link.tsx";
import "./groups.css";

type Occurrence = Answer<"listFaults">["items"][number];

const ROW_HEIGHT = 46;

export function Occurrences({ fingerprint }: { readonly fingerprint: string }): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const navigate = useNavigate();
  const [chosen, choose] = useState<string | null>(null);
  const list = useLongList<Occurrence>({
    key: `faults ${fingerprint}`,
    idOf,
    read: (cursor, signal) =>
      client.listFaults({ params: { fingerprint }, query: cursor === null ? {} : { cursor }, signal }),
  });
  const open = ({ session, isRun }: Occurrence): void =>
    void (isRun
      ? navigate({ to: "/runs/$run", params: { run: session } })
      : navigate({ to: "/sessions/$session", params: { session } }));
  return (
    <Section title={words.title}>
      <div className="group-occurrences">
        <Rows
          list={list}
          label={words.title}
          rowHeight={ROW_HEIGHT}
          idOf={idOf}
          chosen={chosen}
          onChoose={(one) => choose(idOf(one))}
          opensOnClick
          onOpen={open}
          empty={<p className="dim">{words.none}</p>}
        >
          {(one) => <OccurrenceRow one={one} />}
        </Rows>
      </div>
    </Section>
  );
}

function idOf({ session, seq }: Occurrence): string {
  return `${session}/${seq}`;
}

function OccurrenceRow({ one }: { readonly one: Occurrence }): ReactNode {
  const words = useWords(WORDS);
  const { clock, dateTime } = useFormat();
  const { at, session, isRun, call, says, worked, message } = one;
  return (
    <>
      <time role="gridcell" className="num dim" dateTime={new Date(at).toISOString()} title={dateTime(at)}>
        {clock(at)}
      </time>
      <span role="gridcell" className="groups-what">
        <span className="one-line">
          <SessionLink className="groups-title" session={session} isRun={isRun} />
          <span className="dim"> {call === "" ? words.node : call}</span>
        </span>
        <span className="one-line groups-example">{message ?? words.hidden}</span>
      </span>
      <span role="gridcell" className="group-decided">
        <span>{says}</span>
        <Worked worked={worked} />
      </span>
    </>
  );
}

function Worked({ worked }: { readonly worked: boolean | null }): ReactNode {
  const words = useWords(WORDS);
  if (worked === null) return <span className="dim">{words.unknown}</span>;
  return (
    <span className={worked ? "group-worked tone-green" : "group-worked tone-red"}>
      <Icon name={worked ? "completed" : "failed"} />
      {worked ? words.worked : words.failed}
    </span>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Failures",
    none: "The failures of this group were removed from the journal.",
    node: "the node itself",
    hidden: "Operators see the failure's own words.",
    worked: "worked",
    failed: "did not work",
    unknown: "result not known",
  },
  "zh-CN": {
    title: "失败记录",
    none: "此分组的失败已从日志中移除。",
    node: "节点本身",
    hidden: "操作员可以看到失败原文。",
    worked: "有效",
    failed: "无效",
    unknown: "结果未知",
  },
});
