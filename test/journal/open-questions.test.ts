// The questions that a journal keeps: listed oldest first, page by page, and only what is a question.

import { describe, expect, it } from "vitest";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Journal, Keep } from "../../src/journal/journal.ts";
import {
  answererOf,
  findQuestion,
  listQuestions,
  openQuestions,
  questionsPage,
  readQuestion,
} from "../../src/journal/open-questions.ts";

const question = (number: number, session = "s1"): Keep => ({
  kind: "question",
  key: `q${String(number).padStart(4, "0")}`,
  value: {
    id: `q${String(number).padStart(4, "0")}`,
    session,
    askedAt: 1_000 + number,
    expiresAt: 9_000_000,
    payload: { kind: "Confirm", prompt: "Go on?" },
  },
});
const ids = (...numbers: readonly number[]): readonly string[] =>
  numbers.map((number) => `q${String(number).padStart(4, "0")}`);
const idsOf = (questions: readonly { readonly id: string }[]): readonly string[] => questions.map(({ id }) => id);
const journalWith = async (...keeps: readonly Keep[]): Promise<Journal> => {
  const journal = createMemoryJournal();
  await journal.keep(keeps);
  return journal;
};
const MANY = [0, 1, 499, 500, 501, 1_000, 1_001];

describe("questions", () => {
  it.each([
    [{}, ids(1, 2, 3, 4)],
    [{ limit: 3 }, ids(1, 2, 3)],
    [{ limit: 0 }, []],
    [{ session: "s1" }, ids(1, 2, 4)],
    [{ session: "s1", limit: 2 }, ids(1, 2)],
    [{ after: { id: "q0002", askedAt: 1_002 } }, ids(3, 4)],
    [{ session: "s1", after: { id: "q0002", askedAt: 1_002 }, limit: 1 }, ids(4)],
  ])("are listed by %j, oldest first", async (filter, expected) => {
    const journal = await journalWith(question(4), question(2), question(3, "s2"), question(1));
    expect(idsOf(await listQuestions(journal, filter))).toEqual(expected);
  });

  it.each(MANY)("are all listed, if there are %i, each once", async (count) => {
    const journal = await journalWith(...Array.from({ length: count }, (_, number) => question(number)));
    const expected = ids(...Array.from({ length: count }, (_, number) => number));
    expect(idsOf(await listQuestions(journal, {}))).toEqual(expected);
    expect(idsOf(await listQuestions(journal, { limit: 700 }))).toEqual(expected.slice(0, 700));
    const { questions, unreadable } = await openQuestions(journal);
    expect([idsOf(questions), unreadable]).toEqual([expected, 0]);
  });

  it("come in pages that lead to each other, with who answered them, and what is no question is counted", async () => {
    const journal = await journalWith(
      ...[1, 2, 4].map((number) => question(number)),
      { kind: "question", key: "q0003", value: { askedAt: 1_003 } },
      { kind: "answer", key: "q0002", value: { by: "ada" } },
    );
    const first = await questionsPage(journal, { limit: 3 });
    expect([idsOf(first.questions), first.questions.map(({ by }) => by), first.unreadable]).toEqual([
      ids(1, 2),
      [null, "ada"],
      1,
    ]);
    const second = await questionsPage(journal, { limit: 3, ...(first.next === null ? {} : { after: first.next }) });
    expect([idsOf(second.questions), second.unreadable, second.next]).toEqual([ids(4), 0, null]);
    expect(await questionsPage(journal, { limit: 3, session: "s2" })).toEqual({
      questions: [],
      unreadable: 0,
      next: null,
    });
    expect(await openQuestions(journal)).toMatchObject({ unreadable: 1, questions: { length: 3 } });
  });

  it("are found by their id", async () => {
    const journal = await journalWith(question(1), question(2), {
      kind: "answer",
      key: "q0001",
      value: { status: "accepted" },
    });
    const told = await Promise.all(ids(1, 2, 3).map((id) => findQuestion(journal, id)));
    expect(told.map((one) => one?.by)).toEqual(["?", null, undefined]);
  });
});

describe("what a journal keeps as a question", () => {
  const whole = { session: "s", askedAt: 1, expiresAt: 2, payload: { kind: "Confirm", prompt: "Go on?" } };
  const select = (options: unknown): object => ({ ...whole, payload: { kind: "Select", prompt: "Which?", options } });

  it.each<[string, unknown, boolean]>([
    ["a whole one", whole, true],
    ["one of a newer kind", { ...whole, payload: { kind: "Draw", prompt: "a cat" } }, true],
    ["one with choices", select([{ id: "a" }, {}]), true],
    ["one without any choice", select([]), true],
    ["one with a choice that is none", select([{ id: "a" }, null]), false],
    ["one without choices", select(undefined), false],
    ["one whose choices are no list", select({ length: 0 }), false],
    ["one without a session", { ...whole, session: 7 }, false],
    ["one without the time it was asked", { ...whole, askedAt: "1" }, false],
    ["one without an end", { ...whole, expiresAt: Infinity }, false],
    ["one without a payload", { ...whole, payload: null }, false],
    ["one without a kind", { ...whole, payload: { prompt: "Go on?" } }, false],
    ["one without words", { ...whole, payload: { kind: "Confirm" } }, false],
    ["a text", "Go on?", false],
    ["nothing", null, false],
  ])("is one if it is whole: %s", (_what, value, isOne) => {
    expect(readQuestion(value)).toBe(isOne ? value : null);
  });

  it.each([
    [{ by: "ada" }, "ada"],
    [{ by: "" }, ""],
    [{ by: 7 }, "?"],
    [{}, "?"],
    ["ada", "?"],
  ])("was answered with %j by %s", (answer, by) => {
    expect(answererOf(answer)).toBe(by);
  });
});
