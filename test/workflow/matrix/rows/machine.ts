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
    name: "an output that Assert rejects leads to the repair stage",
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
    name: "an output for which Assert requests a retry is produced again, from Setup on",
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
    name: "an output that Assert rejects ends a run without a repair stage",
    seed: `${DECISION}: abort-workflow`,
    injected: "a number below what `assert` wants",
    file: MACHINE,
    rules: [SMALL],
    node: "write",
    expected: failed("provider_runtime_error", "Output/AssertFailed", {
      asked: { writer: 1 },
      way: ["write#1 failed"],
      files: ["write#1"],
      actions: ["retry-stage", "edit-and-retry", "accept-partial"],
      says: REFUSED,
    }),
  },
  {
    name: "a request that cannot be composed fails the attempt before any model is asked",
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
    name: "Next can handle a request that cannot be composed",
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
    name: "a stage that failed for good is skipped with the resolution skip",
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
    name: "a stage that failed for good runs again after the others with the resolution retry-later",
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
    name: "a stage that failed for good ends the run with the resolution abort-workflow",
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
    name: "a failing expression would fail again and is not retried",
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
    name: "an expression that takes too long is stopped and retried",
    seed: "000 Tool transient (timeout)",
    injected: "an expression that never ends; `retry: 2`",
    file: SANDBOX,
    edits: { "1 + 1": "(() => { for (;;); })()" },
    inRealTime: "hurried",
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
    name: "a cancelled run stops its request at once and does not count as failed",
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
      actions: ["retry-stage"],
    },
  },
  {
    name: "a cancelled run ends the agent CLI it started",
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
      actions: ["retry-stage"],
    },
  },
  {
    name: "a store that is unavailable for a moment is retried",
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
    name: "after three failed writes this process stops; the run continues when the store is back",
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
    name: "a killed program loses nothing: finished work is not repeated, work in progress is",
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
