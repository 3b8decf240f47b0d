// A person's input to a run: an answer of each kind, another round of a discussion, ending it, and resuming.

import { expect, it } from "vitest";
import { type Case, goThrough, startsOf } from "./case.ts";
import { openWorld } from "./world.ts";

const gated = (gate: string): string => `
agents: { planner: { model: openai/planner } }
nodes:
  plan: { type: agent, agent: planner, prompt: Plan it., next: gate }
  gate: { type: human_gate, ${gate}, next: done }
  done: { type: transform, value: "({ said: nodes.gate.output })", next: { to: end, outcome: shipped } }
`;

const said =
  (output: object): Case["sees"] =>
  async (world, { run }) => {
    expect(world.asked("planner")).toHaveLength(1);
    const done = (await world.entries(run)).find(
      ({ event }) => event.type === "node-completed" && event.node === "done",
    );
    expect(done?.event).toMatchObject({ output: { said: output } });
    const resumed = (await world.entries(run)).find(({ event }) => event.type === "node-resumed");
    expect(resumed?.event).toMatchObject({ node: "gate", by: "ann" });
    expect(await world.journal.keptAll("question")).toEqual([]);
  };

const answered: Pick<Case, "action" | "form" | "fault" | "offer" | "end" | "started"> = {
  action: "answer",
  form: "in place",
  fault: null,
  offer: { node: "gate", needs: "answer", redoes: ["Repeats nothing"], keeps: ["plan"] },
  end: { status: "completed", outcome: "shipped" },
  started: { plan: 1, gate: 1, done: 1 },
};
const accepted = (value: unknown): NonNullable<Case["params"]> => ({ answer: { status: "accepted", value } });
const WRONG: NonNullable<Case["wrong"]> = [
  [{}, "answer"],
  [{ answer: "yes" }, "answer"],
  [{ answer: { status: "rejected", reason: "" } }, "answer"],
  [{ answer: { status: "accepted" } }, "answer"],
];

const CASES: readonly Case[] = [
  {
    ...answered,
    name: "answer says yes to Approve",
    yaml: gated("ask: Approve, prompt: Ship it?"),
    params: accepted(true),
    wrong: [...WRONG, [{ answer: { status: "accepted", value: "maybe" } }, "answer"]],
    sees: said({ approved: true }),
  },
  {
    ...answered,
    name: "answer says yes to Confirm",
    yaml: gated("ask: Confirm, prompt: Ship it?"),
    params: accepted(true),
    wrong: [...WRONG, [{ answer: { status: "accepted", value: 1 } }, "answer"]],
    sees: said({ approved: true }),
  },
  {
    ...answered,
    name: "answer chooses one of the options of Select",
    yaml: gated("ask: Select, prompt: Which?, options: [{ id: left, label: Left }, { id: right, label: Right }]"),
    offer: { ...answered.offer, choices: ["left", "right"] },
    params: accepted("right"),
    wrong: [...WRONG, [{ answer: { status: "accepted", value: "up" } }, "answer"]],
    sees: said({ approved: true, choice: "right" }),
  },
  {
    ...answered,
    name: "answer gives the text that Ask asks for",
    yaml: gated("ask: Ask, prompt: What is it called?"),
    params: accepted("Ada"),
    wrong: WRONG,
    sees: said({ approved: true, text: "Ada" }),
  },
  {
    ...answered,
    name: "answer says no, and the gate fails with the reason",
    yaml: gated("ask: Confirm, prompt: Ship it?"),
    params: { answer: { status: "rejected", reason: "not on a Friday" } },
    end: { status: "failed" },
    started: { plan: 1, gate: 1 },
    sees: async ({ show }, { run }) => {
      const { state, actions } = await show(run);
      expect(state.fault).toMatchObject({
        code: "ApprovalRejected",
        message: expect.stringContaining("not on a Friday") as string,
      });
      // There is nothing to grant: the gate can be asked again, or the planner gets the reason.
      expect(actions.map(({ id }) => id)).toEqual(["retry-stage", "send-back"]);
    },
  },
  {
    name: "continue-discussion sends the participants into another round with the comment",
    action: "continue-discussion",
    form: "in place",
    yaml: `
agents: { architect: { model: openai/architect }, planner: { model: openai/planner } }
nodes:
  plan: { type: agent, agent: planner, prompt: Plan it., next: discuss }
  discuss: { type: agent, agent: architect, prompt: "Propose it. {{ nodes.gate.output.text? }}", next: gate }
  gate:
    type: human_gate
    ask: Select
    prompt: Go on?
    options: [{ id: confirm, label: Confirm }, { id: continue, label: Continue }]
    next: [{ to: discuss, when: "output.choice === 'continue'", max: 3 }, { to: end, outcome: confirmed }]
`,
    fault: null,
    offer: {
      node: "gate",
      needs: "text",
      choices: ["continue"],
      redoes: ["gate", "comment"],
      keeps: ["plan", "discuss"],
    },
    params: { text: "What about refunds?" },
    wrong: [
      [{}, "text"],
      [{ text: "" }, "text"],
    ],
    end: { status: "paused" },
    started: { plan: 1, discuss: 2, gate: 3 },
    sees: async ({ asked, show }, { run }) => {
      expect([asked("planner").length, asked("architect").length]).toEqual([1, 2]);
      expect(asked("architect").at(1)).toContain("What about refunds?");
      expect((await show(run)).questions).toHaveLength(1);
    },
  },
  {
    name: "cancel ends a run that waits for a person",
    action: "cancel",
    form: "in place",
    yaml: gated("ask: Confirm, prompt: Ship it?"),
    fault: null,
    offer: { node: "", redoes: ["Repeats nothing"], keeps: ["plan"] },
    end: { status: "cancelled" },
    started: { plan: 1, gate: 1 },
    sees: async ({ journal, show }, { run }) => {
      expect(await journal.keptAll("question")).toEqual([]);
      expect((await show(run)).actions).toMatchObject([{ id: "retry-stage", effect: "successor", node: "gate" }]);
    },
  },
  {
    name: "resume takes up a run that waits, which then waits on",
    action: "resume",
    form: "in place",
    yaml: gated("ask: Confirm, prompt: Ship it?"),
    fault: null,
    offer: { node: "", redoes: ["Continues"], keeps: ["plan"] },
    end: { status: "paused" },
    started: { plan: 1, gate: 1 },
    sees: ({ asked }) => {
      expect(asked("planner")).toHaveLength(1);
    },
  },
];

