// Retrying a stage with a change: another prompt, a shorter one, feedback; or continuing with the result so far.

import { expect, it } from "vitest";
import { type Fault, isFaultError } from "../../../src/core/fault/fault.ts";
import { type Case, goThrough } from "./case.ts";
import { type ActionsWorld, openWorld } from "./world.ts";

/** A failure is retried in ten minutes; until then the run waits. */
const LATER = "resolution: retry-later, retry: { max_attempts: 3, initial: 10m, max: 1h, jitter: 0 }, ";
const DONE = `done: { type: transform, value: "({ is: nodes.code.output ?? nodes.review.output })", next: { to: end, outcome: written } }`;

const writing = (node = "", prompt = "Write {{ nodes.plan.output }}"): string => `
agents:
  planner: { model: openai/planner }
  coder: { model: openai/coder }
  reader: { model: openai/reader }
nodes:
  plan: { type: agent, agent: planner, prompt: Plan it., next: code }
  code: { type: agent, agent: coder, prompt: "${prompt}", ${node}next: read }
  read: { type: agent, agent: reader, prompt: "Read {{ nodes.code.output }}", next: done }
  ${DONE}
`;

const reviewing = (node = ""): string => `
agents:
  coder: { model: openai/coder }
  reviewer:
    model: openai/reviewer
    output_schema: { type: object, required: [decision], properties: { decision: { enum: [approve, reject] } } }
nodes:
  code: { type: agent, agent: coder, role: coder, prompt: Write it., next: review }
  review: { type: agent, agent: reviewer, role: reviewer, prompt: "Review {{ nodes.code.output }}", ${node}next: done }
  ${DONE}
`;

const WRITTEN = { status: "completed", outcome: "written" } as const;
const TEXTS = [
  [{}, "text"],
  [{ text: "  " }, "text"],
  [{ text: 7 }, "text"],
] as const;
const FILTERED = [{ when: { model: "coder", request: 1 }, fault: "content-filter" }] as const;
const PROSE = [
  { when: { model: "reviewer", request: "1-2" }, answer: "Looks good to me." },
  { when: { model: "reviewer" }, json: { decision: "approve" } },
] as const;
const LONG_PLAN = "Line by line. ".repeat(400);
const TOO_LONG = [
  { when: { model: "planner" }, answer: LONG_PLAN },
  { when: { model: "coder", request: 1 }, fault: "context-overflow" },
] as const;

const KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEf";
const EDITED = `Write something harmless. ${"Long lines of it. ".repeat(1000)} Such as ${KEY}, if it must be.`;
const HALF = `half of it ${"and so on ".repeat(2000)} ${KEY}`;

const edited: Pick<Case, "action" | "rules" | "fault" | "params" | "wrong" | "end" | "started" | "sees"> = {
  action: "edit-and-retry",
  rules: FILTERED,
  fault: "ContentFiltered",
  params: { text: EDITED },
  wrong: TEXTS,
  end: WRITTEN,
  started: { plan: 1, code: 2, read: 1, done: 1 },
  sees: async ({ asked, entries }, { first, run }) => {
    expect([asked("planner").length, asked("coder").length]).toEqual([1, 2]);
    // The text is passed on literally, but viewers of the run do not see it.
    expect(asked("coder").at(1)).toContain(EDITED);
    for (const id of [first, run]) expect(JSON.stringify(await entries(id))).not.toContain(KEY);
    expect(asked("coder").at(1)).not.toContain("You said");
  },
};

const regenerated: typeof edited = {
  action: "regenerate-once",
  rules: PROSE,
  fault: "SchemaInvalid",
  end: WRITTEN,
  started: { code: 1, review: 2, done: 1 },
  sees: ({ asked }) => {
    expect([asked("coder").length, asked("reviewer").length]).toEqual([1, 3]);
    const last = asked("reviewer").at(2) ?? "";
    expect(last).toContain("Your last answer could not be used");
    // The model reads what was wrong, not only that something was.
    expect(last).toMatch(/JSON/);
    expect(last).not.toContain("It was not what was asked for.");
  },
};

