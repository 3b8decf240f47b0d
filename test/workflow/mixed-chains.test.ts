// Chains of models and agent CLIs in a workflow file, and CLIs alone: real processes, a provider that fails on demand, and the
// resulting journal and stream.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ScenarioRule } from "../../src/chaos/scenario-schema.ts";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { createRunStream } from "../../src/core/record/run-stream.ts";
import { createMemoryJournal, fault, FaultError, type Journal } from "../../src/index.ts";
import type { RunEnd } from "../../src/workflow/runs-api.ts";
import type { WorkflowRuns } from "../../src/workflow/runs.ts";
import type { Workflow } from "../../src/workflow-model/stage.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import { captureOf } from "../agent/captures/read-captures.ts";
import { type ActionsWorld, openWorld, STARTED_AT } from "./operator/world.ts";
import { createMatrixClock } from "./matrix/clock.ts";
import { CLAUDE_USES_A_TOOL } from "./matrix/rows/claude-lines.ts";

/** A fake claude that records its prompts and answers with the next of these texts; the last one is repeated. */
const claude = (...answers: readonly string[]): string => `
const { readFileSync } = await import("node:fs");
writeFileSync(folder + "/asked.txt", args.join(" ") + "\\n=====\\n", { flag: "a" });
const count = readFileSync(folder + "/asked.txt", "utf8").split("=====").length - 2;
const all = ${JSON.stringify(answers)};
const result = all[Math.min(count, all.length - 1)];
process.stdout.write(JSON.stringify({ type: "result", subtype: "success", is_error: false, duration_ms: 5, num_turns: 1, result, session_id: "s1", total_cost_usd: 0.25, usage: {} }) + "\\n");
`;

const played = (name: string): string => {
  const { stdout, stderr, exitCode } = captureOf(name);
  return `process.stdout.write(${JSON.stringify(stdout)}); process.stderr.write(${JSON.stringify(stderr)}); process.exitCode = ${exitCode ?? 1};`;
};

const flow = (agent: string, more = ""): string => `${more}
agents:
  coder: { ${agent} }
nodes:
  code: { type: agent, agent: coder, prompt: Write it., next: done }
  done: { type: transform, value: "({ is: nodes.code.output })", next: { to: end, outcome: written } }
`;

const SCHEMA = "output_schema: { type: object, required: [n], properties: { n: { type: integer } } }";
const down = (...models: readonly string[]): readonly ScenarioRule[] =>
  models.map((model) => ({ when: { model }, fault: "unavailable" as const }));

/** The run's result, the node's output, and the order of the targets that were asked. */
async function ran(world: ActionsWorld) {
  const run = await world.start();
  const { status, fault } = await world.advance(run);
  const entries = await world.entries(run);
  const stream = createRunStream(run);
  const told = entries.flatMap((entry) => stream.feed(entry));
  const given = await world.journal.kept("result", `${run}/node/code#1`);
  return {
    status,
    fault,
    output: (given as { readonly value?: unknown } | null)?.value,
    asked: entries.flatMap(({ event }) => (event.type === "call-admitted" ? [event.tool] : [])),
    switches: told.flatMap((one) => (one.type === "call.switched" ? [`${one.data.from} → ${one.data.to}`] : [])),
    regenerations: told.filter(({ type }) => type === "call.regenerating").length,
    spent: told.findLast((one) => one.type === "cost.updated")?.data.microcents ?? 0,
  };
}

it("a CLI is the fallback of an unavailable model, with the same prompt and its own price", async () => {
  const world = await openWorld({
    yaml: flow("model: openai/first, fallback: [claude], system: You write code."),
    rules: down("first"),
    clis: { claude: claude("Written by claude.") },
  });
  const got = await ran(world);
  expect(got).toMatchObject({ status: "completed", output: "Written by claude.", switches: ["openai/first → claude"] });
  expect(got.asked.at(-1)).toBe("claude");
  expect(world.lines("asked.txt").join("\n")).toContain("You write code.\n\nWrite it.".replaceAll("\n\n", "\n"));
  expect(got.spent).toBe(25_000_000);
});

