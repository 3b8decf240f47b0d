// Runs that differ in one fact each, the arguments of each CLI, and when a CLI that retries is stopped: all as files say that were reviewed.

import { describe, expect, it } from "vitest";
import { AGENT_KINDS, type AgentKind, type AgentState } from "../../../src/agent/parse/agent-state.ts";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { errorInAnswer } from "../../../src/agent/parse/answer-error.ts";
import { denialIn } from "../../../src/agent/parse/denial.ts";
import { onceOf } from "../../../src/agent/parse/agent-run.ts";
import { cliEnvNames } from "../../../src/agent/verdict/cli-env.ts";
import type { AgentEnding } from "../../../src/agent/verdict/ending.ts";
import { ONE_SHOT } from "../../../src/agent/verdict/one-shot.ts";
import { whyStop, whyStopRetrying } from "../../../src/agent/verdict/stop-early.ts";
import { retryFault, verdictOn } from "../../../src/agent/verdict/verdict.ts";
import { fault, type Fault, FAULT_CODES } from "../../../src/core/index.ts";

const OBSERVED_AT = Date.parse("2026-11-15T20:16:00Z");
const ENDED: AgentEnding = { exitCode: 0, signal: null, stderrTail: "", observedAt: OBSERVED_AT };
const FRESH = createParser("claude").state;

function told(made: Fault | null): unknown {
  if (made === null) return "ok";
  const { code, evidence, message, context, retryAfterMs, resetAt, cause } = made;
  return [code, evidence.rule, message, context, { retryAfterMs, resetAt, cause: cause?.message }];
}

interface Run {
  readonly kind?: AgentKind;
  readonly state?: Partial<AgentState>;
  readonly ending?: Partial<AgentEnding>;
}

const retry = { attempt: 1, of: null, delayMs: null, reason: "", status: null };
const error = { message: "", status: null, code: null, isFinal: false, detail: null };
const overloaded = fault("Overloaded", { message: "busy", context: { status: 529 } });
const stopped = { exitCode: null, signal: "SIGTERM", stopped: "elsewhere", stoppedFor: overloaded } as const;
const LATER = "try again at 8:33 PM";