const shortened: typeof edited = {
  action: "shorten-context",
  rules: TOO_LONG,
  fault: "ContextOverflow",
  end: WRITTEN,
  started: { plan: 1, code: 2, read: 1, done: 1 },
  sees: ({ asked }) => {
    const [first = "", second = ""] = asked("coder");
    expect(asked("planner")).toHaveLength(1);
    expect(asked("coder")).toHaveLength(2);
    expect(second.length).toBeLessThan(first.length / 2);
    expect(second).toContain("Write Line by line.");
  },
};

const NOT_SO_LONG = `assert: [{ that: "output.length < 9", reason: it is too long }], `;
/** Records its instructions and rejects one of them. */
const RAN = `
import { appendFileSync } from "node:fs";
appendFileSync("ran.txt", process.argv[2] + "\\n");
process.exitCode = process.argv[2] === "bad" ? 1 : 0;
`;

const accepted: Omit<Case, "name" | "form" | "yaml"> = {
  action: "accept-partial",
  rules: [{ when: { model: "coder" }, answer: HALF }],
  fault: "AssertFailed",
  offer: { node: "code", redoes: ["Repeats nothing"], keeps: ["what code had", "plan"] },
  end: WRITTEN,
  started: { plan: 1, code: 2, read: 1, done: 1 },
  sees: async (world, { first, run }) => {
    expect([world.asked("planner").length, world.asked("coder").length]).toEqual([1, 1]);
    expect(world.asked("reader").at(0)).toContain(HALF);
    for (const id of [first, run]) expect(JSON.stringify(await world.entries(id))).not.toContain(KEY);
  },
};

const commands = (node: string): string => `
nodes:
  first: { type: command, run: node ran.mjs first, next: second }
  second: { type: command, run: node ran.mjs bad, idempotent: true, ${node}next: { to: end, outcome: ran } }
`;

const typed: Omit<Case, "name" | "form" | "yaml"> = {
  action: "edit-and-retry",
  files: { "ran.mjs": RAN },
  fault: "ExecutionFailed",
  offer: { node: "second", needs: "text", redoes: ["second", "your text"], keeps: ["first"] },
  end: { status: "completed", outcome: "ran" },
  started: { first: 1, second: 2 },
  sees: ({ lines }) => {
    expect(lines("ran.txt")).toEqual(["first", "bad", "good", "better"]);
  },
};

const TYPED = "node ran.mjs good\nnode ran.mjs better";
const allowedByName: Pick<Case, "params" | "wrong"> = {
  params: { text: TYPED, commands: ["node ran.mjs good", "node ran.mjs better *"] },
  wrong: [
    ...TEXTS,
    [{ text: TYPED }, "allow"],
    [{ text: TYPED, commands: ["node ran.mjs good"] }, "allow"],
    [{ text: TYPED, commands: [] }, "commands"],
    [{ text: TYPED, commands: ["*"] }, "commands"],
  ],
};