it("a model is the fallback of a CLI whose provider is overloaded, and the next CLI is the fallback of that", async () => {
  const world = await openWorld({
    yaml: flow("cli: claude, fallback: [openai/second, { name: generic, command: ./third }]"),
    rules: [],
    clis: { claude: played("claude-529-stream") },
  });
  const got = await ran(world);
  expect(got).toMatchObject({ status: "completed", asked: ["claude", "openai/second"] });
  expect(world.asked("second")).toHaveLength(1);

  const both = await openWorld({
    yaml: flow("cli: claude, fallback: [openai/second, { name: generic, command: bin/third }]"),
    rules: down("second"),
    clis: { claude: played("claude-529-stream"), third: `process.stdout.write("Written by the third.");` },
  });
  const last = await ran(both);
  expect(last).toMatchObject({ status: "completed", output: "Written by the third." });
  expect(last.switches).toEqual(["claude → openai/second", "openai/second → third"]);
});

it("a CLI's answer in the chain is checked against the schema, and requested once more with its mistakes", async () => {
  const world = await openWorld({
    yaml: flow(`model: openai/first, fallback: [claude], ${SCHEMA}`),
    rules: down("first"),
    clis: { claude: claude("It is three.", 'Here you are:\n```json\n{ "n": 3 }\n```') },
  });
  const got = await ran(world);
  expect(got).toMatchObject({ status: "completed", output: { n: 3 }, regenerations: 1 });
  const [first = "", second = ""] = world.lines("asked.txt").join("\n").split("=====");
  expect(first).toContain("JSON Schema");
  expect(second).toContain("This was answered so far:\nIt is three.");
  expect(second).toContain("Your last answer could not be used");
});

it("an invalid answer of a CLI-only chain is requested once more from the same CLI, and watchers see it", async () => {
  const world = await openWorld({
    yaml: flow(`cli: claude, fallback: [codex], ${SCHEMA}`),
    clis: { claude: claude("It is three.", '{ "n": 3 }') },
  });
  expect(await ran(world)).toMatchObject({
    status: "completed",
    output: { n: 3 },
    regenerations: 1,
    asked: ["claude", "claude"],
    switches: [],
  });
  const [first = "", second = ""] = world.lines("started.txt");
  expect([first.includes(`"--resume","s1"`), second.includes(`"--resume","s1"`)]).toEqual([false, true]);
});

it("a CLI that takes over in the middle of the work gets the tool results of the model", async () => {
  const world = await openWorld({
    yaml: flow(
      "model: openai/first, fallback: [claude], tools: [lookup]",
      `tools: { lookup: { command: [node, lookup.mjs], description: Looks it up, input: { type: object }, idempotent: true } }`,
    ),
    rules: [
      { when: { model: "first", request: 1 }, call: { tool: "lookup", input: { q: "height" } } },
      { when: { model: "first" }, fault: "unavailable" },
    ],
    files: {
      "lookup.mjs": `process.stdin.resume(); process.stdin.on("end", () => process.stdout.write("8849 metres"));`,
    },
    clis: { claude: claude("So it is 8849.") },
  });
  const got = await ran(world);
  expect(got).toMatchObject({ status: "completed", output: "So it is 8849." });
  const asked = world.lines("asked.txt").join("\n");
  expect(asked).toContain(`The tool lookup was called with {"q":"height"}.`);
  expect(asked).toContain("8849 metres");
});

it("the text of a broken stream is discarded when a CLI takes over", async () => {
  const world = await openWorld({
    yaml: flow("model: openai/first, fallback: [claude], stream: true"),
    rules: [{ when: { model: "first" }, answer: "One two three four five six.", fault: "cut-stream" }],
    clis: { claude: claude("Written by claude.") },
  });
  expect(await ran(world)).toMatchObject({ status: "completed", output: "Written by claude." });
});

it("a model does not redo the work of a failed CLI that may have changed something, unless it is declared idempotent", async () => {
  const clis = { claude: `process.stdout.write(${JSON.stringify(CLAUDE_USES_A_TOOL)}); process.exitCode = 1;` };
  const careful = await openWorld({ yaml: flow("cli: claude, fallback: [openai/second]"), clis });
  expect(await ran(careful)).toMatchObject({ status: "failed", asked: ["claude"] });
  const harmless = await openWorld({ yaml: flow("cli: claude, fallback: [openai/second], idempotent: true"), clis });
  expect(await ran(harmless)).toMatchObject({ status: "completed", asked: ["claude", "openai/second"] });
});

