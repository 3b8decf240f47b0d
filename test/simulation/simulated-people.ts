// The people of a simulated world: one who may sit in front of the program, and one at a desk who answers questions that wait.

import type { Answer, Question } from "../../src/core/flow/interaction.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Interactor } from "../../src/runtime/person/interactors.ts";
import { type Dice, diceFor } from "./dice.ts";
import type { Life } from "./simulated-life.ts";
import type { Person } from "./world-spec.ts";

/** null: no person is present. */
export function personOf(life: Life): Interactor | null {
  const { person } = life.story.world;
  if (person === "nobody") return null;
  return { name: `person-${person}`, answer: (question, signal) => answerAs(person, life, question, signal) };
}

const MOODS_OF_PERSON = ["yes", "no", "silent", "nonsense", "throws"] as const;

async function answerAs(
  person: Exclude<Person, "nobody">,
  life: Life,
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  const dice = diceFor(life.story.world.seed, "person", question.call, question.code ?? "");
  const mood = person === "moody" ? dice.pick(MOODS_OF_PERSON) : person;
  await new Promise<void>((resolve) => void life.clock.after(dice.int(0, 30_000), resolve));
  if (mood === "throws") throw new TypeError("the screen broke");
  if (mood === "nonsense") return dice.pick(NONSENSE) as Answer;
  if (mood === "silent") {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    throw signal.reason as Error;
  }
  return answerTo(question, mood === "yes", dice);
}

const NONSENSE: readonly unknown[] = [
  null,
  {},
  { status: "accepted" },
  { status: "accepted", value: Symbol("yes") },
  { status: "maybe" },
  { status: "rejected" },
];

function answerTo({ payload }: Question, isYes: boolean, dice: Dice): Answer {
  if (!isYes && dice.chance(0.5)) return { status: "rejected", reason: "not today" };
  switch (payload.kind) {
    case "Ask":
      return isYes ? { status: "accepted", value: { n: dice.int(100, 199) } } : { status: "rejected", reason: "no" };
    case "Select":
      return { status: "accepted", value: isYes ? yesAmong(payload.options) : dice.pick(payload.options).id };
    case "Auth.Password":
      return { status: "rejected", reason: "no" };
    default:
      return { status: "accepted", value: isYes };
  }
}

/** Another try where one is offered: a capability that is missing stays missing, so there another target is. */
function yesAmong(options: readonly { readonly id: string }[]): string {
  return (options.find(({ id }) => id === "retry") ?? options[0])?.id ?? "retry";
}

/** Answers what waits; returns when the rest will be due by itself, in epoch milliseconds. */
export async function answerAtDesk(life: Life, faultline: Runtime, questions: readonly Question[]): Promise<number> {
  const { seed, desk } = life.story.world;
  let dueAt = 0;
  for (const question of questions) {
    const dice = diceFor(seed, "desk", question.call, question.code ?? "");
    const mood = desk === "moody" ? dice.pick(["yes", "no", "nobody"] as const) : desk;
    if (mood === "nobody") dueAt = Math.max(dueAt, question.expiresAt);
    else await faultline.answer(question.id, answerTo(question, mood === "yes", dice), "desk");
  }
  return dueAt;
}
