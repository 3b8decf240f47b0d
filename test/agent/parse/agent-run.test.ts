// How much of what a CLI prints is kept, at each boundary, and what each report changes.

import { describe, expect, it } from "vitest";
import { AgentRun, BoundedText } from "../../../src/agent/parse/agent-run.ts";

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_one, index) => `t${index}`);

describe("a run of an agent CLI keeps", () => {
  it.each([
    [99, 99],
    [100, 100],
    [101, 100],
  ])("of %i denials %i, in the order in which they came", (count, kept) => {
    const run = new AgentRun();
    for (const id of ids(count)) run.denied(id, id, "no");
    expect(run.state.permissionDenials).toEqual(ids(kept).map((tool) => ({ tool, reason: "no" })));
    expect(run.state.consecutiveDenials).toBe(kept);
  });

  it.each([
    [999, "t998"],
    [1_000, "t999"],
    [1_001, ""],
  ])("of %i open tool calls the names of a thousand", (count, named) => {
    const run = new AgentRun();
    for (const id of ids(count)) run.toolUse(id, id);
    run.toolResult(`t${count - 1}`, true, "not allowed");
    expect(run.state.permissionDenials).toEqual([{ tool: named, reason: "not allowed" }]);
    // A call that does not fit is not waited for either.
    expect(run.state.toolRunning).toBe(true);
    for (const id of ids(count)) run.toolResult(id, false, null);
    expect(run.state.toolRunning).toBe(false);
  });

  it.each([
    [299, 299],
    [300, 300],
    [301, 300],
  ])("of a text of %i characters beside the answer %i", (length, kept) => {
    const run = new AgentRun();
    const text = "x".repeat(length);
    run.unknown(text);
    run.denied("id", text, text);
    run.toolUse(text, text);
    const [denial] = run.state.permissionDenials;
    const [used] = run.drain();
    expect(run.state.unknownLines.first[0]).toHaveLength(kept);
    expect([denial?.tool.length, denial?.reason.length]).toEqual([kept, kept]);
    expect(used).toEqual({ type: "tool-use", id: "x".repeat(kept), name: "x".repeat(kept) });
  });

  it("the first five of the lines that it does not know, of those that are broken, and how many there were", () => {
    const run = new AgentRun();
    for (const id of ids(6)) run.unknown(id);
    for (const id of ids(5)) run.broken(id);
    expect(run.state.unknownLines).toEqual({ count: 6, first: ids(5) });
    expect(run.state.brokenLines).toEqual({ count: 5, first: ids(5) });
  });
});

describe("a run of an agent CLI", () => {
  it("starts once for each thing that it learns", () => {
    const run = new AgentRun();
    const told = [
      [null, null],
      ["s1", null],
      ["s1", null],
      [null, "m1"],
      ["s2", "m2"],
      [null, null],
    ].map(([session = null, model = null]) => {
      run.started(session, model);
      return run.drain().map((event) => (event.type === "started" ? [event.sessionId, event.model] : event));
    });
    expect(told).toEqual([[], [["s1", null]], [], [["s1", "m1"]], [], []]);
    expect([run.state.sessionId, run.state.model]).toEqual(["s2", "m2"]);
  });

  it("is denied once for each call, and not in a row behind a call that ran", () => {
    const run = new AgentRun();
    const row = (): readonly number[] => [run.state.permissionDenials.length, run.state.consecutiveDenials];
    run.denied("a", "Bash", "no");
    run.denied("a", "Bash", "no");
    expect(row()).toEqual([1, 1]);
    // Without an id, each report is one.
    run.denied("", "Bash", "no");
    run.denied("", "Bash", "no");
    expect(row()).toEqual([3, 3]);
    run.toolResult("a", false, null);
    expect(row()).toEqual([3, 3]);
    run.toolResult("b", false, null);
    expect(row()).toEqual([3, 0]);
    expect(run.drain()).toEqual([
      { type: "tool-result", id: "a", isError: true, isDenied: true },
      { type: "tool-result", id: "b", isError: false, isDenied: false },
    ]);
  });

  const retry = { attempt: null, of: null, delayMs: null, reason: "busy", status: 529 } as const;
  it.each<[string, (run: AgentRun) => void, number]>([
    ["text", (run) => run.text("x"), 0],
    ["no text", (run) => run.text(""), 2],
    ["a thought", (run) => run.thinking("x"), 0],
    ["no thought", (run) => run.thinking(""), 2],
    ["a tool call", (run) => run.toolUse("a", "Bash"), 0],
    ["a recovery", (run) => run.recovered(), 0],
    ["a notice", (run) => run.notice("warning", "x"), 2],
    ["a retry with its number", (run) => run.retrying({ ...retry, attempt: 7 }), 7],
    ["one more retry", (run) => run.retrying(retry), 3],
  ])("whose retries are followed by %s has %i left", (_what, then, left) => {
    const run = new AgentRun();
    run.retrying(retry);
    run.retrying(retry);
    then(run);
    expect(run.state.ownRetries).toBe(left);
    expect(run.state.lastRetry === null).toBe(left === 0);
  });

  it("keeps its final error, and otherwise the last, until it has recovered", () => {
    const error = (message: string, isFinal: boolean) => ({ message, isFinal }) as Parameters<AgentRun["error"]>[0];
    const run = new AgentRun();
    const told = [error("a", false), error("b", false), error("c", true), error("d", false), error("e", true)].map(
      (one) => {
        run.error(one);
        return run.state.lastError?.message;
      },
    );
    expect(told).toEqual(["a", "b", "c", "c", "e"]);
    run.recovered();
    expect(run.state.lastError).toBeNull();
  });

  it("keeps why it stopped when its end does not say so, and no tool runs behind its end", () => {
    const run = new AgentRun();
    run.toolUse("a", "Bash");
    run.finished(false, "max_turns");
    run.finished(true, null);
    expect(run.state).toMatchObject({ sawResult: true, toolRunning: false, stopReason: "max_turns" });
    expect(run.drain().slice(1)).toEqual([
      { type: "finished", isError: false, stopReason: "max_turns" },
      { type: "finished", isError: true, stopReason: "max_turns" },
    ]);
  });
});

describe("a text with a limit", () => {
  it("keeps what fits, also when it is replaced", () => {
    const text = new BoundedText(10);
    const told = ["", "abcd", "efgh", "ijkl", "m"].map((piece) => {
      text.add(piece);
      return [text.isEmpty, text.isFull, text.toString()];
    });
    expect(told).toEqual([
      [true, false, ""],
      [false, false, "abcd"],
      [false, false, "abcdefgh"],
      [false, true, "abcdefghij"],
      [false, true, "abcdefghij"],
    ]);
    text.set("new");
    text.add("er");
    expect([text.isEmpty, text.isFull, text.toString()]).toEqual([false, false, "newer"]);
    text.set("");
    expect([text.isEmpty, text.toString()]).toEqual([true, ""]);
  });

  it("keeps the order of pieces that are joined in blocks", () => {
    const text = new BoundedText(1_000_000);
    const pieces = ["a".repeat(65_535), "b", "c", "d".repeat(65_536), "e"];
    for (const piece of pieces) text.add(piece);
    expect(text.toString()).toBe(pieces.join(""));
  });
});
