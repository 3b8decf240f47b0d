// Proves what a workflow file becomes: every default, every unit, every file it refers to.

import { describe, expect, it } from "vitest";
import { parseWorkflow, type WorkflowDefinition } from "../../src/workflow-file/index.ts";
import type { NodeOptions } from "../../src/workflow-model/node-options.ts";
import { CONTRACT, CONTRACT_FILES, readContractFile } from "./contract-text.ts";
import { definitionOf, FILE, HEAD, LAST, nodes, text, top } from "./workflow-text.ts";

function nodeOf(definition: WorkflowDefinition, id: string): NodeOptions {
  const found = definition.nodes.find((node) => node.id === id);
  if (found === undefined) throw new Error(`no node ${id}`);
  return found;
}

describe("the workflow of a team", () => {
  it("is read without a word", async () => {
    const {
      nodes: all,
      agents,
      tools,
      inputs,
      start,
      policy,
      limits,
    } = await definitionOf(CONTRACT, {
      read: readContractFile,
    });
    expect(all.map(({ id }) => id)).toEqual([
      "coder", "reviewer", "tester", "run_tests", "gate", "lookup1", "check", "sized", "both", "shape_a", "shape_b", "m", "shape",
    ]); // prettier-ignore
    expect([...agents, ...tools].map(({ id }) => id)).toEqual(["coder", "reviewer", "tester", "read_file", "lookup"]);
    expect(inputs.map(({ name, required, secret }) => [name, required, secret])).toEqual([
      ["task", true, false],
      ["tone", false, false],
      ["token", false, true],
    ]);
    expect(start).toBe("coder");
    expect(policy?.name).toBe("team/faults.policy.yaml");
    expect(limits).toEqual({
      maxParallel: 4,
      maxNodes: 100,
      timeoutMs: 1_800_000,
      maxCostMicrocents: 200_000_000,
      onExceed: "pause_for_approval",
    });
  });

  it("keeps what it was read from, so that it can be read again without its files", async () => {
    const first = await definitionOf(CONTRACT, { read: readContractFile });
    expect(first.source).toEqual({ file: FILE, text: CONTRACT, files: CONTRACT_FILES });
    const { source } = first;
    const again = await parseWorkflow(source.text, source.file, { read: (name) => source.files[name] ?? null });
    expect(again.definition).toEqual(first);
  });
});

describe("a digest", () => {
  const digestOf = async (source: string, files = CONTRACT_FILES): Promise<string> =>
    (await definitionOf(source, { read: (name) => files[name] ?? null })).digest;

  it("is the same with other line ends, a byte order mark and a blank line more", async () => {
    const digest = await digestOf(CONTRACT);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestOf(`\uFEFF${CONTRACT.replaceAll("\n", "\r\n")}\r\n`)).toBe(digest);
  });

  it.each(Object.keys(CONTRACT_FILES))("is another one when %s changes", async (name) => {
    const changed = { ...CONTRACT_FILES, [name]: `${CONTRACT_FILES[name] ?? ""} ${name.endsWith("yaml") ? "#" : ""} ` };
    const other = {
      ...changed,
      ...(name.endsWith("md") ? { [name]: "Say it." } : {}),
      ...(name.endsWith("json") ? { [name]: "{}" } : {}),
    };
    expect(await digestOf(CONTRACT, other)).not.toBe(await digestOf(CONTRACT));
  });

  it("is another one when the text changes", async () => {
    expect(await digestOf(CONTRACT.replace("You write code.", "You write good code."))).not.toBe(
      await digestOf(CONTRACT),
    );
  });
});

