import { describe, expect, it } from "vitest";
import type { Answer, QuestionPayload } from "../../../src/index.ts";
import { scriptedInteractor } from "../../../src/testing/index.ts";
import { eventsOf, life, only } from "./life.ts";

const PLAIN: QuestionPayload = { kind: "Ask", prompt: "Which one?", field: "" };
const SECRET: QuestionPayload = { kind: "Auth.Password", prompt: "Password?" };
const YES: Answer = { status: "accepted", value: "correct-horse" };
const NO: Answer = { status: "rejected", reason: "not now" };

describe("an answer of a person", () => {
  it.each([
    ["a plain question", PLAIN, YES, YES],
    ["a plain question", PLAIN, NO, NO],
    ["a question for a secret", SECRET, YES, { status: "accepted", value: null }],
    ["a question for a secret", SECRET, NO, NO],
  ] as const)(
    "to %s reaches the program; the journal shows it without a secret: %#",
    async (_what, payload, answer, shown) => {
      const { fl, clock, journal } = life({ interactors: [scriptedInteractor("person", [answer])] });
      const session = await clock.runUntil(fl.session("s"));
      expect(await clock.runUntil(session.ask("which", payload))).toMatchObject(answer);
      expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([{ answer: shown, by: "person" }]);
    },
  );
});
