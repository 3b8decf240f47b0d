// The team's template: every stage and every outcome, with a failing provider.

import { describe, expect, it } from "vitest";
import type { ChaosStep } from "../../src/chaos/scenario-schema.ts";
import type { RunEnd } from "../../src/workflow/runs-api.ts";
import {
  APPROVE,
  changes,
  CODED,
  DISCUSSION,
  DOWN,
  teamWorld,
  type TeamWorld,
  TESTS,
  tests,
  writes,
} from "./team-world.ts";

/** To the gate, and past it. */
async function confirmed(...steps: readonly ChaosStep[]): Promise<TeamWorld & { readonly end: RunEnd }> {
  const world = await teamWorld();
  world.script(...DISCUSSION, ...steps);
  await answered(world, "confirm");
  return { ...world, end: await world.advance() };
}

async function answered({ advance, workflows }: TeamWorld, choice: string): Promise<void> {
  const { questions } = await advance();
  await workflows.runs.answer(questions[0]?.id ?? "", { status: "accepted", value: choice }, "ada");
}

describe("the proposal", () => {
  it("is a thread of plain messages, and a person decides about it", async () => {
    const { script, advance, story } = await teamWorld();
    script(...DISCUSSION);
    const end = await advance();
    expect(end).toMatchObject({ status: "paused", questions: [{ payload: { kind: "Select" } }] });
    const prompt = end.questions[0]?.payload.prompt ?? "";
    for (const said of ["## Architect", "Spread what is left over.", "## Critic", "## Quality", "Run node --test."]) {
      expect(prompt).toContain(said);
    }
    expect(await story()).toEqual([
      "architect#1 completed",
      "critic#1 completed",
      "quality#1 completed",
      "thread#1 completed",
    ]);
  });

  it("continues without a message that failed, and shows that it did", async () => {
    const { script, advance, story, entries } = await teamWorld();
    // A refused key is not tried elsewhere.
    script("unauthorized", { answer: "I would propose to spread it." }, { answer: "Run node --test." });
    const { status, questions } = await advance();
    expect(status).toBe("paused");
    expect(await story()).toEqual([
      "architect#1 skipped",
      "critic#1 completed",
      "quality#1 completed",
      "thread#1 completed",
    ]);
    const skipped = (await entries()).find(({ event }) => event.type === "node-skipped")?.event;
    expect(skipped).toMatchObject({ reason: "resolution", fault: { code: "AuthFailed" } });
    expect(questions[0]?.payload.prompt).toMatch(
      /## Architect\n\n\(This message failed: .+\)\n\n## Critic\n\nI would propose/,
    );
  });

  it("continues when no model can be reached at all", async () => {
    const { script, advance, story } = await teamWorld();
    script(...DOWN);
    const { status } = await advance();
    expect(status).toBe("paused");
    expect((await story()).slice(0, 1)).toEqual(["architect#1 skipped"]);
  });

  it("is continued with the operator's comment in every prompt", async () => {
    const { script, advance, workflows, run, asked, story } = await teamWorld();
    script(...DISCUSSION);
    await advance();
    const before = asked().length;
    await workflows.runs.act(run, "continue-discussion", { params: { text: "What about refunds?" }, by: "ada" });
    script(...DISCUSSION);
    const { questions } = await advance();
    expect(asked().slice(before)).toHaveLength(3);
    for (const prompt of asked().slice(before)) expect(prompt).toContain("What about refunds?");
    expect(questions[0]?.payload.prompt).toContain("## Operator\n\nWhat about refunds?");
    expect(await story()).toContain("comment#1 skipped");
  });

  it("asks for the comment when the choice came without one", async () => {
    const { script, advance, workflows, asked, ...world } = await teamWorld();
    script(...DISCUSSION);
    await answered({ ...world, script, advance, workflows, asked }, "continue");
    const { questions } = await advance();
    expect(questions).toMatchObject([{ payload: { kind: "Ask" } }]);
    await workflows.runs.answer(questions[0]?.id ?? "", { status: "accepted", value: "Be kind to tourists." }, "ada");
    script(...DISCUSSION);
    await advance();
    expect(asked().at(-1)).toContain("Be kind to tourists.");
  });

  it("ends after three more rounds: a fourth does not start", async () => {
    const world = await teamWorld();
    for (let round = 1; round <= 4; round++) {
      world.script(...DISCUSSION);
      await world.advance();
      const { actions } = (await world.workflows.runs.show(world.run)) ?? { actions: [] };
      expect(actions.map(({ id }) => id)).toContain("continue-discussion");
      await world.workflows.runs.act(world.run, "continue-discussion", { params: { text: `more ${round}` } });
    }
    expect(await world.advance()).toMatchObject({ status: "failed", outcome: "max_iterations_reached" });
    expect((await world.story()).filter((line) => line.startsWith("architect"))).toHaveLength(4);
  });

  it("ends as stopped on request, and no code is written", async () => {
    const world = await teamWorld();
    world.script(...DISCUSSION);
    await answered(world, "stop");
    expect(await world.advance()).toMatchObject({ status: "completed", outcome: "stopped", fault: null });
    expect((await world.story()).join()).not.toContain("coder");
  });
});

