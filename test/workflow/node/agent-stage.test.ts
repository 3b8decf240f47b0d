// Agent nodes on agent CLIs, and the operator's overrides: real processes play the CLIs.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../../src/host/clock.ts";
import type { Instruction } from "../../../src/core/flow/visit.ts";
import { createFaultline, createMemoryJournal, fault } from "../../../src/index.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { type StageAttemptEnd, runAttempt } from "../../../src/workflow/advance/attempt.ts";
import { agentMembers } from "../../../src/workflow/node/agent-members.ts";
import { RawLog } from "../../../src/workflow/node/agent-raw.ts";
import { agentStage } from "../../../src/workflow/node/agent-stage.ts";
import { agentTargetIds } from "../../../src/workflow/node/agent-targets.ts";
import type { AgentTarget } from "../../../src/workflow-model/node-options.ts";
import type { StageScope } from "../../../src/workflow-model/stage.ts";
import { captureOf } from "../../agent/captures/read-captures.ts";
import { agentWorld, NODE, SPEC, type Trial } from "./agent-world.ts";

/** Short waits between attempts, and enough time for processes. */
const STARTED_AT = systemClock.now();
const HASTY: Clock = {
  ...systemClock,
  now: () => STARTED_AT + (systemClock.now() - STARTED_AT) * 25,
  after: (delayMs, wake) => systemClock.after(delayMs / 25, wake),
};

const PLAN = { type: "object", required: ["commands"], properties: { commands: { type: "array" } } } as const;

const instructed = (action: string, params: Instruction["params"] = {}): Instruction => ({ action, params, by: "ada" });

/** A fake CLI prints the entries of its list, one per start; the last is repeated. */
const PROGRAM = `
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
const [name, folder, ...args] = process.argv.slice(2);
const list = JSON.parse(readFileSync(folder + "/" + name + ".json", "utf8"));
const say = list.length > 1 ? list.shift() : list[0];
writeFileSync(folder + "/" + name + ".json", JSON.stringify(list));
appendFileSync(folder + "/runs.jsonl", JSON.stringify({ name, args }) + "\\n");
process.stdout.write(say.stdout);
process.stderr.write(say.stderr ?? "");
process.exitCode = say.exitCode ?? 0;
`;

interface Said {
  readonly stdout: string;
  readonly stderr?: string;
  readonly exitCode?: number | null;
}

interface StandIns {
  readonly env: Readonly<Record<string, string>>;
  readonly runs: () => readonly { readonly name: string; readonly args: readonly string[] }[];
}

