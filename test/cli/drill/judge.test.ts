// Each verdict, as a table of what was seen.

import { describe, expect, it } from "vitest";
import type { ReceivedRequest } from "../../../src/chaos/received.ts";
import { type Drill, DRILLS } from "../../../src/cli/drill/drills.ts";
import { judge, type DrillRun, type Verdict } from "../../../src/cli/drill/judge.ts";

function drill(id: string): Drill {
  const found = DRILLS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no drill ${id}`);
  return found;
}

function request(change: Partial<ReceivedRequest>): ReceivedRequest {
  return {
    ...{ number: 1, at: 0, protocol: "openai-chat", model: "m", path: "/v1/chat/completions", streaming: true },
    ...{ chosenBy: "scenario", complaint: null, key: null, body: { n: 1 }, ended: "answered", endedAt: 0 },
    ...{ clientLeftAt: null, fault: null, status: 200 },
    ...change,
  };
}

const good = request({ at: 5_000 });
const failed = (at = 0, status = 500): ReceivedRequest => request({ at, status, fault: "server-error" });
const answered = { exitCode: 0, hasAnswer: true };
const gaveUp = { exitCode: 1, hasAnswer: false };

function seen(change: Partial<DrillRun>): DrillRun {
  return { exitCode: 0, timedOut: false, hasAnswer: false, durationMs: 1, requests: [], rescued: 0, ...change };
}

const many = (count: number, status: number): readonly ReceivedRequest[] =>
  Array.from({ length: count }, (_, index) => failed(index * 5_000, status));

const CASES: readonly (readonly [what: string, drill: string, change: Partial<DrillRun>, verdict: Verdict])[] = [
  ["the answer after one failure", "server-error", { ...answered, requests: [failed(), good] }, "survived"],
  ["the answer of the second provider", "outage", { ...answered, requests: [failed()], rescued: 1 }, "survived"],
  ["an error when nothing could help", "outage", { ...gaveUp, requests: [failed()] }, "told"],
  ["an error when trying again would have helped", "server-error", { ...gaveUp, requests: [failed()] }, "crashed"],
  ["a signal", "outage", { exitCode: null, requests: [failed()] }, "crashed"],
  [
    "an error although it had the answer",
    "server-error",
    { exitCode: 1, hasAnswer: true, requests: [failed(), good] },
    "crashed",
  ],
  ["success without the answer", "outage", { requests: [failed()] }, "wrong-answer"],
  ["no end", "hang", { exitCode: null, timedOut: true, requests: [failed()] }, "hung"],
  ["the answer, but the fault never came", "stall", { ...answered, requests: [good] }, "not-met"],
  ["no end, but the fault never came", "stall", { timedOut: true, requests: [good] }, "not-met"],
  ["ten tries in an outage", "outage", { ...gaveUp, requests: many(10, 503) }, "told"],
  ["eleven tries in an outage", "outage", { ...gaveUp, requests: many(11, 503) }, "retried-too-hard"],
  ["four tries with a wrong key", "invalid-key", { ...gaveUp, requests: many(4, 401) }, "retried-too-hard"],
  ["four paid attempts", "always-cut", { ...gaveUp, requests: many(4, 200) }, "told"],
  ["five paid attempts", "always-cut", { ...gaveUp, requests: many(5, 200) }, "wasted-money"],
  [
    "the same question too early",
    "rate-limit",
    { ...answered, requests: [failed(), { ...good, at: 500 }] },
    "retried-too-hard",
  ],
  [
    "another question at once",
    "rate-limit",
    { ...answered, requests: [failed(), { ...good, at: 500, body: {} }] },
    "survived",
  ],
  [
    "the same question in time",
    "rate-limit",
    { ...answered, requests: [failed(), { ...good, at: 1_000 }] },
    "survived",
  ],
];

describe("a verdict", () => {
  it.each(CASES)("%s (%s)", (_what, id, change, verdict) => {
    expect(judge(drill(id), seen(change), 1)).toBe(verdict);
  });

  it("allows more to a task that takes more requests", () => {
    const requests = many(11, 503);
    expect(judge(drill("outage"), seen({ ...gaveUp, requests }), 2)).toBe("told");
  });
});
