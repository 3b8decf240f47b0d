// What is kept of a failed run: the first and the last events, shortened, and how it ended.

import { describe, expect, it } from "vitest";
import { RawOutput } from "../../../src/agent/run/raw-output.ts";
import type { AgentEvent } from "../../../src/agent/event/agent-event.ts";
import type { ProcessEnd } from "../../../src/agent/process/process-spec.ts";
import type { RunContext } from "../../../src/runtime/tool/tool.ts";
import { fault } from "../../../src/core/index.ts";

function put(events: readonly AgentEvent[], end: Partial<ProcessEnd> = {}): ReadonlyMap<string, string> {
  const output = new RawOutput("claude -p");
  for (const event of events) output.event(event);
  const files = new Map<string, string>();
  const artefact = (name: string, text: string): void => void files.set(name, text);
  const ended = {
    exitCode: 1,
    signal: null,
    durationMs: 7,
    stdoutTail: "out",
    stderrTail: "err",
    ...end,
  } as ProcessEnd;
  output.put(ended, fault("Overloaded", { message: "busy" }), { artefact, attempt: 2 } as unknown as RunContext);
  return files;
}

const text = (words: string): AgentEvent => ({ type: "text", text: words });
const numbered = (count: number): readonly AgentEvent[] => Array.from({ length: count }, (_, at) => text(String(at)));
const linesOf = (files: ReadonlyMap<string, string>): readonly unknown[] =>
  (files.get("attempt-2.events.jsonl") ?? "")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe("the output of a failed run", () => {
  it.each([0, 1, 500, 501, 2_000])("has all of %i events", (count) => {
    expect(linesOf(put(numbered(count)))).toEqual(numbered(count));
  });

  it.each([1, 2])("leaves out %i events in the middle, and says how many", (over) => {
    const all = numbered(2_000 + over);
    const gap = { type: "left-out", events: over };
    expect(linesOf(put(all))).toEqual([...all.slice(0, 500), gap, ...all.slice(-1_500)]);
  });

  it("cuts long fields, and leaves the event that was given as it is", () => {
    const long: AgentEvent = { type: "tool-use", id: "x".repeat(4_096), name: "y".repeat(4_097) };
    const name = `${"y".repeat(4_096)}… [cut: 4097 characters, 4096 kept]`;
    expect(linesOf(put([long]))).toEqual([{ ...long, name }]);
    expect(long.name).toHaveLength(4_097);
    const counted: AgentEvent = { type: "usage", usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } };
    expect(linesOf(put([counted]))).toEqual([counted]);
  });

  it("says how the process ended", () => {
    const page = (end: Partial<ProcessEnd>): string => put([], end).get("attempt-2_raw.md") ?? "";
    expect(page({})).toBe(
      [
        ...["# claude -p: Overloaded", "", "busy", "", "Ended with exit code 1 after 7 ms.", ""],
        ...["## stdout, its end", "", "````", "out", "````", "", "## stderr, its end", "", "````", "err", "````", ""],
      ].join("\n"),
    );
    expect(page({ exitCode: null })).toContain("Ended with exit code none after");
    expect(page({ exitCode: null, signal: "SIGKILL" })).toContain("Ended with signal SIGKILL after");
  });
});