it("an operator switches from the model to the CLI of the chain", async () => {
  const world = await openWorld({
    yaml: flow("model: openai/first, fallback: [claude]"),
    rules: [{ when: { model: "first" }, fault: "unauthorized" }],
    clis: { claude: played("claude-401-stream") },
  });
  const run = await world.start();
  expect((await world.advance(run)).status).toBe("failed");
  const offered = (await world.show(run)).actions.find(({ id }) => id === "switch-provider");
  expect(offered?.choices).toEqual(["claude"]);
  world.write("claude.mjs", `process.stdout.write(${JSON.stringify(captureOf("claude-ok-stream").stdout)});`);
  const next = await world.until(world.runs.act(run, "switch-provider", { params: { target: "claude" } }));
  expect(await world.advance(next.run)).toMatchObject({ status: "completed", outcome: "written" });
  expect(world.asked("first")).toHaveLength(1);
});

it("a run that is cut off at any write reaches the same end, and no answered request is repeated", async () => {
  const folder = mkdtempSync(join(tmpdir(), "faultline-mixed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createMatrixClock(STARTED_AT, () => 0);
  const chaos = await startChaos({ clock, scenario: { rules: [...down("first")] } });
  onTestFinished(() => chaos.close());
  const script = `const all = ["It is three.", '{ "n": 3 }'];
const { appendFileSync } = await import("node:fs");
appendFileSync("asked.txt", "asked\\n");
process.stdout.write(process.argv.join(" ").includes("could not be used") ? all[1] : all[0]);`;
  writeFileSync(join(folder, "second.mjs"), script);
  const generic = `{ name: generic, command: "${process.execPath}", args: [second.mjs] }`;
  const yaml = flow(`model: openai/first, fallback: [${generic}], ${SCHEMA}, idempotent: true`);
  writeFileSync(join(folder, "flow.yaml"), `faultline: 1\nworkflow: { id: flow, version: "1" }\n${yaml}`);
  const env = { PATH: process.env["PATH"], OPENAI_BASE_URL: chaos.openaiUrl, OPENAI_API_KEY: "sk-of-the-test" };

  const life = async (journal: Journal, work: (runs: WorkflowRuns, workflow: Workflow) => Promise<RunEnd>) => {
    const workflows = createWorkflows({ journal, clock, env, worker: { name: "this", isGone: () => true } });
    const { runs } = workflows;
    const { workflow } = await workflows.file(join(folder, "flow.yaml"));
    if (workflow === null) throw new Error("it is no workflow");
    const [ended] = await clock.runUntil(Promise.allSettled([work(runs, workflow)]));
    await clock.runUntil(runs.stop());
    return ended.status === "fulfilled" ? ended.value : null;
  };
  const counts = { appends: 0 };
  const refusing = (journal: Journal, after: number): Journal => ({
    ...journal,
    append: (...entries) => {
      counts.appends += 1;
      const gone = new FaultError(fault("StoreUnavailable", { message: "the disk is gone" }));
      return counts.appends > after ? Promise.reject(gone) : journal.append(...entries);
    },
  });

  for (let after = 1, isWhole = false; !isWhole; after += 2) {
    counts.appends = 0;
    const journal = createMemoryJournal({ clock });
    const first = await life(refusing(journal, after), async (runs, workflow) =>
      runs.advance(await runs.start(workflow, { run: "r" })),
    );
    isWhole = first !== null;
    if ((await journal.kept("run", "r")) === null) continue;
    const end = await life(journal, (runs) => runs.advance("r"));
    expect(end, `cut off after ${after} writes`).toMatchObject({ status: "completed", fault: null });
    expect(await journal.kept("result", "r/node/code#1")).toEqual({ value: { n: 3 } });
    const answered = new Map<string, number>();
    for await (const { event } of journal.read("r"))
      if (event.type === "call-succeeded") answered.set(event.call, (answered.get(event.call) ?? 0) + 1);
    expect([...answered.values()]).toEqual([1]);
  }
  expect(counts.appends).toBeGreaterThan(12);
});
