// Everything the parser accepts can run: every definition becomes a workflow, with a stage for every node.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import { compileWorkflow } from "../../src/workflow/definition/load.ts";
import type { NodeDeps } from "../../src/workflow/node/base.ts";
import type { StageEnding, StageScope } from "../../src/workflow-model/stage.ts";
import { CONTRACT, readContractFile } from "./contract-text.ts";
import { definitionOf, FILE } from "./workflow-text.ts";
import { samples } from "../support/grid.ts";

const HOME: NodeDeps = {
  sandbox: createSandbox(),
  env: {},
  cwd: ".",
  clock: systemClock,
  tool: () => undefined,
  learn: () => Promise.resolve(),
  outcomeWord: "completed",
};

const compiledContract = async () => compileWorkflow(await definitionOf(CONTRACT, { read: readContractFile }), HOME);

const SCOPE: StageScope = {
  run: "run-1",
  node: "reviewer",
  execution: 1,
  attempt: 1,
  inputs: { task: "a clock", tone: "short" },
  nodes: { coder: { status: "completed", output: "code", execution: 1, attempts: 1, fault: null } },
  executionsOf: () => 1,
  lastFault: null,
  instruction: null,
};

describe("the workflow of a team", () => {
  it("has a stage for every node, in the order of the file, with the kind it was given", async () => {
    const { stages, start, id, version, policy, limits, source } = await compiledContract();
    expect(Array.from(stages, ([name, { kind }]) => `${name} ${kind}`)).toEqual([
      "coder agent",
      "reviewer agent",
      "tester agent",
      "run_tests command",
      "gate human_gate",
      "lookup1 tool",
      "check condition",
      "sized condition",
      "both parallel",
      "shape_a transform",
      "shape_b command",
      "m merge",
      "shape transform",
    ]);
    expect({ start, id, version }).toEqual({ start: ["coder"], id: "review-loop", version: "1" });
    expect([policy?.name, limits.maxNodes, source?.file]).toEqual(["team/faults.policy.yaml", 100, FILE]);
    expect(stages.get("reviewer")).toMatchObject({ turnCap: 8, role: "reviewer", timeoutMs: 2_100_000 });
    expect(stages.get("coder")).toMatchObject({
      maxCostMicrocents: 100_000_000,
      rules: { retryOn: ["NetworkDisconnect"] },
    });
  });

  it("fills its prompts in", async () => {
    const { stages } = await compiledContract();
    expect(await stages.get("reviewer")?.init(null, SCOPE)).toBe("Review this, short:\ncode\n");
    expect(await stages.get("coder")?.init(null, { ...SCOPE, node: "coder", nodes: {} })).toBe(
      "Do a clock. Findings: ",
    );
  });

  it("goes back to the coder until that has been entered often enough", async () => {
    const { stages } = await compiledContract();
    const rejected: StageEnding = { status: "completed", output: { decision: "reject" }, capHit: false, fault: null };
    const next = (ending: StageEnding, entered: number) =>
      stages.get("reviewer")?.next(ending, { ...SCOPE, executionsOf: () => entered });
    expect(await next(rejected, 2)).toEqual({ kind: "to", nodes: ["coder"] });
    expect(await next(rejected, 3)).toEqual({ kind: "end", outcome: "max_iterations_reached" });
    expect(await next({ ...rejected, output: { decision: "approve" } }, 1)).toEqual({ kind: "to", nodes: ["tester"] });
  });

  it("reads the inputs of a run", async () => {
    const { readInputs } = await compiledContract();
    expect(readInputs({ task: "a clock" })).toMatchObject({ values: { task: "a clock", tone: "short" } });
    expect(readInputs({})).toMatchObject({ code: "ShapeInvalid", context: { field: "task" } });
  });

  it("knows who is asked in which order, and who can repair what failed", async () => {
    const { targetsOf, sendBackTo } = await compiledContract();
    expect([targetsOf("coder"), targetsOf("reviewer"), targetsOf("run_tests"), targetsOf("nobody")]).toEqual([
      ["claude", "codex"],
      ["openai/gpt-5.5", "anthropic/claude-sonnet-4-5"],
      [],
      [],
    ]);
    expect([sendBackTo("reviewer"), sendBackTo("run_tests"), sendBackTo("coder"), sendBackTo("shape")]).toEqual([
      "coder",
      "coder",
      null,
      null,
    ]);
  });
});

