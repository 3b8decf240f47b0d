// Every action from the command line: `runs do <run> <action>` is accepted where the action is offered, and the journal records
// what was typed.

import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { startChaos } from "../../../src/chaos/start-chaos.ts";
import { ACTION_IDS, type ActionId } from "../../../src/core/flow/action.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { WorkflowWorld } from "../../cli/workflow-world.ts";
import { CLAUDE_IS_DENIED_THRICE } from "../matrix/rows/claude-lines.ts";

interface Typed {
  readonly action: ActionId;
  readonly options: readonly string[];
  readonly yaml: string;
  readonly rules?: readonly ScenarioRule[];
  /** The entries for the run, as far as they matter here. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Processes are started, so the test cannot control time. */
  readonly inRealTime?: true;
}

const agent = (more = "", node = ""): string => `
agents: { coder: { model: openai/coder${more} } }
nodes:
  plan: { type: transform, value: "1", next: code }
  code: { type: agent, agent: coder, role: coder, prompt: "Write it. {{ nodes.plan.output }}", ${node}next: check }
  check: { type: transform, value: "2" }
`;
const CHECKED = agent("").replace(`value: "2"`, `value: "2", assert: [{ that: "output > 3", reason: too small }]`);
const GATE = `
nodes:
  gate:
    type: human_gate
    ask: Select
    prompt: Go on?
    options: [{ id: confirm, label: Confirm }, { id: continue, label: Continue }]
    next: { to: end, outcome: confirmed }
`;
const SCHEMA = ", output_schema: { type: object, required: [a], properties: { a: { type: integer } } }";
const TOOLS = `
tools: { lookup: { command: [node, lookup.mjs], description: Looks it up, input: { type: object }, idempotent: true } }
`;
const coder = (fault: NonNullable<ScenarioRule["fault"]>, more: ScenarioRule = {}): readonly ScenarioRule[] => [
  { when: { model: "coder" }, ...more, fault },
];
const DENIED = coder("unauthorized");
const cost = (yaml: string, limits: string): string => `limits: { ${limits} }\n${yaml}`;

const TYPED: readonly Typed[] = [
  { action: "retry-stage", options: [], yaml: agent(), rules: coder("unavailable"), params: {} },
  { action: "retry-now", options: [], yaml: agent(), rules: coder("rate-limit", { "retry-after": 1_200 }), params: {} },
  { action: "sign-in-again", options: [], yaml: agent(), rules: DENIED, params: {} },
  {
    action: "switch-provider",
    options: ["--target", "openai/other"],
    yaml: agent(", fallback: [openai/other, openai/third]"),
    rules: DENIED,
    params: { target: "openai/other" },
  },
  {
    action: "edit-and-retry",
    options: ["--text", "Something else."],
    yaml: agent(),
    rules: coder("content-filter"),
    params: { text: "Something else." },
  },
  {
    action: "edit-and-retry",
    options: ["--text", "echo hi", "--command", "echo hi"],
    yaml: `nodes: { run: { type: command, run: "false" } }`,
    params: { text: "echo hi", commands: ["echo hi"] },
    inRealTime: true,
  },
  {
    action: "regenerate-once",
    options: ["--text", "Only the object."],
    yaml: agent(SCHEMA),
    rules: [{ when: { model: "coder" }, answer: "prose" }],
    params: { text: "Only the object." },
  },
  { action: "regenerate-once", options: [], yaml: agent(SCHEMA), rules: [{ answer: "prose" }], params: {} },
  {
    action: "shorten-context",
    options: [],
    yaml: agent().replace(`"1"`, `"'x'.repeat(900)"`),
    rules: coder("context-overflow"),
    params: {},
  },
  { action: "send-back", options: ["--text", "Mind it."], yaml: CHECKED, params: { text: "Mind it.", to: "code" } },
  { action: "send-back", options: [], yaml: CHECKED, params: { to: "code" } },
  { action: "accept-partial", options: [], yaml: CHECKED, params: {} },
  {
    action: "grant-and-retry",
    options: ["--command", "echo hi", "--command", "echo ho *"],
    yaml: `nodes: { run: { type: command, run: { from: "['echo hi']" }, allow: ["echo no"] } }`,
    params: { commands: ["echo hi", "echo ho *"] },
  },
  {
    action: "grant-and-retry",
    options: ["--tool", "Edit", "--tool", "Bash(npm test:*)"],
    yaml: agent().replace("model: openai/coder", "cli: claude"),
    params: { tools: ["Edit", "Bash(npm test:*)"] },
    inRealTime: true,
  },
  {
    action: "raise-limit",
    options: ["--max-cost-usd", "5"],
    yaml: cost(agent().replace("openai/coder", "openai/gpt-4o"), "max_cost_usd: 0.0000001"),
    params: { limits: { maxCostMicrocents: 500_000_000 } },
  },
  {
    action: "raise-limit",
    options: ["--timeout", "2h"],
    yaml: cost(agent(), "timeout: 30s"),
    rules: coder("hang"),
    params: { limits: { timeoutMs: 7_200_000 } },
  },
  {
    action: "raise-limit",
    options: ["--max-nodes", "9"],
    yaml: cost(agent(), "max_nodes: 1"),
    params: { limits: { maxNodes: 9 } },
  },
  {
    action: "raise-limit",
    options: ["--turn-cap", "9"],
    yaml: `${TOOLS}${agent(", tools: [lookup], turn_cap: 1, on_cap: fail")}`,
    rules: [{ when: { model: "coder" }, call: { tool: "lookup", input: {} } }],
    params: { limits: { turnCap: 9 } },
    inRealTime: true,
  },
  {
    action: "continue-discussion",
    options: ["--text", "And refunds?"],
    yaml: GATE,
    params: { text: "And refunds?", option: "continue" },
  },
  { action: "resume", options: [], yaml: GATE, params: {} },
  { action: "cancel", options: [], yaml: GATE, params: {} },
];

