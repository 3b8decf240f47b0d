// Every door × every option: a wrong value and a misspelt name are refused with a sentence that names the option.
// The compiler keeps the tables complete: each has a row for every option of its door.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import {
  type AgentRunOptions,
  type CallOptions,
  cli,
  type CliOptions,
  createFaultline,
  createMemoryJournal,
  type Fault,
  FaultError,
  type FaultlineAgentOptions,
  type FaultlineFetchOptions,
  type FaultlineModelOptions,
  type FaultlineOptions,
  type ModelTargetOptions,
  openJournal,
  type PlanStep,
  type ProtectOptions,
  type RunOptions,
  type Session,
  type SessionOptions,
  type JournalOptions,
  step,
  type StepOptions,
  terminalInteractor,
  type TerminalOptions,
  tool,
  type ToolOptions,
  type Turn,
  type TurnOptions,
  type WorkOptions,
} from "../../src/index.ts";
import type { MemoryJournalOptions } from "../../src/journal/memory/memory-journal.ts";
import { connectMcp, type McpOptions } from "../../src/mcp/index.ts";
import { type ChaosOptions, startChaos } from "../../src/chaos/start-chaos.ts";
import {
  type ActOptions,
  createDriver,
  createRuns,
  createWorkflows,
  defineWorkflow,
  type DriverOptions,
  type ResumeOptions,
  type RunsFilter,
  type RunsOptions,
  stage,
  type StageOptions,
  type StartOptions,
  type WorkflowOptions,
  type WorkflowsOptions,
} from "../../src/workflow/index.ts";

/** Wrong values by the path of the option; `[]` where every value is right. */
type Wrong<T> = { readonly [Name in keyof T]-?: readonly unknown[] };

interface Door {
  readonly name: string;
  /** Gives the fault, thrown or returned. */
  readonly call: (options: never) => unknown;
  readonly good: object;
  readonly wrong: Readonly<Record<string, readonly unknown[]>>;
  readonly inside: readonly (readonly [path: string, options: object])[];
}

function door<T extends object>(
  name: string,
  call: (options: T) => unknown,
  wrong: Wrong<T>,
  more: { readonly good?: object; readonly inside?: Door["inside"] } = {},
): Door {
  const { good = {}, inside = [] } = more;
  return { name, call, good, wrong, inside };
}

const TEXT = ["", 5, null];
const FLAG = ["yes", 1, null];
const CALLABLE = ["run", {}, null];
const COUNT = ["5", 0, -1, 1.5, Number.NaN, null];
const LONG_MS = ["5", -1, Number.NaN, null];
const OBJECT = ["x", 5, [], null];
const LIST = ["x", {}, null, [5]];
const NEEDS = ["x", 5, null, [5], { flights: "flights" }];
const SIGNAL = ["x", {}, new AbortController()];
const RETRY = ["never", 5, [], null];

/** What a tool and a protected function have in common. */
const OF_WORK = {
  id: [undefined, ...TEXT],
  description: [5, null],
  output: ["string", 5],
  idempotent: FLAG,
  timeoutMs: ["5", 0, Number.NaN],
  retry: RETRY,
  alternatives: LIST,
  default: [],
  optional: FLAG,
  learns: FLAG,
  modelDetail: ["all", 5],
  classify: CALLABLE,
  rules: LIST,
  target: TEXT,
  provider: TEXT,
  surface: ["web", 5],
  signIn: CALLABLE,
  maxConcurrent: COUNT,
  maxQueued: ["5", -1, 1.5],
  maxPerMinute: ["60", 0, -1],
  breaker: OBJECT,
  cost: OBJECT,
};

const RETRY_INSIDE: Door["inside"] = [
  ["retry.maxAttempts", { retry: { maxAttempts: 0 } }],
  ["retry.maxAttempts", { retry: { maxAttempts: 1.5 } }],
  ["retry.maxAtempts", { retry: { maxAtempts: 2 } }],
  ["retry.jitter", { retry: { jitter: 2 } }],
  ["retry.backoff.multiplier", { retry: { backoff: { multiplier: 0.9 } } }],
  ["retry.backoff.multiplier", { retry: { backoff: { multiplier: 100.5 } } }],
  ["retry.backoff.kind", { retry: { backoff: { kind: "random" } } }],
  ["retry.backoff.initialMs", { retry: { backoff: { initialMs: "1s" } } }],
  ["breaker.failures", { breaker: { failures: 0 } }],
  ["breaker.openFor", { breaker: { openFor: 5 } }],
];