describe("who can repair what failed, without a coder", () => {
  const sentBack = async (id: string, leadsToGate: string): Promise<string | null> => {
    const definition = await definitionOf(CONTRACT, { read: readContractFile });
    const changed = definition.nodes.map((node) => ({
      ...node,
      ...(node.kind === "agent" ? { role: "writer" } : {}),
      ...(node.id === leadsToGate ? { next: node.next.map((edge) => ({ ...edge, to: "gate" })) } : { next: [] }),
      onFailure: [],
    }));
    return compileWorkflow({ ...definition, nodes: changed as typeof definition.nodes }, HOME).sendBackTo(id);
  };

  it.each([
    ["a gate: the agent before it", "gate", "tester", "tester"],
    ["a gate behind no agent: nobody", "gate", "run_tests", null],
    ["a command: nobody", "run_tests", "tester", null],
    ["the agent itself: nobody", "tester", "tester", null],
  ])("%s", async (_what, id, leadsToGate, expected) => {
    expect(await sentBack(id, leadsToGate)).toBe(expected);
  });
});

/** Mostly what is right, and now and then what is not. */
const mostly = <T>(right: readonly T[], wrong: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

const IDS = ["a", "b", "c", "d"] as const;
const words = mostly(["Hi", "Do {{ inputs.x }}", "See {{ nodes.a.output? }}", "\\{{"], ["{{", "{{ nodes.q.output }}"]);
const expression = mostly(["1", "nodes.a.output > 1", "inputs.x", "({ a: 1 })", "return 3"], ["(", ""]);
const time = mostly<unknown>(["1s", "2m", 5, "0.5h"], ["soon", 0, -1]);
const line = mostly(["npm test", "node 'a b'", 'x "y"'], ["ls | wc", "echo {{ inputs.x }}", "'", "A=1 b"]);
const entry = mostly(["npm test", "node *", "echo 'a *'"], ["*", "a;b", "a * b"]);

/** Forward without a bound, anywhere with one. */
function edges(from: number): fc.Arbitrary<unknown> {
  const forward = fc.constantFrom(...IDS.slice(from + 1), "end");
  const bounded = fc.record(
    {
      to: fc.constantFrom(...IDS, "end"),
      max: fc.integer({ min: 1, max: 4 }),
      when: expression,
      outcome: fc.constant("ok"),
    },
    { requiredKeys: ["to", "max"] },
  );
  const odd = fc.constantFrom("a", "nobody");
  const edge = fc.oneof(
    { weight: 30, arbitrary: forward },
    { weight: 30, arbitrary: bounded },
    { weight: 1, arbitrary: odd },
  );
  return fc.oneof(edge, fc.array(edge, { minLength: 1, maxLength: 3 }));
}

const retry = fc.record(
  {
    max_attempts: fc.integer({ min: 1, max: 5 }),
    backoff: fc.constantFrom("none", "fixed", "linear", "exponential"),
    initial: time,
    on: mostly([["NetworkTimeout"], ["TestsFailed", "RateLimited"]], [["AuthFailed"], ["Nope"]]),
  },
  { requiredKeys: ["max_attempts"] },
);

function nodeAt(from: number): fc.Arbitrary<unknown> {
  const shared = {
    next: edges(from),
    on_failure: edges(from),
    only_if: expression,
    resolution: fc.constantFrom("skip", "retry-later", "abort-workflow"),
    retry,
    assert: fc.array(fc.record({ that: expression, reason: fc.constant("why") }), { minLength: 1, maxLength: 2 }),
  };
  const kind = <Type extends string>(type: Type, own: Record<string, fc.Arbitrary<unknown>>, optional = {}) =>
    fc.record(
      { type: fc.constant(type), ...own, ...shared, ...optional },
      { requiredKeys: ["type", ...Object.keys(own)] as never },
    );
  const way = fc.constantFrom(...IDS.slice(from + 1), "end");
  const run = fc.oneof(line, fc.array(line, { minLength: 1, maxLength: 2 }));
  const allow = fc.array(entry, { minLength: 1, maxLength: 2 });
  return fc.oneof(
    kind("transform", { value: expression }),
    kind("agent", { agent: fc.constantFrom("one", "two"), prompt: words }, { timeout: time }),
    kind("command", { run }, { allow, timeout: time }),
    kind("command", { run: fc.record({ from: expression }), allow }),
    kind("tool", { tool: mostly(["t"], ["u"]) }, { input: fc.jsonValue() }),
    kind("human_gate", { prompt: words }, { timeout: time }),
    kind("condition", { when: expression, then: way, else: way }),
    kind("condition", { when: expression, cases: fc.dictionary(fc.string({ minLength: 1 }), way, { maxKeys: 3 }) }),
  );
}

const model = fc.record(
  {
    model: mostly(["openai/x", "google/y"], ["nobody/z"]),
    fallback: mostly([["anthropic/x"]], [["claude"]]),
    turn_cap: fc.integer({ min: 1, max: 9 }),
    system: words,
    output_schema: mostly<unknown>([{ type: "object" }, true], [{ type: "x" }]),
  },
  { requiredKeys: ["model"] },
);
const cli = fc.record(
  {
    cli: mostly<unknown>(["claude", { name: "generic", command: "x" }], ["generic"]),
    fallback: fc.constant(["codex"]),
  },
  { requiredKeys: ["cli"] },
);
const agent = fc.oneof(model, cli);

const FAN = {
  fan: { type: "parallel", branches: ["left", "right"], join: "both" },
  left: { type: "transform", value: "1", next: "both" },
  right: { type: "command", run: "npm test", next: "both" },
  both: { type: "merge", next: "end" },
};

const workflow = fc.record({
  faultline: fc.constant(1),
  workflow: fc.constant({ id: "any", version: "1" }),
  inputs: fc.constant({ x: { type: "number", default: 1 } }),
  agents: fc.record({ one: agent, two: agent }),
  tools: fc.constant({ t: { command: ["node", "t.mjs"] } }),
  nodes: fc
    .tuple(fc.boolean(), ...IDS.map((id, from) => nodeAt(from).map((node) => [id, node] as const)))
    .map(([fan, ...nodes]): Record<string, unknown> => ({ ...Object.fromEntries(nodes), ...(fan ? FAN : {}) })),
});

describe("any file that is read without an error", () => {
  it("compiles, and every edge of it leads to a stage", async () => {
    const counted = { compiled: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(workflow, async (written) => {
        const { definition, diagnostics } = await parseWorkflow(JSON.stringify(written, null, 1), FILE);
        expect(definition === null).toBe(diagnostics.some(({ severity }) => severity === "error"));
        counted[definition === null ? "refused" : "compiled"] += 1;
        if (definition === null) return;
        const { stages, start } = compileWorkflow(definition, HOME);
        expect([...stages.keys()]).toEqual(Object.keys(written.nodes));
        const leads = definition.nodes.flatMap((one) => [
          ...[...one.next, ...one.onFailure, ...(one.kind === "condition" ? Object.values(one.cases) : [])].map(
            ({ to }) => to,
          ),
          ...(one.kind === "parallel" ? [...one.branches, one.join] : []),
        ]);
        for (const to of [...start, ...leads]) expect(to === "end" || stages.has(to)).toBe(true);
      }),
      { numRuns: samples(50, 200) },
    );
    expect(Math.min(counted.compiled, counted.refused), JSON.stringify(counted)).toBeGreaterThan(2);
  });
});
