// A name that the journal cannot store is refused where the program gives it, before anything runs.

import { describe, expect, it } from "vitest";
import { createFaultline, type Fault, FaultError, step, tool } from "../../../src/index.ts";
import { defineWorkflow, stage } from "../../../src/workflow/index.ts";

const BAD = [
  ["empty", ""],
  ["blank", " "],
  ["too long", "x".repeat(201)],
  ["with a slash", "a/b"],
  ["with a control character", "a\u0000b"],
  ["with half a surrogate pair", "a\ud800b"],
] as const;

const GOOD = ["__proto__", "constructor", "toString", "a b", "日本語🎉", "x#1.1"];

let ran = 0;
const answer = tool({ id: "answer", run: () => (ran += 1) });

/** Uses a name at one place; returns the fault, or null. */
const PLACES: Readonly<Record<string, (name: string) => Promise<Fault | null>>> = {
  session: (name) => refusalOf(() => createFaultline().session(name)),
  turn: (name) =>
    refusalOf(async () => {
      const session = await createFaultline().session("s");
      const { fault } = await session.turn({ one: step(answer, {}) }, { id: name });
      if (fault !== null) throw new FaultError(fault);
    }),
  step: async (name) => {
    const session = await createFaultline().session("s");
    return (await session.turn(Object.fromEntries([[name, step(answer, {})]]))).fault;
  },
  call: async (name) => {
    const session = await createFaultline().session("s");
    const outcome = await session.protect(answer, {}, { id: name });
    return "fault" in outcome ? outcome.fault : null;
  },
  workflow: (name) => refusalOf(() => defineWorkflow({ id: name, stages: { one: stage({ act: () => 1 }) } })),
  stage: (name) =>
    refusalOf(() => defineWorkflow({ id: "w", stages: Object.fromEntries([[name, stage({ act: () => 1 })]]) })),
};

async function refusalOf(use: () => unknown): Promise<Fault | null> {
  try {
    await use();
    return null;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

describe.each(Object.entries(PLACES))("the name of a %s", (_kind, use) => {
  it.each(BAD)("is refused before anything runs: %s", async (_how, name) => {
    const before = ran;
    expect((await use(name))?.message).toMatch(/the name of a|id is empty|has no id/);
    expect(ran).toBe(before);
  });

  it.each(GOOD)("may be %s", async (name) => {
    expect(await use(name)).toBeNull();
  });
});
