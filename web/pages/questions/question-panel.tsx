// One question: what is asked, where it comes from, what happens without an answer, who else is looking, and the form.

import type { ReactNode, Ref } from "react";
import { useFormat } from "../../app/format.ts";
import { useRead } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/page.tsx";
import { Countdown } from "../../parts/pill.tsx";
import { titleAndRest } from "../../../src/core/flow/question-title.ts";
import { Prose } from "../../parts/prose.tsx";
import { SessionLink } from "../../parts/session-link.tsx";
import { type OpenQuestion, QuestionForm } from "./question-form.tsx";

export interface QuestionPanelProps {
  readonly question: OpenQuestion;
  /** It is no longer listed: it was answered, or its time is over. */
  readonly isClosed: boolean;
  /** Goes to a question that is still open; null while this one is, or when there is none. */
  readonly onNext: (() => void) | null;
  readonly place: Ref<HTMLDivElement>;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

export function QuestionPanel({ question, isClosed, onNext, place, onBack, onDone }: QuestionPanelProps): ReactNode {
  const words = useWords(WORDS);
  const { dateTime } = useFormat();
  const { id, askedAt, title, tool } = question;
  const [asked, rest] = titleAndRest(question.prompt);
  return (
    <section className="question-panel" aria-label={words.label} ref={place} tabIndex={-1} data-question={id}>
      <div className="question-back">
        <Button kind="quiet" onClick={onBack}>
          <Icon name="back" /> {words.back}
        </Button>
      </div>
      <h2 className="question-prompt">{asked}</h2>
      {rest === "" ? null : <Prose text={rest} />}
      {isClosed ? (
        <p className="question-note">{words.closed}</p>
      ) : (
        <>
          <QuestionForm question={question} onDone={onDone} />
          <Timeout question={question} />
          <AlsoLooking question={question} />
        </>
      )}
      {onNext === null ? null : (
        <div className="question-buttons">
          <Button onClick={onNext}>{words.next}</Button>
        </div>
      )}
      <Facts
        rows={[
          [
            question.isRun ? words.run : words.session,
            <SessionLink key="source" session={question.session} isRun={question.isRun} />,
          ],
          ...(title === null ? [] : [[words.fault, title] as const]),
          ...(tool === undefined ? [] : [[words.tool, <code key="tool">{tool}</code>] as const]),
          [words.asked, dateTime(askedAt)],
        ]}
      />
    </section>
  );
}

const LOOK_EVERY_MS = 8_000;

/** Tells the others that this person looks at the question, and shows who else does. */
function AlsoLooking({ question: { id, alsoLooking } }: Pick<QuestionPanelProps, "question">): ReactNode {
  const words = useWords(WORDS);
  const { data } = useRead("lookAtQuestion", { params: { question: id } }, { everyMs: LOOK_EVERY_MS });
  const names = data?.alsoLooking ?? alsoLooking;
  return (
    <p className="question-presence" role="status">
      {names.length === 0 ? "" : words.looking(names.join(words.comma), names.length)}
    </p>
  );
}

/** What happens without an answer, and when. */
function Timeout({ question: { expiresAt, atTimeout, by } }: Pick<QuestionPanelProps, "question">): ReactNode {
  const words = useWords(WORDS);
  if (by !== null) return null;
  return (
    <p className="question-timeout">
      <Icon name="waiting" />
      <span>
        {expiresAt === null ? null : (
          <>
            {words.within}
            <Countdown until={expiresAt} />
            {words.stop}
          </>
        )}
        {atTimeout}
      </span>
    </p>
  );
}

const WORDS = wordTable({
  "en": {
    label: "The chosen question",
    back: "All questions",
    run: "Run",
    session: "Session",
    fault: "Because of",
    tool: "Tool",
    asked: "Asked",
    closed: "This question no longer waits: it was answered, or its time was over.",
    next: "Next question",
    within: "Time left: ",
    stop: ". ",
    comma: ", ",
    looking: (names: string, count: number) => `${names} ${count === 1 ? "is" : "are"} looking at this too.`,
  },
  "zh-CN": {
    label: "所选问题",
    back: "全部问题",
    run: "运行",
    session: "会话",
    fault: "原因",
    tool: "工具",
    asked: "提出时间",
    closed: "此问题不再等待答复：已有人答复，或已超时。",
    next: "下一个问题",
    within: "剩余时间：",
    stop: "。",
    comma: "、",
    looking: (names: string) => `${names} 也在查看此问题。`,
  },
});
