// Sending work back to the node that produced it, with the findings; the path then returns to the node that failed.

import { expect, it } from "vitest";
import { type Case, goThrough } from "./case.ts";

const LATER = "resolution: retry-later, retry: { max_attempts: 3, initial: 10m, max: 1h, jitter: 0 }, ";
/** Fails once and says why on stderr. */
const TESTS = `
import { existsSync, writeFileSync } from "node:fs";
if (!existsSync("tried")) {
  writeFileSync("tried", "");
  process.stderr.write("expected 3 shares, got 2\\n");
  process.exitCode = 1;
}
`;

const flow = (tests: string, prompt: string): string => `
agents:
  planner: { model: openai/planner }
  coder: { model: openai/coder }
nodes:
  plan: { type: agent, agent: planner, prompt: Plan it., next: code }
  code: { type: agent, agent: coder, role: coder, prompt: "${prompt}", next: lint }
  lint: { type: transform, value: "1", next: tests }
  tests: { type: command, run: node tests.mjs, fails_as: TestsFailed, ${tests}next: { to: end, outcome: approved } }
`;

const sent: Omit<Case, "name" | "form" | "yaml"> = {
  action: "send-back",
  files: { "tests.mjs": TESTS },
  fault: "TestsFailed",
  offer: {
    node: "tests",
    choices: ["code"],
    redoes: ["Runs code again", "to tests"],
    keeps: ["finished nodes: plan."],
  },
  params: { text: "Mind the rounding." },
  wrong: [[{ text: "" }, "text"]],
  end: { status: "completed", outcome: "approved" },
  started: { plan: 1, code: 2, lint: 2, tests: 2 },
  sees: async (world, { first, run }) => {
    expect([world.asked("planner").length, world.asked("coder").length]).toEqual([1, 2]);
    const again = world.asked("coder").at(1);
    expect(again).toContain("Mind the rounding.");
    expect(again).toContain("expected 3 shares, got 2");
    const ended = (await world.entries(run)).flatMap(({ event }) =>
      event.type === "node-completed" ? [event.node] : [],
    );
    expect(ended.slice(run === first ? -3 : 0)).toEqual(["code", "lint", "tests"]);
  },
};

const CASES: readonly Case[] = [
  {
    ...sent,
    name: "send-back gives a coder whose prompt asks for it the comment and the failing command, in a new run",
    form: "successor",
    yaml: flow("", "Write it. {{ nodes.tests.output.failed? }}"),
  },
  {
    ...sent,
    name: "send-back gives a coder whose prompt does not ask for it what was found wrong",
    form: "successor",
    yaml: flow("", "Write it."),
  },
  {
    ...sent,
    name: "send-back gives the work back while the run waits to try the tests again",
    form: "in place",
    yaml: flow(LATER, "Write it."),
  },
  {
    ...sent,
    name: "send-back without a comment still says what was found wrong",
    form: "successor",
    yaml: flow("", "Write it."),
    params: {},
    sees: ({ asked }) => {
      expect(asked("coder").at(1)).toContain("expected 3 shares, got 2");
    },
  },
];

it.each(CASES)("$name", goThrough);
