// Allowing what was refused, for this run only: commands of a node, and tools of an agent CLI.

import { expect, it } from "vitest";
import { captureOf } from "../../agent/captures/read-captures.ts";
import { CLAUDE_IS_DENIED_THRICE } from "../matrix/rows/claude-lines.ts";
import { type Case, goThrough } from "./case.ts";
import { openWorld } from "./world.ts";

const LATER = "resolution: retry-later, retry: { max_attempts: 3, initial: 10m, max: 1h, jitter: 0 }, ";
const APPENDS = `import { appendFileSync } from "node:fs"; appendFileSync("ran.txt", process.argv.slice(2).join(" ") + "\\n");`;
const NAMES = (field: string): NonNullable<Case["wrong"]> => [
  [{}, field],
  [{ [field]: [] }, field],
  [{ [field]: "node ran.mjs" }, field],
  [{ [field]: [1] }, field],
];

const commands = (node: string, allow = `["node ran.mjs first"]`): string => `
nodes:
  first: { type: command, run: node ran.mjs first, next: second }
  second: { type: command, run: { from: "['node ran.mjs second']" }, allow: ${allow}, ${node}next: { to: end, outcome: ran } }
`;

const granted: Omit<Case, "name" | "form" | "yaml" | "offer"> = {
  action: "grant-and-retry",
  files: { "ran.mjs": APPENDS },
  fault: "Forbidden",
  params: { commands: ["node ran.mjs second"] },
  wrong: NAMES("commands"),
  end: { status: "completed", outcome: "ran" },
  started: { first: 1, second: 2 },
  sees: ({ lines }) => {
    expect(lines("ran.txt")).toEqual(["first", "second"]);
  },
};

const stream = JSON.stringify(captureOf("claude-ok-stream").stdout);
const CLAUDE = `
if (args.includes("--allowedTools")) process.stdout.write(${stream});
else { process.stdout.write(${JSON.stringify(CLAUDE_IS_DENIED_THRICE)}); hang(); }
`;

const agents = (node: string): string => `
agents:
  coder: { cli: claude }
nodes:
  first: { type: transform, value: "1", next: code }
  code: { type: agent, agent: coder, prompt: Write it., ${node}next: { to: end, outcome: written } }
`;

const toolsGranted: Omit<Case, "name" | "form" | "yaml" | "offer"> = {
  action: "grant-and-retry",
  clis: { claude: CLAUDE },
  fault: "PermissionLoop",
  params: { tools: ["Bash(npm test:*)", "Edit"] },
  wrong: NAMES("tools"),
  end: { status: "completed", outcome: "written" },
  started: { first: 1, code: 2 },
  sees: ({ lines }) => {
    const [refused = "", allowed = "", ...more] = lines("started.txt");
    expect(more).toEqual([]);
    expect(refused).not.toContain("--allowedTools");
    expect(allowed).toContain(`"--allowedTools","Bash(npm test:*),Edit"`);
  },
};

/** Loops twice. */
const LOOP = `
nodes:
  first: { type: transform, value: "1", next: second }
  second: { type: command, run: { from: "['node ran.mjs second']" }, allow: ["node ran.mjs first"], next: third }
  third: { type: transform, value: "2", next: [{ to: first, max: 2 }, { to: end, outcome: ran }] }
`;

const CASES: readonly Case[] = [
  {
    ...granted,
    name: "grant-and-retry holds for the rest of the run, however often the node is visited",
    form: "successor",
    yaml: LOOP,
    offer: { node: "second", needs: "commands", redoes: ["second", "new run"], keeps: ["first"] },
    started: { first: 2, second: 3, third: 2 },
    sees: ({ lines }) => {
      expect(lines("ran.txt")).toEqual(["second", "second"]);
    },
  },
  {
    ...granted,
    name: "grant-and-retry of a run that waits holds for the rest of it",
    form: "in place",
    yaml: LOOP.replace("next: third", `${LATER}next: third`),
    offer: { node: "second", needs: "commands", redoes: ["second", "attempt 2"], keeps: ["first"] },
    started: { first: 2, second: 3, third: 2 },
    sees: ({ lines }) => {
      expect(lines("ran.txt")).toEqual(["second", "second"]);
    },
  },
  {
    ...granted,
    name: "grant-and-retry runs the refused command in a new run",
    form: "successor",
    yaml: commands(""),
    offer: { node: "second", needs: "commands", redoes: ["second", "new run"], keeps: ["first"] },
  },
  {
    ...granted,
    name: "grant-and-retry runs the refused command while the run waits",
    form: "in place",
    yaml: commands(LATER),
    offer: { node: "second", needs: "commands", redoes: ["second", "attempt 2"], keeps: ["first"] },
  },
  {
    ...toolsGranted,
    name: "grant-and-retry starts claude with the tools in a new run",
    form: "successor",
    yaml: agents(""),
    offer: { node: "code", needs: "tools", redoes: ["code", "new run"], keeps: ["first"] },
  },
  {
    ...toolsGranted,
    name: "grant-and-retry starts claude with the tools while the run waits",
    form: "in place",
    yaml: agents(`idempotent: true, ${LATER}`),
    offer: { node: "code", needs: "tools", redoes: ["code", "attempt 2"], keeps: ["first"] },
  },
];

it.each(CASES)("$name", goThrough);

it("a grant applies in every successor of the run it was given in", async () => {
  const agents = "agents: { coder: { model: openai/coder } }";
  const yaml = `${agents}${LOOP}`.replace(
    `third: { type: transform, value: "2",`,
    "third: { type: agent, agent: coder, prompt: Write it.,",
  );
  const rules = [{ when: { model: "coder", request: 1 }, fault: "content-filter" }] as const;
  const world = await openWorld({ yaml, rules, files: { "ran.mjs": APPENDS } });
  const { runs, until } = world;
  const first = await world.start();
  expect((await world.advance(first)).fault?.code).toBe("Forbidden");
  const commands = ["node ran.mjs second"];
  const granted = await until(runs.act(first, "grant-and-retry", { params: { commands } }));
  expect((await world.advance(granted.run)).fault?.code).toBe("ContentFiltered");
  const edited = await until(runs.act(granted.run, "edit-and-retry", { params: { text: "Write it well." } }));
  expect(await world.advance(edited.run)).toMatchObject({ status: "completed", outcome: "ran", fault: null });
  expect(world.lines("ran.txt")).toEqual(["second", "second"]);
});
