// Questions that wait for a person, and their answers.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { openQuestionView } from "../../api/sessions.ts";
import { INTERACTIONS } from "../../core/flow/interaction.ts";
import { auditOf } from "../../journal/audit.ts";
import { findQuestion, type OpenQuestion, questionsPage } from "../../journal/open-questions.ts";
import type { HandlersOf } from "../handler.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import { isRun, type ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import { questionFor, type Reader } from "../views.ts";

const place = z.strictObject({ at: z.number(), key: z.string() });

/** More acts of one person on one question are not looked through. */
const MAX_ACTS = 20;

export function questionHandlers({
  journal,
  workflows,
  presence,
}: ServerParts): HandlersOf<"listQuestions" | "showQuestion" | "lookAtQuestion" | "answerQuestion"> {
  return {
    async listQuestions({ query: { limit, cursor, session }, who, locale }) {
      const after = fromCursor(cursor, place);
      const { questions, next } = await questionsPage(journal, {
        limit,
        ...defined({ session, after }),
      });
      const items = await Promise.all(questions.map((question) => viewOf(question, { who, locale })));
      return { items, next: next === null ? null : toCursor({ ...next }) };
    },
    async showQuestion({ params: { question }, who, locale }) {
      return viewOf(await questionNamed(question), { who, locale });
    },
    async lookAtQuestion({ who: { name }, params: { question } }) {
      const found = await findQuestion(journal, question);
      // A page looks at a question until it hears that the question was answered: that is not a mistake.
      if (found === null && !wasClosed(question)) throw new Refused("not-there");
      if (found !== null) presence.note(question, name);
      return { alsoLooking: presence.others(question, name) };
    },
    async answerQuestion({ who, params: { question }, body, intend }) {
      const request = { isFirst: false };
      const session = await intend(async () => {
        request.isFirst = true;
        const found = await findQuestion(journal, question);
        if (found === null) throw new Refused(wasClosed(question) ? "question-closed" : "not-there");
        if (found.by !== null) throw new Refused("question-closed");
        return found.session;
      });
      // A server that died while it answered may have done it: then this request has its result.
      const isDone = !request.isFirst && (await wasAnsweredBy(question, who.name));
      if (!isDone && !(await workflows.runs.answer(question, body, who.name))) throw new Refused("question-closed");
      return { question, session, isRun: await isRun(journal, session) };
    },
  };

  /** A run that has used its answer no longer keeps the question; its id shows that there was one. */
  function wasClosed(id: string): boolean {
    return id.startsWith("q_");
  }

  /** The question is gone once its run has used the answer; the audit log still knows who gave it. */
  async function wasAnsweredBy(question: string, name: string): Promise<boolean> {
    const found = await findQuestion(journal, question);
    if (found !== null) return found.by === name;
    const acts = await auditOf(journal, { on: question, by: name, limit: MAX_ACTS });
    return acts.some(({ what, refused }) => what === "question.answer" && refused === null);
  }

  async function questionNamed(id: string): Promise<OpenQuestion> {
    const found = await findQuestion(journal, id);
    if (found === null) throw new Refused("not-there");
    return found;
  }

  async function viewOf(question: OpenQuestion, { who, locale }: Reader): Promise<Shaped<typeof openQuestionView>> {
    const { id, session, by } = question;
    const { answer: wants, secret } = INTERACTIONS[question.payload.kind];
    return {
      ...questionFor(question, locale),
      isRun: await isRun(journal, session),
      by,
      canAnswer: !secret,
      wants,
      alsoLooking: presence.others(id, who.name),
    };
  }
}
