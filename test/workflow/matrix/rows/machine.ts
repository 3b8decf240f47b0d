// What the workflow itself decides about a failed stage, and what ends it from outside: a person, a store, a crash.

import { expect } from "vitest";
import type { Row } from "../row.ts";
import { AGENT, agentWith, byCli, completed, failed, fails, steps } from "./expect.ts";
import { crashes, isRefused, nobodyHangs } from "./interruptions.ts";

const MACHINE = "machine.faultline.yaml";
const SANDBOX = "sandbox.faultline.yaml";
const DECISION = "000 State Machine decision";
const STORE = "000 Session / StoreUnavailable: three attempts, 2 → 4 s";
const SMALL = { when: { model: "writer" }, json: { n: 3 } } as const;
const LARGE = { when: { model: "writer" }, json: { n: 30 } } as const;
const writeWith = (more: string): Readonly<Record<string, string>> => ({
  "    next: use": `    ${more}\n    next: use`,
});
const REFUSED = { en: "The stage's assertion did not hold", zh: "阶段断言不成立" } as const;
const UNAUTHORIZED = { en: "Authentication failed (HTTP 401)", zh: "鉴权失败，检查 token（HTTP 401）" } as const;
const MISSHAPEN = { en: "A value failed validation at a boundary", zh: "数据未通过边界校验" } as const;

