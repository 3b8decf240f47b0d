// Every surface that reports a failure prints its correlation id, and `faultline explain` shows the causes under that id: a
// command's output, and the stack and request id of a failed model call.

import { describe, expect, it } from "vitest";
import { type Fault, fault, toProblem } from "../../src/index.ts";
import { type CallOptions, type Ran, WorkflowWorld } from "./workflow-world.ts";

const SECRET = `sk-live-${"a1B2c3D4".repeat(4)}`;
const SAID = `the ledger is full, key ${SECRET}`;

interface Failure {
  readonly failure: string;
  /** The workflow file of a run that fails in node `pay`. */
  readonly file: (world: WorkflowWorld) => Promise<string>;
  /** What `explain` has to show. */
  readonly explains: readonly RegExp[];
}

const FAILURES: readonly Failure[] = [
  {
    failure: "a command",
    file: (world) => {
      const script = world.write("pay.mjs", `console.error(${JSON.stringify(SAID)}); process.exitCode = 3`);
      const text = `faultline: 1\nworkflow: { id: ship, version: "1" }\nnodes:\n  pay: { type: command, run: ["node ${script}"] }\n`;
      return Promise.resolve(world.write("ship.faultline.yaml", text));
    },
    explains: [/the ledger is full/],
  },
  {
    failure: "a model",
    file: async (world) => {
      const { chaos, file } = await world.withModels(["pay: { type: agent, agent: writer, prompt: Pay. }"]);
      chaos.script(["bad-request"]);
      return file;
    },
    explains: [/AI_APICallError/, /^ {6}at /m, /^ {2}x-request-id {2}req_\w+/m],
  },
];

interface Surface {
  readonly surface: string;
  /** What it prints about the failed run. */
  readonly print: (world: WorkflowWorld, file: string) => Promise<string>;
}

const printed = ({ stdout, stderr }: Ran): string => `${stdout}${stderr}`;

const running =
  (options: CallOptions, ...more: readonly string[]): Surface["print"] =>
  async (world, file) =>
    printed(await world.call(["workflow", "run", file, "--run", "ship_1", ...more], options));

const after =
  (...args: readonly string[]): Surface["print"] =>
  async (world, file) => {
    await running({})(world, file);
    const words = args.map((word) => (word === "JOURNAL" ? world.path("runs.db") : word));
    return printed(await world.call(words));
  };

/** As a server would answer for the run: its id is the one in `runs show`. */
const asProblem: Surface["print"] = async (world, file) => {
  await running({})(world, file);
  const { visits } = (await world.json(["runs", "show", "ship_1"])) as { readonly visits: readonly { fault: Fault }[] };
  const correlationId = /ship_1\/pay#1\.1[^\s"'\]]*/.exec(JSON.stringify(visits))?.[0] ?? "";
  const seen = fault(visits[0]?.fault.code ?? "Unclassified", { message: SAID });
  return JSON.stringify(toProblem(seen, { correlationId }));
};

/** Journal lines have the two parts of the id in separate fields: the session in the first line, the turn in others. */
const asLines: Surface["print"] = async (world, file) => {
  const text = await after("runs", "export", "ship_1", "--format", "jsonl")(world, file);
  const lines = text.trim().split("\n");
  const { session } = JSON.parse(lines[0] ?? "{}") as { readonly session: string };
  const [, turn = ""] = /"turn":"([^"]+)"/.exec(text) ?? [];
  return `${text}\n${session}/${turn}`;
};

const asBundle =
  (name: string): Surface["print"] =>
  async (world, file) => {
    await after("runs", "export", "ship_1", "--format", "bundle", "--out", world.path("bundle"))(world, file);
    return world.read(`bundle/${name}`);
  };

const SURFACES: readonly Surface[] = [
  { surface: "workflow run", print: running({}) },
  { surface: "workflow run on a terminal", print: running({ isTTY: true, columns: 100 }) },
  { surface: "workflow run --json", print: running({}, "--json") },
  { surface: "workflow run --jsonl", print: running({}, "--jsonl") },
  { surface: "runs show", print: after("runs", "show", "ship_1") },
  { surface: "runs show --json", print: after("runs", "show", "ship_1", "--json") },
  { surface: "runs watch", print: after("runs", "watch", "ship_1") },
  { surface: "runs export, lines", print: asLines },
  { surface: "runs export, CloudEvents", print: after("runs", "export", "ship_1", "--format", "cloudevents") },
  ...["run.json", "events.jsonl"].map((name) => ({
    surface: `runs export, ${name} of the bundle`,
    print: asBundle(name),
  })),
  { surface: "journal show", print: after("journal", "show", "JOURNAL", "ship_1") },
  { surface: "journal show --json", print: after("journal", "show", "JOURNAL", "ship_1", "--json") },
  { surface: "problem+json", print: asProblem },
];

const GRID = SURFACES.flatMap((surface) => FAILURES.map((failure) => ({ ...surface, ...failure })));

describe.each(GRID)("$surface about $failure", ({ print, file, explains }) => {
  it("prints the correlation id, under which explain finds the failure without its secret", async () => {
    const world = new WorkflowWorld();
    const text = await print(world, await file(world));
    expect(text).not.toContain("a1B2");
    const [id = ""] = /ship_1\/pay#1\.1[^\s"'\]\u001b]*/.exec(text) ?? [];
    expect(id, text).not.toBe("");
    const { stdout, exit } = await world.call(["explain", id]);
    expect(exit).toBe("ok");
    for (const part of explains) expect(stdout).toMatch(part);
    expect(stdout).not.toContain("a1B2");
  });
});

describe("faultline run", () => {
  it.each([[[]], [["--json"]]])("prints the id of its call when it keeps a journal: %j", async (more) => {
    const world = new WorkflowWorld();
    const journal = world.path("runs.db");
    const command = ["node", "-e", `console.error(${JSON.stringify(SAID)}); process.exitCode = 3`];
    const ran = await world.call(["run", "--journal", journal, "--session", "nightly", ...more, "--", ...command]);
    const [id = ""] = /nightly\/[^\s"']+/.exec(`${ran.stdout}${ran.stderr}`) ?? [];
    expect(id, ran.stderr).not.toBe("");
    const { stdout, exit } = await world.call(["explain", id, "--journal", journal]);
    expect({ exit, says: stdout.includes("the ledger is full") }).toEqual({ exit: "ok", says: true });
    expect(stdout).not.toContain("a1B2");
  });
});