it.each(TYPED)(
  "runs do $action $options is taken, once",
  async ({ action, options, yaml, rules, params, inRealTime }) => {
    const world = await worldFor(yaml, rules ?? [], inRealTime !== true);
    const typed = ["runs", "do", "r", action, ...options, "--detach"];
    const { actions } = (await world.json(["runs", "show", "r"])) as { readonly actions: readonly Shown[] };
    const offered = actions.find(({ id }) => id === action);
    expect(offered, JSON.stringify(actions)).toBeDefined();
    const wrong = await world.call([...typed, "--turn-cap", "1", "--text", "?", "--target", "?"]);
    expect(wrong.exit).not.toBe("ok");
    const got = await world.json([...typed, "--key", offered?.key ?? ""]);
    expect(got).toMatchObject({ action, did: true });
    const journal = await openJournal(world.path("runs.db"), { clock: world.clock });
    const left = (await journal.keptAll("action", "r")).map(({ value }) => value as Left);
    await journal.close();
    expect(left.find((one) => one.action === action && one.key !== "successor")).toMatchObject({ params, by: "cli" });
    const twice = await world.json([...typed, "--key", offered?.key ?? ""]);
    expect(twice).toMatchObject({ action, did: false, run: got["run"] });
  },
);

it("runs answer takes the one action that `runs do` has no option for", async () => {
  const world = await worldFor(GATE, [], true);
  const { actions } = (await world.json(["runs", "show", "r"])) as { readonly actions: readonly Shown[] };
  expect(actions.find(({ id }) => id === "answer")?.command).toContain("runs answer r 'confirm|continue'");
  const refused = await world.call(["runs", "do", "r", "answer", "--detach"]);
  expect([refused.exit, refused.stderr]).toEqual(["usage", expect.stringContaining("answer") as string]);
  const got = await world.call(["runs", "answer", "r", "confirm"]);
  expect(got.exit).toBe("ok");
  expect(await world.json(["workflow", "resume", "r"])).toMatchObject({ status: "completed", outcome: "confirmed" });
});

it("the table contains every action", () => {
  expect(new Set([...TYPED.map(({ action }) => action), "answer"])).toEqual(new Set(ACTION_IDS));
});

interface Shown {
  readonly id: string;
  readonly key: string;
  readonly command: string;
}

interface Left {
  readonly action: string;
  readonly key: string;
}

/** A run named `r` that has failed or waits. */
async function worldFor(yaml: string, rules: readonly ScenarioRule[], ownTime: boolean): Promise<WorkflowWorld> {
  const world = new WorkflowWorld(ownTime);
  const chaos = await startChaos({ clock: world.clock, scenario: { rules: [...rules] } });
  onTestFinished(() => chaos.close());
  const head = `faultline: 1\nworkflow: { id: flow, version: "1" }\nproviders: { openai: { base_url: "${chaos.openaiUrl}" } }\n`;
  const file = world.write("flow.yaml", `${head}${yaml}`);
  world.write("lookup.mjs", `process.stdin.resume(); process.stdin.on("end", () => process.stdout.write("1"));`);
  mkdirSync(world.path("bin"));
  world.write("denied.txt", CLAUDE_IS_DENIED_THRICE);
  chmodSync(world.write("bin/claude", `#!/bin/sh\ncat "${world.path("denied.txt")}"\nexit 1\n`), 0o755);
  const env = { PATH: [world.path("bin"), dirname(process.execPath), "/bin", "/usr/bin"].join(delimiter) };
  const begun = await world.call(["workflow", "run", file, "--run", "r", "--no-wait"], { env });
  if (!readdirSync(world.folder).includes("runs.db")) throw new Error(begun.stderr);
  return world;
}
