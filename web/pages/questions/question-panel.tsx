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
  readonly place: Ref<HTMLDivElement>;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

export function QuestionPanel({ question, place, onBack, onDone }: QuestionPanelProps): ReactNode {
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
      <QuestionForm question={question} onDone={onDone} />
      <Timeout question={question} />
      <AlsoLooking question={question} />
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
    within: "剩余时间：",
    stop: "。",
    comma: "、",
    looking: (names: string) => `${names} 也在查看此问题。`,
  },
});