it.each(CASES)("$name", goThrough);

const TWO = `
agents: { planner: { model: openai/planner }, coder: { model: openai/coder } }
nodes:
  plan: { type: agent, agent: planner, prompt: Plan it., next: code }
  code: { type: agent, agent: coder, prompt: Write it., next: { to: end, outcome: written } }
`;

it("cancel ends a run while one of its requests is open, and the provider sees the client disconnect", async () => {
  const world = await openWorld({ yaml: TWO, rules: [{ when: { model: "coder" }, fault: "hang" }] });
  const run = await world.start();
  const end = world.runs.advance(run);
  void Promise.allSettled([end]);
  while (world.asked("coder").length === 0) await world.clock.advance(0);
  const offered = (await world.show(run)).actions.find(({ id }) => id === "cancel");
  const take = { key: offered?.key ?? "", by: "ann" };
  expect(await world.until(world.runs.act(run, "cancel", take))).toEqual({ run, did: true });
  expect(await world.until(end)).toMatchObject({ status: "cancelled" });
  expect(await world.until(world.runs.act(run, "cancel", take))).toEqual({ run, did: false });
  await world.clock.advance(0);
  expect(world.chaos.received().at(-1)).toMatchObject({ model: "coder", ended: "client-left" });
  expect(await startsOf(world, [run])).toEqual({ plan: 1, code: 1 });
});

it("resume continues a run whose process stopped, and asks no answered question again", async () => {
  const world = await openWorld({ yaml: TWO, rules: [{ when: { model: "coder", request: 1 }, fault: "hang" }] });
  const run = await world.start();
  const end = world.runs.advance(run);
  void Promise.allSettled([end]);
  while (world.asked("coder").length === 0) await world.clock.advance(0);
  await world.until(world.runs.stop());
  const offered = (await world.show(run)).actions.find(({ id }) => id === "resume");
  const take = { key: offered?.key ?? "", by: "ann" };
  expect(offered?.keeps).toContain("plan");
  expect(await world.until(world.runs.act(run, "resume", take))).toEqual({ run, did: true });
  expect(await world.until(world.runs.act(run, "resume", take))).toEqual({ run, did: false });
  expect(await world.journal.kept("wake", run)).toBe(world.clock.now());
  expect(await world.advance(run)).toMatchObject({ status: "completed", outcome: "written" });
  expect([world.asked("planner").length, world.asked("coder").length]).toEqual([1, 2]);
  expect(await world.until(world.runs.act(run, "resume", take))).toEqual({ run, did: false });
});
