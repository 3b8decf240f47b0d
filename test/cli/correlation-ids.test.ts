// Every surface that reports a failure prints its correlation id, and `faultline explain` opens the causes under that id.

import { describe, expect, it } from "vitest";
import { WorkflowWorld } from "./workflow-world.ts";

const SECRET = `sk-live-${"a1B2c3D4".repeat(4)}`;
const SAID = `the ledger is full, key ${SECRET}`;
const workflow = (script: string): string => `faultline: 1
workflow: { id: ship, version: "1" }
nodes:
  pay: { type: command, run: ["node ${script}"] }
`;

interface Surface {
  readonly surface: string;
  /** What it prints about the failed run. */
  readonly print: (world: WorkflowWorld) => Promise<string>;
}

async function failedRun(world: WorkflowWorld, ...more: readonly string[]): Promise<string> {
  const script = world.write("pay.mjs", `console.error(${JSON.stringify(SAID)}); process.exitCode = 3`);
  const file = world.write("ship.faultline.yaml", workflow(script));
  const { stdout, stderr } = await world.call(["workflow", "run", file, "--run", "ship_1", ...more]);
  return `${stdout}${stderr}`;
}

const after =
  (...args: readonly string[]): Surface["print"] =>
  async (world) => {
    await failedRun(world);
    const words = args.map((word) => (word === "JOURNAL" ? world.path("runs.db") : word));
    const { stdout, stderr } = await world.call(words);
    return `${stdout}${stderr}`;
  };

const SURFACES: readonly Surface[] = [
  { surface: "workflow run", print: (world) => failedRun(world) },
  { surface: "workflow run --json", print: (world) => failedRun(world, "--json") },
  { surface: "workflow run --jsonl", print: (world) => failedRun(world, "--jsonl") },
  { surface: "runs show", print: after("runs", "show", "ship_1") },
  { surface: "runs show --json", print: after("runs", "show", "ship_1", "--json") },
  { surface: "runs watch", print: after("runs", "watch", "ship_1") },
  { surface: "runs export, CloudEvents", print: after("runs", "export", "ship_1", "--format", "cloudevents") },
  { surface: "journal show", print: after("journal", "show", "JOURNAL", "ship_1") },
  { surface: "journal show --json", print: after("journal", "show", "JOURNAL", "ship_1", "--json") },
];

describe.each(SURFACES)("$surface", ({ print }) => {
  it("prints the correlation id, under which explain finds the failure without its secret", async () => {
    const world = new WorkflowWorld();
    const text = await print(world);
    expect(text).not.toContain("a1B2");
    const [id = ""] = /ship_1\/pay#1\.1[^\s"'\]]*/.exec(text) ?? [];
    expect(id, text).not.toBe("");
    const { stdout, exit } = await world.call(["explain", id]);
    expect({ exit, says: stdout.includes("the ledger is full") }).toEqual({ exit: "ok", says: true });
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