function standIns(clis: Readonly<Record<string, readonly Said[]>>): StandIns {
  const folder = mkdtempSync(join(tmpdir(), "faultline-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  writeFileSync(join(folder, "runs.jsonl"), "");
  for (const [name, says] of Object.entries(clis)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(says));
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nexec "${process.execPath}" "${folder}/program.mjs" ${name} "${folder}" "$@"\n`,
    );
    chmodSync(join(folder, name), 0o755);
  }
  return {
    env: { PATH: `${folder}${delimiter}/bin${delimiter}/usr/bin` },
    runs: () =>
      readFileSync(join(folder, "runs.jsonl"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as ReturnType<StandIns["runs"]>[number]),
  };
}

/** Claude's stream with another answer in it. */
function claudeSays(text: string): Said {
  const { stdout } = captureOf("claude-ok-stream");
  const lines = stdout.split("\n").map((line) => {
    if (!line.includes('"result"')) return line;
    const event = JSON.parse(line) as Record<string, unknown>;
    return event["type"] === "result" ? JSON.stringify({ ...event, result: text }) : line;
  });
  return { stdout: lines.join("\n") };
}

const cliTarget = (name: string, more: Partial<AgentTarget & { readonly kind: "cli" }> = {}): AgentTarget => ({
  kind: "cli",
  cli: name,
  command: "",
  args: [],
  model: "",
  ...more,
});

const GENERIC = cliTarget("generic", { command: "teller", args: ["--quick"] });

async function attempt(env: StandIns["env"], trial: Trial): Promise<{ end: StageAttemptEnd | null; raw: string }> {
  const chance = createSeededChance(1);
  const journal = createMemoryJournal({ clock: HASTY, chance });
  const fl = createFaultline({ clock: HASTY, chance, journal });
  const session = await fl.session("run");
  const home = {
    sandbox: createSandbox(),
    env,
    cwd: process.cwd(),
    clock: HASTY,
    tool: () => undefined,
    learn: () => Promise.resolve(),
    outcomeWord: "completed",
  };
  const stage = agentStage({ ...NODE, ...trial.node, agent: { ...SPEC, ...trial.agent } }, home);
  const scope: StageScope = {
    run: "run",
    node: stage.id,
    execution: 1,
    attempt: 1,
    inputs: trial.inputs ?? { task: "it" },
    nodes: {},
    executionsOf: () => 1,
    lastFault: trial.lastFault ?? null,
    instruction: trial.instruction ?? null,
  };
  let raw = "";
  const { value } = await session.turn(
    (turn) =>
      runAttempt(
        stage,
        {
          faultline: fl,
          turn,
          signal: new AbortController().signal,
          turnCap: stage.turnCap,
          ask: () => Promise.reject(new Error("agents do not ask")),
          raw: (text) => void (raw += text),
          budgetLeftMicrocents: trial.budget ?? (() => Infinity),
        },
        scope,
        () => undefined,
      ),
    { id: "coder#1.1", timeoutMs: 3_600_000 },
  );
  await fl.close();
  return { end: value ?? null, raw };
}

describe("a node with an agent CLI", () => {
  it.each([false, true])(
    "gives the CLI its system and prompt, and its text is the output (stream: %s)",
    async (stream) => {
      const { env, runs } = standIns({ claude: [claudeSays("done it")] });
      const targets = [cliTarget("claude", { model: "opus", args: ["--add-dir", "."] })];
      const { end, raw } = await attempt(env, { agent: { targets, system: "You write code.", stream } });
      expect(end).toMatchObject({ end: "completed", output: "done it" });
      expect(runs()[0]?.args.slice(0, 3)).toEqual(["--add-dir", ".", "-p"]);
      expect(runs()[0]?.args).toContain("opus");
      expect(runs()[0]?.args.at(-1)).toBe("You write code.\n\nDo it.");
      expect(raw).toContain("### claude, attempt 1");
      expect(raw).toContain('"result":"done it"');
    },
  );

  it("falls back to the next CLI, and keeps the output of the failed one", async () => {
    const failed = captureOf("claude-529-stream");
    const { env, runs } = standIns({ claude: [failed], teller: [{ stdout: "from the other one\n" }] });
    const { end, raw } = await attempt(env, { agent: { targets: [cliTarget("claude"), GENERIC] } });
    expect(end).toMatchObject({ end: "completed", output: "from the other one" });
    expect(runs().map(({ name }) => name)).toEqual(["claude", "teller"]);
    expect(runs()[1]?.args).toEqual(["--quick", "Do it."]);
    expect(raw).toContain("529");
  });

  it("fails with the CLI's fault, and keeps its output", async () => {
    const { env } = standIns({
      teller: [{ stdout: "", stderr: "boom: ENOSPC no space left on device\n", exitCode: 3 }],
    });
    const { end, raw } = await attempt(env, { agent: { targets: [GENERIC] } });
    expect(end).toMatchObject({ end: "failed", fault: { code: "ResourceExhausted" } });
    expect(raw).toContain("boom: ENOSPC");
  });

  it.each([
    ["plain", '{"commands":["npm test"]}'],
    ["behind a word, in a fence", 'Here it is:\n```json\n{"commands":["npm test"]}\n```\nBye.'],
  ])("reads JSON that is %s, and says what it wants in the prompt", async (_how, stdout) => {
    const { env, runs } = standIns({ teller: [{ stdout }] });
    const { end } = await attempt(env, { agent: { targets: [GENERIC], outputSchema: PLAN } });
    expect(end).toMatchObject({ end: "completed", output: { commands: ["npm test"] } });
    expect(runs()[0]?.args.at(-1)).toContain('"commands"');
  });

  it("reruns it in the same session with the mistakes when its JSON does not fit", async () => {
    const { env, runs } = standIns({ claude: [claudeSays('{"command":"x"}'), claudeSays('{"commands":[]}')] });
    const { end, raw } = await attempt(env, { agent: { targets: [cliTarget("claude")], outputSchema: PLAN } });
    expect(end).toMatchObject({ end: "completed", output: { commands: [] } });
    const [, second] = runs();
    expect(second?.args).toContain("--resume");
    expect(second?.args.at(-1)).toContain("could not be used");
    expect(second?.args.at(-1)).toContain("commands");
    expect(second?.args.at(-1)).toContain("Do it.");
    expect(raw).toContain("command");
    expect(runs()).toHaveLength(2);
  });

  it("is SchemaInvalid when the second answer does not fit either", async () => {
    const { env, runs } = standIns({ teller: [{ stdout: "no json at all" }] });
    const { end } = await attempt(env, { agent: { targets: [GENERIC], outputSchema: PLAN } });
    expect(end).toMatchObject({ end: "failed", fault: { class: "Output", code: "SchemaInvalid" } });
    expect(runs()).toHaveLength(2);
  });

  it("does not run without money", async () => {
    const { env, runs } = standIns({ teller: [{ stdout: "hi" }] });
    const { end } = await attempt(env, { agent: { targets: [GENERIC], maxCostMicrocents: 9 }, budget: () => 0 });
    expect(end).toMatchObject({ end: "failed", fault: { code: "BudgetExceeded", context: { limit: 9 } } });
    expect(runs()).toEqual([]);
  });
});

describe("an operator's instruction", () => {
  const says = { teller: [{ stdout: "ok" }], other: [{ stdout: "other" }], claude: [claudeSays("ok")] };
  const OTHER = cliTarget("generic", { command: "other" });

  async function promptWith(instruction: Instruction, more: Trial = {}): Promise<string> {
    const { env, runs } = standIns(says);
    await attempt(env, { agent: { targets: [GENERIC] }, instruction, ...more });
    return runs()[0]?.args.at(-1) ?? "";
  }

  it("replaces the prompt, or is added to it under a heading", async () => {
    expect(await promptWith(instructed("edit-and-retry", { text: "Do this {{ instead }}" }))).toBe(
      "Do this {{ instead }}",
    );
    for (const action of ["send-back", "continue-discussion"]) {
      expect(await promptWith(instructed(action, { text: "Too long." }))).toBe(
        "Do it.\n\n## Comment of the operator\n\nToo long.",
      );
    }
  });

  it("passes on what was wrong: in the operator's words, or from the last fault", async () => {
    expect(await promptWith(instructed("regenerate-once", { text: "No table." }))).toContain("No table.");
    const lastFault = fault("SchemaInvalid", { message: "$.decision is missing" });
    expect(await promptWith(instructed("regenerate-once"), { lastFault })).toContain("$.decision is missing");
  });

  it("shortens long values to a quarter, and leaves short ones and the prompt itself alone", async () => {
    const prompt = await promptWith(instructed("shorten-context"), {
      node: { prompt: "Short: {{ inputs.short }}. Long: {{ inputs.long }}!" },
      inputs: { short: "s".repeat(300), long: "l".repeat(8_000) },
    });
    expect(prompt).toBe(`Short: ${"s".repeat(300)}. Long: ${"l".repeat(2_000)} … (shortened)!`);
  });

  it("changes nothing when it is about something else", async () => {
    expect(await promptWith(instructed("retry"))).toBe("Do it.");
  });

  it("puts another CLI first, one of the agent's or any known one", async () => {
    const { env, runs } = standIns(says);
    const targets = [GENERIC, OTHER];
    const first = await attempt(env, {
      agent: { targets },
      instruction: instructed("switch-provider", { target: "other" }),
    });
    expect(first.end).toMatchObject({ output: "other" });
    const second = await attempt(env, {
      agent: { targets },
      instruction: instructed("switch-provider", { target: "claude" }),
    });
    expect(second.end).toMatchObject({ output: "ok" });
    expect(runs().map(({ name }) => name)).toEqual(["other", "claude"]);
  });

  it("that names an unknown target is a mistake, and nothing runs", async () => {
    const { env, runs } = standIns(says);
    const { end } = await attempt(env, {
      agent: { targets: [GENERIC] },
      instruction: instructed("switch-provider", { target: "nobody" }),
    });
    expect(end).toMatchObject({ end: "failed", fault: { code: "ConfigSchemaViolation" } });
    expect(runs()).toEqual([]);
  });

  it("grants a CLI what it was denied, through its own arguments and no other CLI's", async () => {
    const { env, runs } = standIns(says);
    const agent = { targets: [cliTarget("claude")] };
    const tools = ["Bash(git *)", "Edit", "--dangerously-skip-permissions"];
    await attempt(env, { agent, instruction: instructed("grant-and-retry", { tools }) });
    await attempt(env, { agent, instruction: instructed("grant-and-retry") });
    expect(runs()[0]?.args.slice(0, 3)).toEqual(["--allowedTools", "Bash(git *),Edit", "-p"]);
    expect(runs()[1]?.args.slice(0, 3)).toEqual(["--permission-mode", "acceptEdits", "-p"]);
  });
});

describe("the targets of an agent", () => {
  it("have the names that people write, and all names differ", () => {
    const model = {
      kind: "model",
      name: "",
      provider: "openai",
      model: "gpt-5.5",
      baseUrl: "",
      apiKeyEnv: "",
    } as const;
    expect(agentTargetIds({ targets: [model, { ...model, apiKeyEnv: "SECOND_KEY" }] })).toEqual([
      "openai/gpt-5.5",
      "openai/gpt-5.5#2",
    ]);
    expect(
      agentTargetIds({ targets: [cliTarget("claude"), cliTarget("generic", { command: "/opt/bin/mine" })] }),
    ).toEqual(["claude", "mine"]);
  });

  it.each([
    ["", "OPENAI_API_KEY"],
    ["coder#1.2", "OPENAI_API_KEY only for coder#1.2"],
  ])(
    "use the account of their key, and one of their own if the attempt must start at once (%j)",
    async (own, credential) => {
      const target = {
        kind: "model",
        name: "",
        provider: "openai",
        model: "gpt-5.5",
        baseUrl: "",
        apiKeyEnv: "",
      } as const;
      const limits = { timeoutMs: 1_000, idempotent: false, instruction: null, own };
      const env = { OPENAI_API_KEY: "sk-test" };
      const log = new RawLog(() => undefined);
      const place = { agent: "helper", clock: systemClock, log, env, given: [], cwd: "." };
      expect(await agentMembers([{ id: "first", target }], { ...place, ...limits })).toMatchObject([
        { id: "first", credential },
      ]);
    },
  );

  it("can be switched between models, even to one the agent does not have, at the same address", async () => {
    const world = await agentWorld();
    const agent = { targets: [world.openai("gpt-5.5"), world.anthropic("claude-sonnet-4-5")] };
    const to = (target: string): Instruction => instructed("switch-provider", { target });
    await world.attempt({ agent, instruction: to("anthropic/claude-sonnet-4-5") });
    expect(world.asked()).toEqual(["claude-sonnet-4-5"]);
    const other = await agentWorld();
    await other.attempt({ agent: { targets: [other.openai("gpt-5.5")] }, instruction: to("openai/gpt-4o") });
    expect(other.asked()).toEqual(["gpt-4o"]);
  });

  it("that are only fallbacks cause no errors before they are needed, and are named when they are", async () => {
    const world = await agentWorld([{ when: { model: "gpt-5.5", request: 2 }, fault: "unavailable" }]);
    const keyless = {
      kind: "model",
      name: "",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      baseUrl: "",
      apiKeyEnv: "",
    } as const;
    const good = await world.attempt({ agent: { targets: [world.openai("gpt-5.5"), keyless] } });
    expect(good.end?.end).toBe("completed");
    const down = await agentWorld([{ when: { model: "gpt-5.5" }, fault: "unavailable" }]);
    const bad = await down.attempt({ agent: { targets: [down.openai("gpt-5.5"), keyless] } });
    expect(bad.fault).toMatchObject({ code: "KeyMissing", context: { variable: "ANTHROPIC_API_KEY" } });
  });

  it("cannot start with one that has no key: the fault names the variable", async () => {
    const world = await agentWorld();
    const keyless = {
      kind: "model",
      name: "",
      provider: "openai",
      model: "gpt-5.5",
      baseUrl: "",
      apiKeyEnv: "TEAM_KEY",
    } as const;
    const { fault: seen } = await world.attempt({ agent: { targets: [keyless] } });
    expect(seen).toMatchObject({ code: "KeyMissing", context: { variable: "TEAM_KEY" } });
  });
});
