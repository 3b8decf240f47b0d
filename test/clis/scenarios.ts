// What is done to every CLI, and Faultline's expected reaction. Data: a CLI that behaves differently has an exception with a
// reason.

import type { FaultCode } from "../../src/index.ts";
import type { ScenarioRule } from "../../src/testing/index.ts";
import type { ProcessTimeouts } from "../../src/agent/process/process-spec.ts";
import type { RealCli } from "./install.ts";

export interface Expected {
  /** Null: the run works. Several codes if it depends on timing. */
  readonly codes: readonly (FaultCode | null)[];
  /** Why this CLI differs from the others. */
  readonly because?: string;
}

export interface CliScenario {
  readonly id: string;
  readonly title: string;
  /** What the server does to every request. */
  readonly rules: readonly ScenarioRule[];
  readonly timeouts?: Partial<ProcessTimeouts>;
  readonly prompt?: string;
  readonly special?: "killed" | "missing" | "resumed" | "cancelled";
  readonly expected: readonly (FaultCode | null)[];
  readonly exceptions?: Partial<Readonly<Record<RealCli, Expected>>>;
  /** Where it makes no sense, and why. */
  readonly notFor?: Partial<Readonly<Record<RealCli, string>>>;
}

export const ANSWER = "Hello from the chaos server.";
const good: ScenarioRule = { answer: ANSWER };

export const SCENARIOS: readonly CliScenario[] = [
  { id: "success", title: "nothing fails", rules: [good], expected: [null] },
  {
    id: "resume",
    title: "a second run continues the session",
    rules: [good],
    special: "resumed",
    expected: [null],
    notFor: { goose: "it runs with `--no-session`, so there is nothing to continue" },
  },
  {
    id: "long-prompt",
    title: "a prompt of 20 kB, passed on stdin",
    rules: [good],
    prompt: `say hello ${"and again ".repeat(2_000)}`,
    expected: [null],
  },
  { id: "401", title: "401", rules: [{ fault: "unauthorized" }], expected: ["AuthFailed"] },
  {
    id: "429",
    title: "429 with `retry-after: 2`",
    rules: [{ "fault": "rate-limit", "retry-after": 2 }],
    expected: ["RateLimited"],
  },
  { id: "429-quota", title: "429, the quota is used up", rules: [{ fault: "quota" }], expected: ["QuotaExhausted"] },
  {
    id: "500",
    title: "500, always",
    rules: [{ fault: "server-error" }],
    expected: ["Provider5xx"],
    exceptions: {
      codex: { codes: ["Overloaded"], because: "it reports every 500 as high demand, without the status" },
    },
  },
  {
    id: "500-once",
    title: "500 once, then a good answer",
    rules: [{ fault: "server-error", times: 1 }, good],
    expected: [null],
  },
  { id: "529", title: "529, always", rules: [{ fault: "overloaded" }], expected: ["Overloaded"] },
  {
    id: "cut",
    title: "the stream is cut, always",
    rules: [{ fault: "cut-stream", answer: ANSWER }],
    expected: ["NetworkDisconnect"],
  },
  {
    id: "no-end",
    title: "the stream closes normally but too early, always",
    rules: [{ fault: "no-end-mark", answer: ANSWER }],
    expected: ["NetworkDisconnect"],
  },
  {
    id: "stall",
    title: "the stream stalls; silence may last 10 s",
    rules: [{ fault: "stall", answer: ANSWER }],
    timeouts: { idleMs: 10_000, startupMs: 45_000 },
    expected: ["NetworkTimeout"],
  },
  {
    id: "overflow",
    title: "the prompt is too long for the model",
    rules: [{ fault: "context-overflow" }],
    expected: ["ContextOverflow"],
  },
  {
    id: "hang",
    title: "no answer at all, not even headers; silence may last 10 s",
    rules: [{ fault: "hang" }],
    timeouts: { idleMs: 10_000, startupMs: 30_000 },
    expected: ["NetworkTimeout"],
  },
  {
    id: "refused",
    title: "the connection is refused",
    rules: [{ "fault": "refuse", "for-ms": 600_000 }],
    expected: ["NetworkDisconnect"],
  },
  {
    id: "cancelled",
    title: "the caller cancels while it waits for its answer",
    rules: [{ fault: "stall", answer: ANSWER }],
    special: "cancelled",
    expected: ["ToolCancelled"],
  },
  {
    id: "killed",
    title: "SIGKILL from outside, while it waits for its answer",
    rules: [{ fault: "stall", answer: ANSWER }],
    special: "killed",
    expected: ["ProcessCrashed"],
  },
  { id: "missing", title: "the binary is missing", rules: [good], special: "missing", expected: ["BinaryMissing"] },
];