const MONEY_AND_LIMITS: Door["inside"] = [
  ["budget.maxUsd", { budget: { maxUsd: "5" } }],
  ["budget.maxUsd", { budget: { maxUsd: -0.01 } }],
  ["budget.warnAtPercent", { budget: { maxUsd: 1, warnAtPercent: -1 } }],
  ["budget.onExceed", { budget: { onExceed: "explode" } }],
  ["budget.maxCost", { budget: { maxCost: 5 } }],
  ["limits.maxTurns", { limits: { maxTurns: Number.NaN } }],
  ["limits.maxParallel", { limits: { maxParallel: 0 } }],
];

const FAULTLINE: Wrong<FaultlineOptions> = {
  journal: ["", 5, {}, null],
  policy: ["bold", 5, {}, null, []],
  tools: [...LIST, [() => 1]],
  manifests: LIST,
  rules: LIST,
  interactors: LIST,
  extensions: LIST,
  budget: OBJECT,
  limits: OBJECT,
  secrets: ["sk-one", [5]],
  locale: ["de", 5],
  maxTargets: COUNT,
  maxRecent: LONG_MS,
  rescueFolders: LIST,
  clock: ["now", {}, null],
  chance: [() => 1, {}, null],
  prices: LIST,
};

const MODEL = { specificationVersion: "v4", provider: "openai", modelId: "gpt-5", doGenerate: () => 1 };
const model = MODEL as unknown as LanguageModelV4;
const search = tool({ id: "search", run: () => "found" });
const workflow = defineWorkflow({ id: "w", stages: { only: stage({ act: () => 1 }) } });
const fl = createFaultline();
const runs = createRuns({ workflows: [workflow] });

function inSession(call: (session: Session) => Promise<unknown>): Promise<unknown> {
  return fl.session().then(call);
}

async function inTurn(call: (turn: Turn) => Promise<unknown>): Promise<unknown> {
  return inSession(async (session) => {
    const { value, fault } = await session.turn(async (turn) => {
      const given = (await call(turn)) as { readonly fault?: Fault };
      return { fault: given.fault };
    });
    return value ?? { fault };
  });
}

