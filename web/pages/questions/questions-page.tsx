// The inbox: every question that waits for a person, the oldest first. j and k move, Enter goes to the form.

import { type ReactNode, useRef, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { useNow } from "../../app/clock.ts";
import { useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useClient } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Page } from "../../parts/page.tsx";
import { Badge, Countdown } from "../../parts/pill.tsx";
import { titleAndRest } from "../../../src/core/flow/question-title.ts";
import { Rows } from "../../parts/rows.tsx";
import { Empty } from "../../parts/states.tsx";
import type { OpenQuestion } from "./question-form.tsx";
import { QuestionPanel } from "./question-panel.tsx";
import "./questions-page.css";

const ROW_HEIGHT = 54;

export function QuestionsPage(): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const search = useSearchParams();
  const list = useLongList<OpenQuestion>({
    key: "questions",
    read: (cursor, signal) => client.listQuestions({ query: cursor === null ? {} : { cursor }, signal }),
    idOf: ({ id }) => id,
  });
  const asked = search.get("question");
  // Answered ones stay listed until their session has read the answer.
  const open = list.items.find(({ by }) => by === null);
  const named = list.items.find(({ id }) => id === asked);
  // A question stays until the person chooses another one: otherwise the next one would appear under the mouse, with its "Yes" in the same
  // place, and a second click would answer it unread.
  const [seen, setSeen] = useState<OpenQuestion | null>(null);
  const still = named === undefined && seen !== null ? (list.items.find(({ id }) => id === seen.id) ?? seen) : null;
  const chosen = list.items.length === 0 ? null : (named ?? still ?? open ?? list.items[0] ?? null);
  if (chosen?.id !== seen?.id) setSeen(chosen);
  const isClosed = chosen !== null && !list.items.some(({ id }) => id === chosen.id);
  const next = chosen !== null && (isClosed || chosen.by !== null) ? open : undefined;
  const panel = useRef<HTMLDivElement>(null);
  const isNarrowOpen = asked !== null;
  const choose = ({ id }: OpenQuestion): void => search.set({ question: id });
  const focusForm = (): void => {
    const first = panel.current?.querySelector<HTMLElement>("form input, form select, form textarea, button.primary");
    (first ?? panel.current)?.focus();
  };
  return (
    <Page title={words.title} says={list.items.length === 0 ? undefined : words.says}>
      <div className="questions" data-open={isNarrowOpen}>
        <Rows
          list={list}
          label={words.title}
          rowHeight={ROW_HEIGHT}
          idOf={({ id }) => id}
          chosen={chosen?.id ?? null}
          onChoose={choose}
          onOpen={(question) => {
            choose(question);
            requestAnimationFrame(focusForm);
          }}
          empty={<Empty title={words.none}>{words.noneNext}</Empty>}
        >
          {(question) => <QuestionRow question={question} />}
        </Rows>
        {chosen === null ? null : (
          <QuestionPanel
            key={chosen.id}
            question={chosen}
            isClosed={isClosed}
            onNext={next === undefined ? null : () => choose(next)}
            place={panel}
            onBack={() => search.set({ question: null })}
            onDone={() => {
              search.set({ question: null });
              list.refresh();
            }}
          />
        )}
      </div>
    </Page>
  );
}

function QuestionRow({ question }: { readonly question: OpenQuestion }): ReactNode {
  const words = useWords(WORDS);
  const { age } = useFormat();
  const now = useNow();
  const { prompt, session, title, askedAt, expiresAt, by, alsoLooking } = question;
  const others = alsoLooking.length === 0 ? "" : words.looking(alsoLooking.join(", "));
  return (
    <>
      <div className="questions-text" role="gridcell">
        <b className="one-line">{titleAndRest(prompt)[0]}</b>
        <span className="dim one-line">{[session, title ?? "", others].filter((part) => part !== "").join(" · ")}</span>
      </div>
      <div className="questions-time num dim" role="gridcell">
        <span>{words.asked(age(now - askedAt))}</span>
        {by !== null ? (
          <Badge tone="green">{words.answered}</Badge>
        ) : expiresAt === null ? null : (
          <span>
            {words.left} <Countdown until={expiresAt} />
          </span>
        )}
      </div>
    </>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Needs you",
    says: "Work that waits for a person, the oldest first.",
    none: "Nothing needs you",
    noneNext:
      "When a run asks for an approval, a choice, an input or a sign-in, its question appears here. You can answer it here, in the terminal, or over the API.",
    asked: (age: string) => `asked ${age} ago`,
    left: "time left",
    answered: "Answered",
    looking: (names: string) => `seen by ${names} now`,
  },
  "zh-CN": {
    title: "待处理",
    says: "等待人处理的工作，最早的在前。",
    none: "没有待处理的事项",
    noneNext: "当运行需要批准、选择、输入或登录时，问题会出现在这里。可以在此处、终端或通过 API 答复。",
    asked: (age: string) => `${age}前提出`,
    left: "剩余",
    answered: "已答复",
    looking: (names: string) => `${names} 正在查看`,
  },
});