const RUNS: Readonly<Record<string, Run>> = {
  "stopped while it retried": { state: { ownRetries: 2 }, ending: stopped },
  "stopped while it retried what has its status in its words": {
    ending: { ...stopped, stoppedFor: fault("Overloaded", { message: "529 busy", context: { status: 529 } }) },
  },
  "stopped while it retried what has no status": {
    ending: { ...stopped, stopped: "no-cure", stoppedFor: fault("AuthFailed", { message: "no key" }) },
  },
  "stopped while it retried, with a result": { state: { sawResult: true, text: "hello" }, ending: stopped },
  "stopped while it retried, with a final error": {
    state: { lastError: { ...error, message: "rate limit exceeded (429)", isFinal: true } },
    ending: stopped,
  },
  "stopped while it retried, with an error that is not final": {
    state: { lastError: { ...error, message: "rate limit exceeded (429)" } },
    ending: stopped,
  },
  "stopped after its result": {
    state: { sawResult: true, text: "hello" },
    ending: { exitCode: null, signal: "SIGTERM", stopped: "after-result" },
  },
  "timed out during a retry that says why": {
    state: { lastRetry: { ...retry, reason: "rate limit exceeded", status: 429 } },
    ending: { timedOut: "total" },
  },
  "timed out during a retry that does not": {
    state: { lastRetry: { ...retry, reason: "hm" } },
    ending: { timedOut: "idle" },
  },
  "timed out after one step that stalled": { state: { stalledSteps: 1 }, ending: { timedOut: "total" } },
  "timed out": { ending: { timedOut: "startup" } },
  "ended without an exit code": { ending: { exitCode: null } },
  "ended with one": { ending: { exitCode: 3 } },
  "ended by a signal": { ending: { exitCode: null, signal: "SIGKILL" } },
  "printed its error as plain text": {
    state: { isPlainText: true, text: "connect ECONNREFUSED 127.0.0.1:9" },
    ending: { exitCode: 1 },
  },
  "printed its error as an answer among events": {
    state: { text: "connect ECONNREFUSED 127.0.0.1:9" },
    ending: { exitCode: 1 },
  },
  "printed its error as plain text, though this CLI does not": {
    kind: "codex",
    state: { isPlainText: true, text: "connect ECONNREFUSED 127.0.0.1:9" },
    ending: { exitCode: 1 },
  },
  "printed a known notice as plain text": { state: { isPlainText: true, text: "Credit balance is too low" } },
  "printed a known notice as an answer among events": { state: { sawResult: true, text: "Credit balance is too low" } },
  "said why in the longest of several lines": {
    ending: {
      exitCode: 1,
      stderrTail: "starting\nrate limit exceeded\nrate limit exceeded (429), slow down\nrate limit exceeded!",
    },
  },
  "said why in lines of the same length": {
    ending: { exitCode: 1, stderrTail: "starting\nrate limit exceeded 1\nrate limit exceeded 2" },
  },
  "said why in one line": { ending: { exitCode: 1, stderrTail: "rate limit exceeded" } },
  "said why after a hundred lines": { ending: { exitCode: 1, stderrTail: `${"-\n".repeat(99)}rate limit exceeded` } },
  "said why after more lines": { ending: { exitCode: 1, stderrTail: `${"-\n".repeat(100)}rate limit exceeded` } },
  "refused its arguments": { ending: { exitCode: 1, stderrTail: "unknown option --x\nUsage: claude" } },
  "ended with an error that stderr explains": {
    state: { lastError: { ...error, message: "terminated", isFinal: true } },
    ending: { stderrTail: "connect ECONNREFUSED 127.0.0.1:9" },
  },
  "ended with an error that stderr does not explain": {
    state: { lastError: { ...error, message: "hm", isFinal: true } },
    ending: { stderrTail: "hm too" },
  },
  "ended with an error, and a transcript that names another": {
    state: { hasTranscriptOnStderr: true, lastError: { ...error, message: "hm", isFinal: true } },
    ending: { stderrTail: "connect ECONNREFUSED 127.0.0.1:9" },
  },
  "ended with an error that names its cause, beside another on stderr": {
    state: { lastError: { ...error, message: "rate limit exceeded (429)", isFinal: true } },
    ending: { stderrTail: "connect ECONNREFUSED 127.0.0.1:9" },
  },
  "ended with a limit": {
    state: {
      limit: { window: "w", resetAt: OBSERVED_AT + 60_000 },
      lastError: { ...error, message: "usage limit reached", isFinal: true },
    },
  },
  "a time of day without a zone": { ending: { exitCode: 1, stderrTail: `usage limit reached, ${LATER}` } },
  "a time of day with this machine's zone": {
    ending: { exitCode: 1, stderrTail: `usage limit reached, ${LATER}`, timeZone: "Europe/Berlin" },
  },
  "a time of day with this machine's zone, as far into a text as is read": {
    ending: { exitCode: 1, timeZone: "Europe/Berlin" },
    state: { lastError: { ...error, message: `usage limit reached, ${LATER.padStart(4_000 - 21)}`, isFinal: true } },
  },
  "a time of day with this machine's zone, one character further": {
    ending: { exitCode: 1, timeZone: "Europe/Berlin" },
    state: { lastError: { ...error, message: `usage limit reached, ${LATER.padStart(4_001 - 21)}`, isFinal: true } },
  },
  "a date and a time with this machine's zone": {
    ending: {
      exitCode: 1,
      stderrTail: "usage limit reached, try again at Nov 20th, 2026 8:33 PM",
      timeZone: "Europe/Berlin",
    },
  },
  "no answer, and a denial": {
    state: { sawResult: true, sessionId: "s", permissionDenials: [{ tool: "Bash", reason: "" }] },
  },
  "an answer, and a denial": {
    state: { sawResult: true, text: "hello", permissionDenials: [{ tool: "Bash", reason: "" }] },
  },
  "an answer without an end": { state: { text: "hello" } },
  "an answer without an end after a stalled step": { state: { text: "hello", stalledSteps: 1 } },
  "no answer": { state: { sawResult: true } },
  "no answer after an error": { state: { sawResult: true, lastError: { ...error, message: "careful" } } },
  "no answer and no end after an error": { state: { lastError: { ...error, message: "rate limit exceeded (429)" } } },
  "an answer that was cut": { state: { sawResult: true, text: "hello", stopReason: "max_tokens" } },
};