const DOORS: readonly Door[] = [
  door<FaultlineOptions>("createFaultline", createFaultline, FAULTLINE, {
    inside: [
      ...MONEY_AND_LIMITS,
      ["prices[0].input", { prices: [{ provider: "openai", model: "gpt-5", input: -1, output: 1 }] }],
      ["manifests[0].retry.max_attempts", { manifests: [{ id: "a", rules: [], retry: { max_attempts: 0 } }] }],
      ["policy.rows", { policy: { name: "mine" } }],
    ],
  }),
  door<FaultlineModelOptions>(
    "fl.model",
    (options) => fl.model([model], options),
    {
      timeouts: OBJECT,
      retryBeforeFallback: OBJECT,
      midStream: ["panic", 5],
      hedge: OBJECT,
      minCharactersPerSecond: LONG_MS,
      compact: CALLABLE,
      refreshCredential: CALLABLE,
      regenerate: FLAG,
      repeatedFailures: OBJECT,
      assumedOutputTokens: LONG_MS,
      within: ["session", {}, null],
    },
    {
      inside: [
        ["timeouts.idleMs", { timeouts: { idleMs: 0 } }],
        ["timeouts.idle", { timeouts: { idle: 5 } }],
        ["retryBeforeFallback.maxAttempts", { retryBeforeFallback: { maxAttempts: 0 } }],
        ["hedge.after", { hedge: { after: "p99" as never } }],
        ["hedge.after", { hedge: { after: 0 } }],
        ["repeatedFailures.stopAfter", { repeatedFailures: { stopAfter: 1 } }],
      ],
    },
  ),
  door<ModelTargetOptions>(
    "fl.model, a target",
    (target) => fl.model([target]),
    {
      model: ["gpt-5", {}, null],
      id: TEXT,
      endpoint: TEXT,
      credential: TEXT,
      lastResort: FLAG,
      facts: OBJECT,
      timeouts: OBJECT,
      maxConcurrent: COUNT,
      maxPerMinute: ["60", 0, -1],
    },
    { good: { model }, inside: [["facts.contextWindow", { model, facts: { contextWindow: 5 } }]] },
  ),
  door<FaultlineFetchOptions>(
    "fl.fetch",
    (options) => fl.fetch(options),
    {
      provider: [undefined, ...TEXT],
      credential: TEXT,
      timeouts: OBJECT,
      refreshCredential: CALLABLE,
      maxConcurrent: COUNT,
      fallback: LIST,
      retryBeforeFallback: OBJECT,
      fetch: CALLABLE,
      within: ["session", {}, null],
    },
    {
      good: { provider: "openai" },
      inside: [
        ["fallback[0].baseURL", { fallback: [{ baseURL: "openrouter.ai" }] }],
        ["fallback[0].baseUrl", { fallback: [{ baseUrl: "https://openrouter.ai/api/v1" }] }],
        ["fallback[1].model", { fallback: [{ model: "m" }, { model: "" }] }],
        ["fallback[0].headers.x-key", { fallback: [{ headers: { "x-key": 5 } }] }],
        ["retryBeforeFallback.maxAttempts", { retryBeforeFallback: { maxAttempts: 0 } }],
      ],
    },
  ),
  door<FaultlineAgentOptions>("fl.agent", (options) => fl.agent([cli("claude")], options), {
    summarize: CALLABLE,
    within: ["session", {}, null],
  }),
  door<AgentRunOptions>("agent.run", (options) => fl.agent([cli("claude")]).run("hi", options), {
    sessions: OBJECT,
    signal: SIGNAL,
    onEvent: CALLABLE,
    onLine: CALLABLE,
    onBytes: CALLABLE,
    onExit: CALLABLE,
    onResult: CALLABLE,
  }),
  door<CliOptions>(
    "cli",
    (options) => cli("claude", options),
    {
      id: TEXT,
      command: TEXT,
      args: CALLABLE,
      extraArgs: LIST,
      model: TEXT,
      env: [...OBJECT, { HOME: 5 }],
      inheritEnv: FLAG,
      cwd: TEXT,
      timeouts: OBJECT,
      privateHome: FLAG,
      idempotent: FLAG,
      credential: TEXT,
      lastResort: FLAG,
      stdin: [5, null],
      hidesTools: FLAG,
      exitCodeDecides: FLAG,
      forgetsOutput: FLAG,
    },
    { inside: [["timeouts.totalMs", { timeouts: { totalMs: "1m" } }]] },
  ),
  door<ToolOptions<unknown, unknown>>(
    "tool",
    (options) => tool(options),
    {
      ...OF_WORK,
      run: [undefined, ...CALLABLE],
      input: ["string", 5],
    },
    { good: { id: "search", run: () => 1 }, inside: [...RETRY_INSIDE, ["cost.estimate", { cost: {} }]] },
  ),
  door<StepOptions>("step", (options) => step(search, {}, options), {
    needs: NEEDS,
    optional: FLAG,
    default: [],
    label: TEXT,
  }),
  door<Omit<PlanStep, "gives">>(
    "a step of a plan",
    (options) => inTurn((turn) => turn.run({ find: options })),
    { tool: [undefined, () => 1, "search", {}], input: [], needs: NEEDS, optional: FLAG, default: [], label: TEXT },
    { good: { tool: search } },
  ),
  door<ProtectOptions>("fl.protect", (options) => fl.protect(search, {}, options), {
    signal: SIGNAL,
    deadlineMs: ["5", Number.NaN],
    optional: FLAG,
    default: [],
  }),
  ...(["protect", "call"] as const).map((verb) =>
    door<WorkOptions & ProtectOptions>(
      `fl.${verb} of a function`,
      (options) => (verb === "call" ? fl.call(() => 1, options) : fl.protect(() => 1, options)),
      {
        ...OF_WORK,
        signal: SIGNAL,
        deadlineMs: ["5", Number.NaN],
      },
      { good: { id: "search" }, inside: RETRY_INSIDE },
    ),
  ),
  door<SessionOptions>(
    "fl.session",
    (options) => fl.session(undefined, options),
    {
      mode: ["silent", 5],
      labels: [...OBJECT, { a: 5 }],
      budget: OBJECT,
      limits: OBJECT,
      policy: ["bold", 5],
      secrets: ["x", {}],
    },
    { inside: MONEY_AND_LIMITS },
  ),
  door<TurnOptions>("session.turn", (options) => inSession((session) => session.turn({}, options)), {
    id: TEXT,
    timeoutMs: ["5", Number.NaN],
    signal: SIGNAL,
    beside: FLAG,
  }),
  door<CallOptions>("session.protect", (options) => inSession((session) => session.protect(search, {}, options)), {
    id: TEXT,
    optional: FLAG,
    default: [],
    signal: SIGNAL,
  }),
  door<CallOptions>("turn.protect", (options) => inTurn((turn) => turn.protect(search, {}, options)), {
    id: TEXT,
    optional: FLAG,
    default: [],
    signal: SIGNAL,
  }),
  door<RunOptions>("turn.run", (options) => inTurn((turn) => turn.run({ find: step(search, {}) }, options)), {
    maxParallel: ["5", 0, Number.NaN],
  }),
  door<McpOptions>(
    "connectMcp",
    (options) => connectMcp(fl, options),
    {
      name: [undefined, "my server", ...TEXT],
      transport: [undefined, ...CALLABLE],
      client: [...OBJECT, {}],
      timeoutMs: ["5", 0, Number.NaN],
      connectTimeoutMs: ["5", 0, Number.NaN],
      retry: RETRY,
      breaker: OBJECT,
      reconnect: RETRY,
      idempotent: [true, "yes"],
      tools: OBJECT,
      onToolsChanged: CALLABLE,
      onStatus: CALLABLE,
      onSuppressed: CALLABLE,
      signal: SIGNAL,
    },
    {
      good: { name: "files", transport: () => ({}) },
      inside: [...RETRY_INSIDE, ["tools.read.timeout", { tools: { read: { timeout: 5 } } }]],
    },
  ),
  door<RunsOptions>("createRuns", createRuns, {
    ...FAULTLINE,
    workflows: LIST,
    load: CALLABLE,
    worker: OBJECT,
  }),
  door<WorkflowsOptions>("createWorkflows", createWorkflows, {
    ...FAULTLINE,
    workflows: LIST,
    worker: OBJECT,
    env: [...OBJECT, { A: 5 }],
  }),
  door<DriverOptions>(
    "createDriver",
    (options) => createDriver(runs, { journal: fl.journal, clock: { now: Date.now } as never }, options),
    { maxRuns: COUNT, lookEveryMs: ["5", 0], onAdvanced: CALLABLE, onWarning: CALLABLE },
  ),
  door<StartOptions>("runs.start", (options) => runs.start(workflow, options), { inputs: OBJECT, run: TEXT, by: TEXT }),
  door<ResumeOptions>("runs.resume", (options) => runs.resume("r", null, options), {
    changed: ["maybe", 5],
    by: TEXT,
  }),
  door<ActOptions>("runs.act", (options) => runs.act("r", "retry", options), { params: OBJECT, key: TEXT, by: TEXT }),
  ...(["list", "page"] as const).map((name) =>
    door<RunsFilter>(`runs.${name}`, (options) => runs[name](options), {
      status: ["done", 5],
      isOpen: FLAG,
      workflow: TEXT,
      code: TEXT,
      cause: ["bad luck", 5],
      target: TEXT,
      since: ["5", -1],
      until: ["5", -1],
      superseded: FLAG,
      text: TEXT,
      limit: ["5", -1],
      after: ["r", {}],
    }),
  ),
  door<StageOptions>(
    "stage",
    (options) => stage(options),
    {
      retryPolicy: OBJECT,
      resolutionPolicy: ["explode", 5],
      turnCap: COUNT,
      timeoutMs: ["5", 0],
      idempotent: FLAG,
      role: ["boss", 5],
      maxUsd: LONG_MS,
      setup: CALLABLE,
      init: CALLABLE,
      checkGate: CALLABLE,
      act: [undefined, ...CALLABLE],
      assert: CALLABLE,
      exit: CALLABLE,
      next: ["review", {}],
    },
    {
      good: { act: () => 1 },
      inside: [
        ["retryPolicy.maxAttempts", { act: () => 1, retryPolicy: { maxAttempts: 0 } }],
        ["retryPolicy.on[0]", { act: () => 1, retryPolicy: { on: ["Nope"] } }],
      ],
    },
  ),
  door<WorkflowOptions>(
    "defineWorkflow",
    (options) => defineWorkflow(options),
    {
      id: [undefined, ...TEXT],
      version: TEXT,
      name: TEXT,
      stages: [undefined, ...OBJECT, { only: {} }],
      start: [...TEXT, "nowhere"],
      limits: OBJECT,
      policy: ["bold", 5],
      inputs: CALLABLE,
      secretInputs: LIST,
    },
    {
      good: { id: "w", stages: { only: stage({ act: () => 1 }) } },
      inside: [
        ["limits.maxParallel", { limits: { maxParallel: 0 } }],
        ["limits.onExceed", { limits: { onExceed: "explode" } }],
        ["stages.only.timeout", { stages: { only: { act: () => 1, timeout: 5 } } }],
      ],
    },
  ),
  door<JournalOptions>(
    "openJournal",
    (options) => openJournal(join(mkdtempSync(join(tmpdir(), "doors-")), "a.db"), options),
    { clock: ["now", {}], chance: ["x", {}], onWarning: CALLABLE, readOnly: FLAG },
  ),
  door<MemoryJournalOptions>("createMemoryJournal", createMemoryJournal, {
    clock: ["now", {}],
    chance: ["x", {}],
    maxEntries: LONG_MS,
    onWarning: CALLABLE,
  }),
  door<ChaosOptions>("startChaos", startChaos, {
    port: ["80", -1, 70_000, 1.5],
    host: TEXT,
    scenario: [5, [], null],
    seed: ["1", Number.NaN],
    clock: ["now", {}],
    latencyMs: LONG_MS,
    onEnd: CALLABLE,
    onStray: CALLABLE,
  }),
  door<TerminalOptions>("terminalInteractor", terminalInteractor, {
    input: ["stdin", {}],
    output: ["stderr", {}],
    locale: ["de", 5],
  }),
];

