// Questions that wait for a person, and their answers.

import { z } from "zod";
import type { openQuestionView } from "../../api/session-shapes.ts";
import { INTERACTIONS } from "../../core/flow/interaction.ts";
import { findQuestion, type OpenQuestion, questionsPage } from "../../journal/open-questions.ts";
import type { HandlersOf } from "../asked.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import type { Identity } from "../tokens.ts";
import { questionFor } from "../views.ts";

const place = z.strictObject({ at: z.number(), key: z.string() });

export function questionHandlers({
  journal,
  workflows,
  lookers,
}: ServerParts): HandlersOf<"listQuestions" | "showQuestion" | "lookAtQuestion" | "answerQuestion"> {
  return {
    async listQuestions({ who, query: { limit, cursor, session } }) {
      const after = fromCursor(cursor, place);
      const { questions, next } = await questionsPage(journal, {
        limit,
        ...(session === undefined ? {} : { session }),
        ...(after === undefined ? {} : { after }),
      });
      return {
        items: questions.map((question) => viewOf(question, who)),
        next: next === null ? null : toCursor({ ...next }),
      };
    },
    async showQuestion({ who, params: { question } }) {
      return viewOf(await questionNamed(question), who);
    },
    async lookAtQuestion({ who: { name }, params: { question } }) {
      const { id } = await questionNamed(question);
      lookers.note(id, name);
      return { alsoLooking: lookers.others(id, name) };
    },
    async answerQuestion({ who, params: { question }, body }) {
      const found = await findQuestion(journal, question);
      // A run that has taken up its answer no longer keeps the question.
      if (found === null) throw new Refused(question.startsWith("q_") ? "question-closed" : "not-there");
      const { session, by } = found;
      if (by !== null || !(await workflows.runs.answer(question, body, who.name))) throw new Refused("question-closed");
      const isRun = ((await journal.kept("run", session)) ?? null) !== null;
      return { question, session, isRun };
    },
  };

  async function questionNamed(id: string): Promise<OpenQuestion> {
    const found = await findQuestion(journal, id);
    if (found === null) throw new Refused("not-there");
    return found;
  }

  function viewOf(question: OpenQuestion, { name }: Identity): z.output<typeof openQuestionView> {
    const { answer: wants, secret } = INTERACTIONS[question.payload.kind];
    const alsoLooking = lookers.others(question.id, name);
    return { ...questionFor(question), by: question.by, canAnswer: !secret, wants, alsoLooking };
  }
}