export const MACHINE_ROWS: readonly Row[] = [
  {
    name: "an output that Assert does not accept leads to the stage that repairs it",
    seed: `${DECISION}: Assert, Next to a repair stage`,
    injected: "a number below what `assert` wants; `on_failure: mend`",
    file: MACHINE,
    edits: writeWith("on_failure: mend"),
    rules: [SMALL],
    node: "write",
    expected: completed(
      "mended",
      { asked: { writer: 1, mender: 1 }, way: ["write#1 failed", "mend#1"], files: ["write#1"], says: REFUSED },
      "Output/AssertFailed",
    ),
  },
  {
    name: "an output that Assert wants again is asked for again, from Setup on",
    seed: `${DECISION}: Assert, retry`,
    injected: "a number that is too small, then one that is not; `verdict: retry`",
    file: MACHINE,
    edits: { ...writeWith("retry: { max_attempts: 2 }"), "verdict: fail": "verdict: retry" },
    rules: [steps("writer", { json: { n: 3 } }), LARGE],
    node: "write",
    expected: completed("used", {
      retries: { workflow: 1, transport: 0 },
      asked: { writer: 2 },
      way: ["write#1", "use#1"],
      files: ["write#1"],
      says: REFUSED,
    }),
  },
  {
    name: "an output that Assert does not accept ends a run without a repair stage",
    seed: `${DECISION}: abort-workflow`,
    injected: "a number below what `assert` wants",
    file: MACHINE,
    rules: [SMALL],
    node: "write",
    expected: failed("provider_runtime_error", "Output/AssertFailed", {
      asked: { writer: 1 },
      way: ["write#1 failed"],
      files: ["write#1"],
      actions: ["edit-and-retry", "accept-partial"],
      says: REFUSED,
    }),
  },
  {
    name: "a request that cannot be composed fails the attempt, and nobody is asked",
    seed: `${DECISION}: a failed COMPOSE_REQUEST`,
    injected: "the prompt speaks of a node that was not visited; `retry: 2`, which cannot help",
    file: MACHINE,
    edits: {
      ...writeWith("retry: { max_attempts: 2 }"),
      "prompt: Give a number.": 'prompt: "Give {{ nodes.mend.output }}"',
    },
    node: "write",
    expected: failed("internal_error", "Validation/ShapeInvalid", {
      way: ["write#1 failed"],
      files: ["write#1"],
      actions: ["retry-stage", "edit-and-retry"],
      says: MISSHAPEN,
    }),
  },
  {
    name: "a request that cannot be composed is Next's to deal with",
    seed: `${DECISION}: a failed COMPOSE_REQUEST`,
    injected: "the same, with `on_failure: mend`",
    file: MACHINE,
    edits: { ...writeWith("on_failure: mend"), "prompt: Give a number.": 'prompt: "Give {{ nodes.mend.output }}"' },
    node: "write",
    expected: completed(
      "mended",
      { asked: { mender: 1 }, way: ["write#1 failed", "mend#1"], files: ["write#1"], says: MISSHAPEN },
      "Validation/ShapeInvalid",
    ),
  },
  {
    name: "a stage that failed for good is passed over when its resolution says so",
    seed: `${DECISION}: skip`,
    injected: "401; `resolution: skip`",
    file: MACHINE,
    edits: { "abort-workflow": "skip" },
    rules: [fails("writer", "unauthorized")],
    node: "write",
    expected: completed(
      "used",
      { asked: { writer: 1 }, way: ["write#1 skipped", "use#1"], files: ["write#1"], says: UNAUTHORIZED },
      "ProviderAccess/AuthFailed",
    ),
  },
  {
    name: "a stage that failed for good comes again behind the others when its resolution says so",
    seed: `${DECISION}: retry-later`,
    injected: "401 once; `resolution: retry-later`",
    file: MACHINE,
    edits: { ...writeWith("retry: { max_attempts: 2, initial: 2s, jitter: 0 }"), "abort-workflow": "retry-later" },
    rules: [steps("writer", "unauthorized"), LARGE],
    node: "write",
    expected: completed("used", {
      retries: { workflow: 1, transport: 0 },
      asked: { writer: 2 },
      way: ["write#1", "use#1"],
      files: ["write#1"],
      says: UNAUTHORIZED,
    }),
  },
  {
    name: "a stage that failed for good ends the run when its resolution says so",
    seed: `${DECISION}: abort-workflow`,
    injected: "401; `resolution: abort-workflow`",
    file: MACHINE,
    rules: [fails("writer", "unauthorized")],
    node: "write",
    expected: failed("provider_auth_error", "ProviderAccess/AuthFailed", {
      asked: { writer: 1 },
      way: ["write#1 failed"],
      files: ["write#1"],
      actions: ["sign-in-again"],
      says: UNAUTHORIZED,
    }),
  },
  {
    name: "an expression that fails would fail again, and is not tried again",
    seed: "000 Tool terminal (logical failure)",
    injected: "an expression reads a field of undefined; `retry: 2`",
    file: SANDBOX,
    edits: { "1 + 1": "inputs.nothing.here" },
    node: "shape",
    expected: failed("internal_error", "Sandbox/SandboxFailed", {
      way: ["shape#1 failed"],
      files: ["shape#1"],
      actions: ["retry-stage"],
      says: {
        en: "The sandbox reported a syntax, type, memory or result error",
        zh: "沙箱报告语法、类型、内存或结果错误",
      },
    }),
  },
  {
    name: "an expression that takes too long is stopped and tried again",
    seed: "000 Tool transient (timeout)",
    injected: "an expression that never ends; `retry: 2`",
    file: SANDBOX,
    edits: { "1 + 1": "(() => { for (;;); })()" },
    inRealTime: true,
    node: "shape",
    expected: failed("internal_error", "Sandbox/SandboxTimeout", {
      retries: { workflow: 1, transport: 0 },
      way: ["shape#1 failed"],
      files: ["shape#1"],
      actions: ["retry-stage"],
      says: { en: "The sandbox hit its wall-clock limit", zh: "沙箱达到时间上限" },
    }),
  },
  {
    name: "a run that is cancelled stops its request at once, and is no failure",
    seed: "002 Operator cancellation",
    injected: "cancelled while the provider thinks",
    file: AGENT,
    edits: agentWith("stream: true"),
    rules: [fails("coder", "hang")],
    node: "coder",
    goes: async (world, run) => {
      const { runs } = world.life.workflows;
      const over = runs.advance(run);
      await world.clock.advance(1_000);
      await world.run(runs.cancel(run, "operator"));
      await world.run(over);
      expect(world.chaos.received()).toMatchObject([{ ended: "client-left" }]);
    },
    expected: {
      ...completed("canceled", { asked: { coder: 1 } }, "Cancellation/SessionCancelled"),
      status: "cancelled",
    },
  },
  {
    name: "a run that is cancelled ends the agent CLI it has started",
    seed: "002 Operator cancellation",
    injected: "cancelled while claude works",
    file: AGENT,
    edits: byCli("claude"),
    clis: { claude: [{ hangsAfter: "" }] },
    node: "coder",
    goes: async (world, run) => {
      const { runs } = world.life.workflows;
      const over = runs.advance(run);
      await world.clock.advance(1_000);
      expect(world.hanging()).toBe(1);
      await world.run(runs.cancel(run, "operator"));
      await world.run(over);
      await nobodyHangs(world);
    },
    expected: {
      ...completed("canceled", { asked: { claude: 1 } }, "Cancellation/SessionCancelled"),
      status: "cancelled",
    },
  },
  {
    name: "a store that does not answer for a moment is asked again",
    seed: STORE,
    injected: "the journal refuses two writes",
    file: AGENT,
    node: "coder",
    goes: async (world, run) => {
      world.refuseAppends(2);
      await world.advance(run);
    },
    expected: completed("completed", { waitsMs: [2_000, 4_000], asked: { coder: 1 }, way: ["coder#1"] }),
  },
  {
    name: "a store that does not answer three times ends this process's part; the run goes on when it does",
    seed: STORE,
    injected: "the journal refuses three writes",
    file: AGENT,
    node: "coder",
    goes: async (world, run) => {
      world.refuseAppends(3);
      expect(await isRefused(world, run)).toMatchObject({ class: "Session", code: "StoreUnavailable" });
      expect(world.chaos.received()).toEqual([]);
      await world.nextLife();
      await world.advance(run);
    },
    expected: completed("completed", { waitsMs: [2_000, 4_000], asked: { coder: 1 }, way: ["coder#1"] }),
  },
  {
    name: "a program that is killed loses nothing: what was done is not done again, what was being done is",
    seed: "000 Crash",
    injected: "SIGKILL while the second node's command runs",
    file: "crash.faultline.yaml",
    inRealTime: true,
    node: "tests",
    goes: crashes,
    expected: completed("approved", {
      retries: { workflow: 0, transport: 1 },
      waitsMs: [1_000],
      jitter: 0.2,
      asked: { "tests.mjs": 1, "hang-once.mjs": 2 },
      way: ["build#1", "tests#1"],
    }),
  },
];