async function faultOf({ call }: Door, options: object): Promise<Fault> {
  try {
    const given = (await call(options as never)) as { readonly fault?: Fault | null } | undefined;
    if (given?.fault) return given.fault;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe.each(DOORS.map((one) => [one.name, one] as const))("%s", (_name, one) => {
  const cases = Object.entries(one.wrong).flatMap(([option, values]) =>
    values.map((value) => [option, value, { ...one.good, [option]: value }] as const),
  );

  it.each(cases)("refuses %s: %j", async (option, _value, options) => {
    const { code, message, context } = await faultOf(one, options);
    expect(code).toBe("ConfigSchemaViolation");
    expect(String(context["field"])).toMatch(new RegExp(`^(${option}|targets)\\b`));
    expect(message).toMatch(/must be|has the stages/);
  });

  it.each(Object.keys(one.wrong))("refuses %s with a letter too many, and says what was meant", async (option) => {
    const { code, message } = await faultOf(one, { ...one.good, [`${option}s`]: 1 });
    expect(code).toBe("ConfigSchemaViolation");
    expect(message).toContain(`there is no option ${option}s; did you mean ${option}?`);
  });

  it.each(one.inside)("refuses %s", async (path, options) => {
    const { code, message, context } = await faultOf(one, { ...one.good, ...options });
    expect(code).toBe("ConfigSchemaViolation");
    expect(context["field"]).toBe(path);
    expect(message).toContain(path);
  });

  it("takes its options as an object", async () => {
    for (const options of ["x", 5, null, []]) {
      if (options === null && one.name === "fl.model, a target") continue;
      expect((await faultOf(one, options as never)).code).toBe("ConfigSchemaViolation");
    }
  });
});

describe("the ends of a range", () => {
  it.each<[string, FaultlineOptions]>([
    ["no money", { budget: { maxUsd: 0, warnAtPercent: 0 } }],
    ["one target", { maxTargets: 1 }],
  ])("are accepted by createFaultline: %s", (_what, options) => {
    expect(() => createFaultline(options)).not.toThrow();
  });

  it.each<[string, NonNullable<ToolOptions<object, string>["retry"]>]>([
    ["least", { maxAttempts: 1, backoff: { kind: "fixed", initialMs: 0, maxMs: 0, multiplier: 1 }, jitter: 0 }],
    ["most", { maxAttempts: 1_000, backoff: { multiplier: 100 }, jitter: 1 }],
  ])("are accepted by tool: the %s retry", (_what, retry) => {
    expect(() => tool<object, string>({ id: "t", retry, run: () => "" })).not.toThrow();
  });
});