describe("the implementation", () => {
  it("is sent back by the reviewer and by the tests, and is approved when both pass", async () => {
    const { end, story, read, asked, entries } = await confirmed(
      ...writes("index === 0"),
      changes("src/split.js: spread the rest"),
      ...writes("rest > 0 && index <= rest"),
      APPROVE,
      TESTS,
      ...writes("index < rest"),
      APPROVE,
      TESTS,
    );
    expect(end).toMatchObject({ status: "completed", outcome: "approved", fault: null });
    expect((await story()).slice(5)).toEqual([
      "coder#1 completed",
      "reviewer#1 completed",
      "coder#2 completed",
      "reviewer#2 completed",
      "tester#1 completed",
      "run_tests#1 failed",
      "coder#3 completed",
      "reviewer#3 completed",
      "tester#2 completed",
      "run_tests#2 completed",
    ]);
    expect(read("src/split.js")).toContain("index < rest");
    const toCoder = asked().filter((body) => body.includes("by changing its files"));
    expect(toCoder[2]).toContain("src/split.js: spread the rest");
    expect(toCoder[4]).toContain("node --test");
    expect(toCoder[4]).toContain("3 people pay 1001 for a bill of 1000");
    const failed = (await entries()).find(({ event }) => event.type === "node-failed")?.event;
    expect(failed).toMatchObject({ outcome: "test_failed", fault: { code: "TestsFailed", context: { exitCode: 1 } } });
  });

  it("requests a verdict once more when it does not fit its schema", async () => {
    const { end, entries } = await confirmed(
      ...writes("index < rest"),
      { json: { decision: "approve" } },
      APPROVE,
      { answer: "Just run the tests, I would say." },
      TESTS,
    );
    expect(end.outcome).toBe("approved");
    const regenerated = (await entries()).filter(
      ({ event }) => event.type === "call-failed" && event.decision.recourse === "regenerate",
    );
    expect(regenerated).toHaveLength(2);
  });

  it("tells the tester which command was refused, and continues when the next one is allowed", async () => {
    const { end, asked, story } = await confirmed(
      ...writes("index < rest"),
      APPROVE,
      tests("sh -c 'node --test'"),
      TESTS,
    );
    expect(end.outcome).toBe("approved");
    expect(asked().at(-1)).toContain("may not run");
    expect((await story()).slice(-4)).toEqual([
      "tester#1 completed",
      "run_tests#1 failed",
      "tester#2 completed",
      "run_tests#2 completed",
    ]);
  });

  it.each<[string, readonly ChaosStep[], string]>([
    [
      "a reviewer whose verdict never fits",
      [...CODED, { json: { decision: "maybe" } }, { answer: "looks fine" }],
      "review_schema_invalid",
    ],
    ["a reviewer who contradicts himself twice", [...CODED, changes(), changes()], "review_schema_invalid"],
    [
      "a tester whose plan never fits",
      [...CODED, APPROVE, { json: { commands: [] } }, { answer: "npm test" }],
      "tester_schema_invalid",
    ],
    ["the same command failing twice running", [...CODED, APPROVE, TESTS, ...CODED, APPROVE, TESTS], "test_failed"],
    [
      "three rounds of other commands failing",
      [
        ...[...CODED, APPROVE, TESTS],
        ...[...CODED, APPROVE, tests("node --test test/")],
        ...[...CODED, APPROVE, tests("node --test test/split.test.js")],
      ],
      "test_failed",
    ],
    [
      "a reviewer who is not content after three rounds",
      [...CODED, changes("a"), ...CODED, changes("b"), ...CODED, changes("c")],
      "max_iterations_reached",
    ],
    [
      "a command that may not be run, and is wanted again",
      [...CODED, APPROVE, tests("rm -rf src"), tests("rm -rf src")],
      "provider_permission_denied",
    ],
    ["a key that is not accepted", ["unauthorized"], "provider_auth_error"],
    ["no provider for the coder", DOWN, "provider_network_error"],
    ["no provider for the reviewer", [...CODED, ...DOWN], "provider_network_error"],
    ["no provider for the tester", [...CODED, APPROVE, ...DOWN], "provider_network_error"],
  ])("%s: the run reports it", async (_what, steps, outcome) => {
    const { end, story } = await confirmed(...steps);
    expect(end).toMatchObject({ status: "failed", outcome });
    expect((await story()).filter((line) => line.startsWith("coder")).length).toBeLessThanOrEqual(3);
  });

  it("ends as provider_not_found where no agent CLI is installed, while the discussion still works", async () => {
    const world = await teamWorld({ variant: "clis", env: { PATH: "/nowhere" } });
    await answered(world, "confirm");
    expect(await world.advance()).toMatchObject({ status: "failed", outcome: "provider_not_found" });
    expect((await world.story()).slice(0, 5)).toEqual([
      "architect#1 skipped",
      "critic#1 skipped",
      "quality#1 skipped",
      "thread#1 completed",
      "gate#1 completed",
    ]);
  });

  it("can be cancelled by its operator at any time", async () => {
    const world = await teamWorld();
    world.script(...DISCUSSION);
    await world.advance();
    await world.workflows.runs.cancel(world.run, "ada");
    expect(await world.advance()).toMatchObject({ status: "cancelled", outcome: "canceled" });
  });

  it("keeps the coder inside the repository, and away from its own rules", async () => {
    const call = (path: string) => ({ tool: "write_file", input: { path, content: "x" } });
    const { end, read, asked } = await confirmed(
      { calls: [call("../outside.txt"), call("team.faultline.yaml"), call("team/prompts/reviewer.md")] },
      ...writes("index < rest"),
      APPROVE,
      TESTS,
    );
    expect(end.outcome).toBe("approved");
    expect(read("team.faultline.yaml")).toContain("faultline: 1");
    expect(read("team/prompts/reviewer.md")).not.toBe("x");
    expect(() => read("../outside.txt")).toThrow(/ENOENT/);
    expect(asked().some((body) => body.includes("ExecutionFailed") || body.includes("Forbidden"))).toBe(true);
  });
});