describe("what is left out", () => {
  it("of a workflow is the usual", async () => {
    const { name, start, limits, policy, inputs, agents, tools } = await definitionOf(nodes(LAST));
    expect({ name, start, policy, inputs, agents, tools }).toEqual({
      name: "flow",
      start: "last",
      policy: null,
      inputs: [],
      agents: [],
      tools: [],
    });
    expect(limits).toEqual({
      maxParallel: 4,
      maxNodes: 100,
      timeoutMs: Infinity,
      maxCostMicrocents: 0,
      onExceed: "fail",
    });
  });

  it("of a node is one attempt, and the end of the run when it fails", async () => {
    const node = nodeOf(await definitionOf(nodes(LAST)), "last");
    expect(node).toMatchObject({
      rules: { node: "last", retry: { maxAttempts: 1 }, retryOn: null, resolution: "abort-workflow", idempotent: true },
      role: null,
      onlyIf: null,
      asserts: [],
      next: [],
      onFailure: [],
    });
  });

  const agentFile = (agent: string, node = ""): string =>
    text(...HEAD, `agents: { a: ${agent} }`, "nodes:", `  n: { type: agent, agent: a, prompt: Hi${node} }`);

  it.each([
    ["a model", "{ model: openai/x }", "", true],
    ["a CLI", "{ cli: claude }", "", false],
    ["a CLI that says so", "{ cli: claude, idempotent: true }", "", true],
    ["a model whose node says otherwise", "{ model: openai/x }", ", idempotent: false", false],
  ])("of %s: whether it may be run twice", async (_what, agent, node, idempotent) => {
    const found = nodeOf(await definitionOf(agentFile(agent, node)), "n");
    expect(found.rules.idempotent).toBe(idempotent);
    expect(found).toMatchObject({
      timeoutMs: 2_100_000,
      agent: {
        turnCap: 20,
        onCap: "fail",
        maxCostMicrocents: 0,
        maxOutputTokens: 0,
        stream: false,
        system: "",
        outputSchema: null,
      },
    });
  });

  it.each([
    ["", {}],
    [", repeated_failures: { stop_after: 4 }", { stopAfter: 4 }],
    [", repeated_failures: { tell_after: 2, stop_after: 4 }", { tellAfter: 2, stopAfter: 4 }],
  ])("of the limits on repeated failures, where the agent says %j", async (written, repeatedFailures) => {
    const found = nodeOf(await definitionOf(agentFile(`{ model: openai/x${written} }`)), "n");
    expect(found).toMatchObject({ agent: { repeatedFailures } });
  });

  it("of a node's retry is its agent's", async () => {
    const agent = "{ cli: claude, retry: { max_attempts: 4, on: [NetworkDisconnect] } }";
    const retries = async (node: string): Promise<unknown> => {
      const { rules } = nodeOf(await definitionOf(agentFile(agent, node)), "n");
      return [rules.retry.maxAttempts, rules.retryOn];
    };
    expect(await retries("")).toEqual([4, ["NetworkDisconnect"]]);
    expect(await retries(", retry: { max_attempts: 2 }")).toEqual([2, null]);
  });

  it.each([
    ["ExecutionFailed", "", false],
    ["TestsFailed", ", fails_as: TestsFailed", true],
  ])("of a command that fails as %s: whether it may be run twice", async (failsAs, written, idempotent) => {
    const found = nodeOf(await definitionOf(nodes(`a: { type: command, run: npm test${written} }`)), "a");
    expect(found).toMatchObject({
      failsAs,
      rules: { idempotent },
      run: { lines: ["npm test"] },
      allow: { commands: ["npm test"] },
      commandTimeoutMs: 120_000,
      timeoutMs: Infinity,
      cwd: "",
      stopWhenRepeated: false,
    });
  });

  it("of a tool is 30 seconds, no second time without harm, and time for all its attempts in a node", async () => {
    const source = text(...HEAD, "tools: { t: { command: [node, t.mjs] } }", "nodes:", "  n: { type: tool, tool: t }");
    const definition = await definitionOf(source);
    expect(definition.tools).toEqual([
      {
        id: "t",
        description: "",
        input: null,
        run: { kind: "command", command: "node", args: ["t.mjs"], env: [] },
        idempotent: false,
        timeoutMs: 30_000,
        maxAttempts: null,
        modelDetail: null,
        optional: false,
        fallbackValue: null,
        alternatives: [],
      },
    ]);
    expect(nodeOf(definition, "n")).toMatchObject({ timeoutMs: 426_000, input: {}, rules: { idempotent: false } });
  });

  it("of a gate is that it waits as long as it takes, and that silence is a no", async () => {
    const found = nodeOf(await definitionOf(nodes("g: { type: human_gate, prompt: Go? }")), "g");
    expect(found).toMatchObject({
      ask: "Approve",
      gateTimeoutMs: null,
      onTimeout: "reject",
      options: [],
      timeoutMs: Infinity,
    });
  });
});