/** Codes with the same answers share a page. */
function stopGrid(): string {
  const answers = FAULT_CODES.map((code) => {
    const rows = [0, 1, 2, 3].flatMap((ownRetries) =>
      [null, 5_000, 5_001].map((delayMs) => {
        const lastRetry = delayMs === null ? null : { ...retry, delayMs };
        const cells = [
          { hasOther: true, hasWorked: false },
          { hasOther: true, hasWorked: true },
          { hasOther: false, hasWorked: false },
        ].map(({ hasOther, hasWorked }) => {
          const rules = { attemptsBeforeFallback: 3, hasOther: () => hasOther, hasWorked };
          return whyStopRetrying({ ownRetries, lastRetry }, fault(code, { message: "" }), rules) ?? "go on";
        });
        return `  ${ownRetries} retries, wait ${delayMs}: ${cells.join(", ")}`;
      }),
    );
    return { code, page: rows.join("\n") };
  });
  const pages = Map.groupBy(answers, ({ page }) => page);
  const titled = [...pages].map(([page, codes]) => `${codes.map(({ code }) => code).join(" ")}\n${page}\n`);
  return ["with another target, with another after work, without another", ...titled].join("\n");
}

// A change that is meant shows as a difference of these files (`npx vitest run -u` writes them again).
describe("as the file says that was reviewed", () => {
  it("each run is judged", async () => {
    const pages = Object.entries(RUNS).map(([title, { kind = "claude", state, ending }]) => {
      const all = { ...FRESH, ...state };
      const verdict = told(verdictOn(kind, all, { ...ENDED, ...ending }));
      return `${title}\n  ${JSON.stringify(verdict)}\n  ${JSON.stringify(told(retryFault(kind, all, OBSERVED_AT)))}`;
    });
    await expect(`${pages.join("\n")}\n`).toMatchFileSnapshot("reviewed/verdicts.txt");
  });

  it("a CLI that retries is stopped, for each code, number of retries, wait, and whether another can answer", async () => {
    await expect(stopGrid()).toMatchFileSnapshot("reviewed/stops.txt");
  });

  it("each CLI gets its arguments", async () => {
    const rows = AGENT_KINDS.flatMap((kind) =>
      ["say hi", "-x", null].flatMap((prompt) =>
        [null, "m"].map((one) => JSON.stringify([kind, ...ONE_SHOT[kind]({ prompt, model: one, resume: one })])),
      ),
    );
    await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("reviewed/arguments.txt");
  });
});

it.each([
  ["consecutiveDenials", 3, "permission-loop"],
  ["networkWaits", 4, "network-wait"],
  ["stalledSteps", 3, "step-loop"],
] as const)("a run is stopped at the limit of %s", (field, limit, why) => {
  expect(whyStop({ ...FRESH, [field]: limit - 1 })).toBe(null);
  expect(whyStop({ ...FRESH, [field]: limit })).toBe(why);
});

it("a CLI gets the variables of a cloud only if it uses that cloud", () => {
  expect(cliEnvNames("claude", { CLAUDE_CODE_USE_BEDROCK: "1" })).toContain("AWS_*");
  for (const env of [{}, { CLAUDE_CODE_USE_BEDROCK: "" }]) expect(cliEnvNames("claude", env)).not.toContain("AWS_*");
});

it("an error is looked for in a short answer, and at the end of any", () => {
  const notice = "API Error: 529 Overloaded";
  const long = (length: number): string => notice.padEnd(length, ".");
  expect(errorInAnswer("claude", `${notice}\n \n`)).toBe(notice);
  expect(errorInAnswer("claude", long(2_000))).toBe(long(2_000));
  expect(errorInAnswer("claude", long(2_001))).toBe(null);
  const atEnd = `[${long(1_500)}]`;
  expect(errorInAnswer("qwen", `${"x".repeat(9_000)}${atEnd}`)).toBe(long(1_500));
  expect(errorInAnswer("qwen", `[${notice}]${"\n".repeat(2_000 - notice.length - 2)}`)).toBe(notice);
  expect(errorInAnswer("qwen", `[${notice}]${"\n".repeat(2_000 - notice.length - 1)}`)).toBe(null);
});

it("a denial is looked for in the first 400 characters", () => {
  const words = "This command requires approval";
  expect(denialIn(words.padStart(400))).toBe(words.padStart(400));
  expect(denialIn(words.padStart(401))).toBe(null);
});

it.each([
  ["ab", 1, "ab"],
  ["abab", 2, "ab"],
  ["abab", 1, "abab"],
  ["ababa", 2, "ababa"],
  ["abac", 2, "abac"],
  ["aaa", 3, "a"],
  ["", 2, ""],
  ["a", 0, "a"],
  ["a", 1, "a"],
  ["aa", 2, "a"],
])("%j of %i attempts is %j", (text, attempts, once) => {
  expect(onceOf(text, attempts)).toBe(once);
});
