// A person chooses another target of the chain for a failed one, and the call continues there.

import { expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import type { Interactor, Policy, Question } from "../../../src/index.ts";
import { ANSWERED, ASKED, CLAUDE, chainWorld, GEMINI, GPT } from "./chain-world.ts";

/** Asks instead of falling back. */
const ASKS: Policy = withRows(DEFAULT_POLICY, [
  {
    match: { code: ["ModelNotFound"] },
    retry: null,
    then: ["ask", "fail"],
    origin: { layer: "file", at: "the test" },
  },
]);

it.each([CLAUDE, GEMINI])("a chain goes to %s when a person selects it", async (chosen) => {
  const questions: Question[] = [];
  const person: Interactor = {
    name: "person",
    answer: (question) => {
      questions.push(question);
      const { payload } = question;
      const options = payload.kind === "Select" ? payload.options : [];
      const found = options.find(({ id }) => id.startsWith("use:") && id.endsWith(chosen));
      return Promise.resolve({ status: "accepted", value: found?.id ?? "fail" });
    },
  };
  const world = await chainWorld([], { policy: ASKS, interactors: [person] });
  world.afflict(GPT, "not-found");
  const model = world.fl.model([world.gpt(), world.claude(), world.gemini()]);
  const { content } = await world.run(model.doGenerate(ASKED));
  expect(content).toMatchObject([{ type: "text", text: ANSWERED }]);
  expect(world.asked()).toEqual([GPT, chosen]);
  expect(questions).toMatchObject([{ code: "ModelNotFound", payload: { kind: "Select" } }]);
  // The target that has just failed is not offered.
  const [{ payload }] = questions as [Question];
  const ids = payload.kind === "Select" ? payload.options.map(({ id }) => id) : [];
  expect(ids.filter((id) => id.startsWith("use:"))).toHaveLength(2);
  expect(ids.some((id) => id.endsWith(GPT))).toBe(false);
});