const CASES: readonly Case[] = [
  {
    ...edited,
    name: "edit-and-retry sends the operator's text instead of the prompt, in a new run",
    form: "successor",
    yaml: writing(),
    offer: { node: "code", needs: "text", redoes: ["code", "your text", "new run"], keeps: ["plan"] },
  },
  {
    ...edited,
    name: "edit-and-retry sends the operator's text instead of the prompt, while the run waits",
    form: "in place",
    yaml: writing(LATER),
    offer: { node: "code", needs: "text", redoes: ["code", "your text", "attempt 2"], keeps: ["plan"] },
  },
  {
    ...regenerated,
    name: "regenerate-once tells the model what was wrong, in a new run",
    form: "successor",
    yaml: reviewing(),
    offer: { node: "review", redoes: ["review", "new run"], keeps: ["code"] },
  },
  {
    ...regenerated,
    name: "regenerate-once tells the model what was wrong, while the run waits",
    form: "in place",
    yaml: reviewing(LATER),
    offer: { node: "review", redoes: ["review", "attempt 2"], keeps: ["code"] },
  },
  {
    ...regenerated,
    name: "regenerate-once tells the model what the operator says was wrong",
    form: "successor",
    yaml: reviewing(),
    offer: { node: "review", redoes: ["review", "new run"], keeps: ["code"] },
    params: { text: "Only the object, nothing around it." },
    wrong: [[{ text: "" }, "text"]],
    sees: ({ asked }) => {
      expect(asked("reviewer").at(2)).toContain("Only the object, nothing around it.");
    },
  },
  {
    ...shortened,
    name: "shorten-context sends less of the earlier work, in a new run",
    form: "successor",
    yaml: writing(),
    offer: { node: "code", redoes: ["code", "new run"], keeps: ["plan"] },
  },
  {
    ...shortened,
    name: "shorten-context sends less of the earlier work, while the run waits",
    form: "in place",
    yaml: writing(LATER),
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: ["plan"] },
  },
  {
    ...accepted,
    name: "accept-partial continues with what the failed node had, and does not ask it again",
    form: "successor",
    yaml: writing(NOT_SO_LONG),
  },
  {
    ...accepted,
    name: "accept-partial continues with what the node had while the run waits to try it again",
    form: "in place",
    yaml: writing(`${NOT_SO_LONG}${LATER}`),
  },
  {
    ...typed,
    name: "edit-and-retry runs what the operator typed instead, as far as the node's list allows it",
    form: "successor",
    yaml: commands(`allow: ["node ran.mjs *"], `),
    params: { text: "node ran.mjs good\nnode ran.mjs better" },
    wrong: [...TEXTS, [{ text: "node other.mjs" }, "allow"], [{ text: "node ran.mjs good\nrm -rf ran.txt" }, "allow"]],
  },
  {
    ...typed,
    name: "edit-and-retry runs what the operator allows by name, and nothing else, in a new run",
    form: "successor",
    yaml: commands(""),
    ...allowedByName,
  },
  {
    ...typed,
    name: "edit-and-retry runs what the operator allows by name, and nothing else, while the run waits",
    form: "in place",
    yaml: commands(LATER),
    ...allowedByName,
  },
];

it.each(CASES)("$name", goThrough);

it("a command that the node's allow list does not contain is refused with the way to allow it", async () => {
  const world = await openWorld({ yaml: commands(""), files: { "ran.mjs": RAN } });
  const run = await world.start();
  await world.advance(run);
  const seen = await refusedBy(world, run, "edit-and-retry", { text: "rm ran.txt" });
  expect(seen.code).toBe("Forbidden");
  expect(seen.message).toContain(`node second may not run "rm ran.txt"`);
  expect(seen.message).toContain("add it to the node's allow list");
  expect(seen.message).toContain(`--command "rm ran.txt"`);
});

it("shorten-context is refused when nothing can be cut, and the operator may write a shorter prompt", async () => {
  const rules = [{ when: { model: "coder", request: 1 }, fault: "context-overflow" }] as const;
  const world = await openWorld({ yaml: writing(), rules });
  const run = await world.start();
  expect((await world.advance(run)).fault?.code).toBe("ContextOverflow");
  const seen = await refusedBy(world, run, "shorten-context", {});
  expect(seen.message).toContain("context of node code cannot be shortened");
  expect([world.asked("coder").length, (await world.until(world.runs.list())).length]).toEqual([1, 1]);
  // As the message suggests.
  expect(seen.message).toContain("edit-and-retry");
  const { run: next } = await world.until(world.runs.act(run, "edit-and-retry", { params: { text: "Write it." } }));
  expect(await world.advance(next)).toMatchObject(WRITTEN);
});

it("a node that asks an agent has no commands to allow", async () => {
  const world = await openWorld({ yaml: writing(), rules: FILTERED });
  const run = await world.start();
  await world.advance(run);
  const seen = await refusedBy(world, run, "edit-and-retry", { text: "Write it.", commands: ["rm ran.txt"] });
  expect(seen).toMatchObject({ code: "ShapeInvalid", context: { field: "commands" } });
});

async function refusedBy(world: ActionsWorld, run: string, action: string, params: object): Promise<Fault> {
  const [result] = await world.until(Promise.allSettled([world.runs.act(run, action, { params: { ...params } })]));
  if (result.status === "rejected" && isFaultError(result.reason)) return result.reason.fault;
  throw new Error("it was not refused");
}