describe("an edge", () => {
  it("may be a name, a map or a list of both", async () => {
    const plain = { to: "last", when: null, max: Infinity, outcome: "" };
    const edges = async (next: string): Promise<unknown> =>
      nodeOf(await definitionOf(nodes(`a: { type: transform, value: '1', next: ${next} }`, LAST)), "a").next;
    expect(await edges("last")).toEqual([plain]);
    expect(await edges("{ to: last, max: 2 }")).toEqual([{ ...plain, max: 2 }]);
    expect(await edges("[{ to: end, when: 'true', outcome: good }, last]")).toEqual([
      { to: "end", when: "true", max: Infinity, outcome: "good" },
      plain,
    ]);
  });

  it("of a condition is a case, `then` and `else` are true and false", async () => {
    const found = nodeOf(
      await definitionOf(
        nodes("a: { type: condition, when: '1 > 0', then: last, else: { to: end, outcome: no } }", LAST),
      ),
      "a",
    );
    expect(found).toMatchObject({ cases: { true: { to: "last" }, false: { to: "end", outcome: "no" } } });
  });
});

describe("a time", () => {
  it.each([
    ["250", 250],
    ["250ms", 250],
    ["1.5s", 1500],
    ["90 s", 90_000],
    ["30m", 1_800_000],
    ["2min", 120_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
  ])("written %s is %i ms", async (written, ms) => {
    expect((await definitionOf(top(`limits: { timeout: ${written} }`))).limits.timeoutMs).toBe(ms);
  });
});

describe("money", () => {
  it.each([
    ["2", 200_000_000],
    ["0.1", 10_000_000],
    ["0.29", 29_000_000],
    ["1.15", 115_000_000],
    ["0.00000001", 1],
    ["1000000", 100_000_000_000_000],
  ])("written %s is %i micro-cents", async (written, microcents) => {
    expect((await definitionOf(top(`limits: { max_cost_usd: ${written} }`))).limits.maxCostMicrocents).toBe(microcents);
  });
});

describe("agents and tools", () => {
  it("reach a provider under a name of the team's own", async () => {
    const source = text(
      ...HEAD,
      "providers: { local: { type: openai-compatible, base_url: 'http://127.0.0.1:1/v1', api_key_env: K } }",
      "agents: { a: { model: local/org/llama } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: Hi }",
    );
    expect((await definitionOf(source)).agents[0]?.targets).toEqual([
      {
        kind: "model",
        name: "local",
        provider: "openai-compatible",
        model: "org/llama",
        baseUrl: "http://127.0.0.1:1/v1",
        apiKeyEnv: "K",
      },
    ]);
  });

  it("may be any command", async () => {
    const source = text(
      ...HEAD,
      "agents: { a: { cli: { name: generic, command: node, args: [agent.mjs], model: m }, fallback: [claude, { name: codex, model: o }] } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: Hi }",
    );
    expect((await definitionOf(source)).agents[0]?.targets).toEqual([
      { kind: "cli", cli: "generic", command: "node", args: ["agent.mjs"], model: "m" },
      { kind: "cli", cli: "claude", command: "", args: [], model: "" },
      { kind: "cli", cli: "codex", command: "", args: [], model: "o" },
    ]);
  });

  it("of the same MCP server share it", async () => {
    const source = text(
      ...HEAD,
      "tools:",
      "  one: { mcp: { command: [node, s.mjs] } }",
      "  two: { mcp: { command: [node, s.mjs] }, tool: second }",
      "  three: { mcp: { url: 'http://127.0.0.1:1/mcp' } }",
      "agents: { a: { model: openai/x, tools: [one, two, three] } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: Hi }",
    );
    const servers = (await definitionOf(source)).tools.map(({ run }) =>
      run.kind === "mcp" ? [run.server.id, run.tool] : [],
    );
    expect(servers).toEqual([
      ["one", "one"],
      ["one", "second"],
      ["three", "three"],
    ]);
  });
});

describe("a policy in the file", () => {
  it("is the preset with its rows in front, each named by its line", async () => {
    const source = top(
      "policy:",
      "  preset: headless",
      "  rows:",
      "    - { match: { code: RateLimited }, then: [park, fail] }",
    );
    const { policy } = await definitionOf(source);
    expect(policy?.rows[0]).toMatchObject({
      match: { code: ["RateLimited"] },
      then: ["park", "fail"],
      origin: { layer: "file", at: `${FILE}:6` },
    });
  });
});
