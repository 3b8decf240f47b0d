// Questions that wait for a person, and their answers.

import { z } from "zod";
import type { openQuestionView } from "../../api/session-shapes.ts";
import { INTERACTIONS } from "../../core/flow/interaction.ts";
import { findQuestion, type OpenQuestion, questionsPage } from "../../journal/open-questions.ts";
import type { HandlersOf, Sender } from "../handler.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import { questionFor } from "../views.ts";

const place = z.strictObject({ at: z.number(), key: z.string() });

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
        ...(session === undefined ? {} : { session }),
        ...(after === undefined ? {} : { after }),
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
    async answerQuestion({ who, params: { question }, body }) {
      const found = await findQuestion(journal, question);
      if (found === null) throw new Refused(wasClosed(question) ? "question-closed" : "not-there");
      const { session, by } = found;
      if (by !== null || !(await workflows.runs.answer(question, body, who.name))) throw new Refused("question-closed");
      return { question, session, isRun: await isRun(session) };
    },
  };

  /** A run that has taken up its answer no longer keeps the question; its id says that there was one. */
  function wasClosed(id: string): boolean {
    return id.startsWith("q_");
  }

  async function questionNamed(id: string): Promise<OpenQuestion> {
    const found = await findQuestion(journal, id);
    if (found === null) throw new Refused("not-there");
    return found;
  }

  async function isRun(session: string): Promise<boolean> {
    return ((await journal.kept("run", session)) ?? null) !== null;
  }

  async function viewOf(
    question: OpenQuestion,
    { who, locale }: Pick<Sender, "who" | "locale">,
  ): Promise<z.output<typeof openQuestionView>> {
    const { id, session, by } = question;
    const { answer: wants, secret } = INTERACTIONS[question.payload.kind];
    return {
      ...questionFor(question, locale),
      ...{ isRun: await isRun(session), by, canAnswer: !secret, wants },
      alsoLooking: presence.others(id, who.name),
    };
  }
}
