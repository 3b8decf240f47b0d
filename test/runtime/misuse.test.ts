// Proves that a wrong option is refused where it is given, with a sentence that names it.

import { describe, expect, it } from "vitest";
import { createFaultline, type FaultlineOptions, tool } from "../../src/index.ts";

const WRONG: readonly (readonly [name: string, given: unknown, says: RegExp])[] = [
  ["a journal's path", { journal: "a.db" }, /await openJournal\("a\.db"\)/],
  ["a preset that is not there", { policy: "bold" }, /no policy preset "bold"; there are default, cautious, eager/],
  ["money as text", { budget: { maxCostMicrocents: "5" } }, /budget\.maxCostMicrocents is "5"; it must be a number/],
  [
    "an unknown onExceed",
    { budget: { onExceed: "explode" } },
    /budget\.onExceed is "explode"; it must be one of "warn"/,
  ],
  ["a limit that is not a number", { limits: { maxTurns: Number.NaN } }, /limits\.maxTurns is NaN/],
];

describe("createFaultline", () => {
  it.each(WRONG)("refuses %s", (_name, given, says) => {
    expect(() => createFaultline(given as FaultlineOptions)).toThrow(says);
  });

  it("takes a preset by its name", () => {
    expect(() => createFaultline({ policy: "eager" })).not.toThrow();
  });
});

describe("what is called wrongly", () => {
  const fl = createFaultline();

  it("a function is not a tool", async () => {
    const outcome = await fl.protect((() => 1) as never, {} as never);
    expect(JSON.stringify(outcome)).toContain("wrap it, as in tool({ id:");
  });

  it("a name is not a chain of models", () => {
    expect(() => fl.model("gpt-5" as never)).toThrow(/a chain is a list of models/);
  });

  it("a tool is tried at least once", () => {
    expect(() => tool({ id: "x", retry: { maxAttempts: 0 }, run: () => 1 })).toThrow(
      /retry\.maxAttempts of tool x is 0/,
    );
  });
});
