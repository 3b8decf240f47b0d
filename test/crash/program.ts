// What the killed program does, made from dice, and what must come of it however often it is killed. Goes to the program as
// JSON; `child.mjs` gives each kind of step its behaviour.

import type { Chance } from "../../src/host/chance.ts";

export type StepKind =
  | "plain" //   works
  | "flaky" //   fails for the moment the first time
  | "missing" // fails for good; the turn can do without it
  | "asks" //    is denied until a person has allowed it
  | "refused"; // is denied, and the person says no

export interface StepSpec {
  readonly name: string;
  readonly tool: string;
  readonly kind: StepKind;
  readonly idempotent: boolean;
  readonly needs: readonly string[];
  readonly optional: boolean;
  readonly hasDefault: boolean;
  readonly slowMs: number;
  /** Returns many kilobytes, so that commits are not all small. */
  readonly large: boolean;
  readonly costs: boolean;
}

export interface TurnSpec {
  readonly rounds: readonly (readonly StepSpec[])[];
}

export interface SessionSpec {
  readonly session: string;
  readonly mode: "attended" | "headless";
  readonly turns: readonly TurnSpec[];
}

export type StepStatus = "done" | "defaulted" | "skipped" | "surfaced" | "failed";

/** `slow` makes steps take longer, so that two processes have time to meet. */
export function makeSession(session: string, chance: Chance, slow: boolean): SessionSpec {
  const turns = Array.from({ length: between(chance, 2, 4) }, () => makeTurn(chance, slow));
  return { session, mode: chance.roll() < 0.5 ? "headless" : "attended", turns };
}

function makeTurn(chance: Chance, slow: boolean): TurnSpec {
  const rounds = chance.roll() < 0.25 ? 2 : 1;
  // One turn in three or so waits for a person, whatever happens to it.
  const asking = chance.roll() < 0.3 ? (chance.roll() < 0.7 ? "asks" : "refused") : null;
  return { rounds: Array.from({ length: rounds }, (_, index) => makeSteps(chance, slow, index === 0 ? asking : null)) };
}

const KINDS: readonly StepKind[] = ["plain", "plain", "plain", "plain", "plain", "flaky", "flaky", "missing"];

function makeSteps(chance: Chance, slow: boolean, asking: StepKind | null): readonly StepSpec[] {
  const count = between(chance, 5, 20);
  const askingAt = asking === null ? -1 : between(chance, 0, count - 1);
  const steps: StepSpec[] = [];
  for (let index = 0; index < count; index++) {
    const kind = index === askingAt && asking !== null ? asking : pick(chance, KINDS);
    const idempotent = chance.roll() < 0.5;
    steps.push({
      name: `s${index}`,
      tool: `${kind}-${idempotent ? "safe" : "once"}`,
      kind,
      idempotent,
      needs: chance.roll() < 0.5 ? someOf(chance, steps) : [],
      optional: kind === "missing",
      hasDefault: kind === "plain" && chance.roll() < 0.3,
      slowMs: chance.roll() < 0.5 ? between(chance, 1, slow ? 60 : 8) : 0,
      large: chance.roll() < 0.1,
      costs: chance.roll() < 0.5,
    });
  }
  return steps;
}

/** What each step of a turn must come to, by call. `givenUp`: calls about which no further question could be asked. */
export function expectedOutcomes(
  turn: string,
  { rounds }: TurnSpec,
  givenUp: ReadonlyMap<string, StepStatus>,
): ReadonlyMap<string, StepStatus> {
  const expected = new Map<string, StepStatus>();
  for (const [index, steps] of rounds.entries()) {
    const callOf = (name: string): string => `${turn}/${index + 1}/${name}`;
    for (const { name, kind, needs, optional, hasDefault } of steps) {
      const isUsable = (need: string): boolean => USABLE.includes(expected.get(callOf(need)) ?? "failed");
      const without: StepStatus = optional ? "skipped" : hasDefault ? "defaulted" : "failed";
      const own = givenUp.get(callOf(name)) ?? ENDS[kind];
      expected.set(callOf(name), needs.every(isUsable) ? own : without);
    }
    // The program starts no further round after a failed one.
    if ([...expected.values()].includes("failed")) break;
  }
  return expected;
}

/** There is a value that others can work with. */
const USABLE: readonly StepStatus[] = ["done", "defaulted"];

const ENDS: Readonly<Record<StepKind, StepStatus>> = {
  plain: "done",
  flaky: "done",
  missing: "skipped",
  asks: "done",
  refused: "failed",
};

export function between(chance: Chance, least: number, most: number): number {
  return least + Math.floor(chance.roll() * (most - least + 1));
}

export function pick<T>(chance: Chance, list: readonly T[]): T {
  const chosen = list[Math.floor(chance.roll() * list.length)];
  if (chosen === undefined) throw new Error("there is nothing to pick from");
  return chosen;
}

function someOf(chance: Chance, steps: readonly StepSpec[]): readonly string[] {
  return steps.filter(() => chance.roll() < 2 / Math.max(2, steps.length)).map(({ name }) => name);
}
