// What a person sees of a run on a terminal: lines redrawn in place, countdowns, inline questions.

import { describe, expect, it } from "vitest";
import type { Io, Sink } from "../../src/cli/io.ts";
import type { GlobalOptions } from "../../src/cli/options.ts";
import { withRuns } from "../../src/cli/runs/run-home.ts";
import { fileAccess } from "../../src/cli/file-access.ts";
import { followRun } from "../../src/cli/workflow/follow-run.ts";
import { RunPicture } from "../../src/cli/workflow/run-picture.ts";
import { createView, type RunView } from "../../src/cli/render/run-view.ts";
import type { Locale } from "../../src/core/index.ts";
import type { RunStreamData, RunStreamEvent, RunStreamType } from "../../src/core/record/run-stream.ts";
import { type Clock, systemClock } from "../../src/host/clock.ts";
import { terminalInteractor } from "../../src/runtime/person/terminal-interactor.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { columnsOf } from "../../src/yaml-file/columns.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";
import { GATED, NOON, WorkflowWorld } from "./workflow-world.ts";

interface Drawn {
  readonly terminal: FakeTerminal;
  readonly clock: FakeClock;
  readonly view: RunView;
  readonly picture: RunPicture;
  /** How often something was written. */
  readonly writes: () => number;
  readonly feed: (type: RunStreamType, node: string, data: object) => void;
}

function ioOn(terminal: FakeTerminal, clock: Clock, columns = 80, env: Io["env"] = {}): Io & { writes: number } {
  const io = {
    writes: 0,
    stdin: {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true as const, value: undefined }) }),
    },
    stdout: sinkOf(() => undefined, columns),
    stderr: sinkOf((text) => {
      io.writes += 1;
      terminal.output.write(text);
    }, columns),
    env,
    clock,
    ...fileAccess,
    exit: () => undefined,
  };
  return io;
}

function sinkOf(take: (text: string) => void, columns: number): Sink {
  return {
    isTTY: true,
    columns,
    write: (text) => Promise.resolve(void take(typeof text === "string" ? text : new TextDecoder().decode(text))),
  };
}

const shared = (locale: Locale = "en"): GlobalOptions => ({ json: false, locale, color: "never" });

interface DrawOptions {
  readonly columns?: number;
  readonly locale?: Locale;
  readonly env?: Io["env"];
}

function drawn({ columns = 80, locale = "en", env = {} }: DrawOptions = {}): Drawn {
  const terminal = new FakeTerminal();
  const clock = createFakeClock(NOON);
  const io = ioOn(terminal, clock, columns, env);
  const picture = new RunPicture();
  const view = createView(io, shared(locale), { run: "run_1", picture, hint: "Ctrl-C leaves" });
  let sequence = 0;
  return {
    terminal,
    clock,
    view,
    picture,
    writes: () => io.writes,
    feed: (type, node, data) => {
      const place = { node, execution: node === "" ? 0 : 1, attempt: node === "" ? 0 : 1 };
      const envelope = { version: 1, sequence: ++sequence, at: clock.now(), run: "run_1", type, ...place };
      const event = { ...envelope, data: { seq: sequence, ...data } } as unknown as RunStreamEvent;
      picture.feed(event);
      view.onEvent(event, true);
    },
  };
}

const LIMITS = { maxParallel: 4, maxNodes: 100, timeoutMs: null, maxCostMicrocents: 0 };
const STARTED: Omit<RunStreamData["run.started"], "seq"> = {
  ...{ workflow: "team", workflowVersion: "1", inputs: {}, start: ["coder"], limits: LIMITS },
  ...{ predecessor: null, inherited: [], action: null },
};
const DONE = { output: null, next: [], end: null, callAttempts: 3, spentMicrocents: 0 };
const FAILURE = {
  class: "ProviderTransient",
  code: "NetworkDisconnect",
  message: "",
  next: "",
  outcome: null,
  correlationId: "",
};
const spending = (microcents: number) => ({ microcents, estimatedMicrocents: 0, unpricedAttempts: 0 });

const call = (attempt: number, inMs: number, at = NOON) => ({
  ...{ call: "c", target: "openai/gpt-5.5", callAttempt: attempt, of: 6, reason: "RateLimited", nextAt: at + inMs },
});

describe("the live view", () => {
  it("counts down to the next try of a call, once a second, in place", async () => {
    const { feed, clock, terminal } = drawn();
    feed("run.started", "", STARTED);
    feed("node.started", "coder", { kind: "agent" });
    feed("call.retrying", "coder", call(2, 12_000));
    await clock.advance(0);
    expect(terminal.screen).toBe(
      "● coder  openai/gpt-5.5: Too many requests, try 2/6 in 12 s · 2 calls\nrun_1 · running · Ctrl-C leaves",
    );
    await clock.advance(5_000);
    expect(terminal.screen).toBe(
      "● coder  openai/gpt-5.5: Too many requests, try 2/6 in 7 s · 2 calls · 5 s\nrun_1 · running · 5 s · Ctrl-C leaves",
    );
    await clock.advance(7_000);
    expect(terminal.screen).toContain("● coder  openai/gpt-5.5: Too many requests, try 2/6 · 2 calls · 12 s");
  });

  it("keeps finished visits above the running ones, with their sums", async () => {
    const { feed, clock, terminal, view } = drawn();
    feed("run.started", "", STARTED);
    feed("node.started", "coder", { kind: "agent" });
    feed("cost.updated", "coder", spending(1_500_000));
    await clock.advance(2_500);
    feed("node.completed", "coder", { ...DONE, next: ["reviewer"] });
    feed("node.started", "reviewer", { kind: "agent" });
    feed("node.retrying", "reviewer", {
      ...{ nextAttempt: 2, of: 3, nextAt: clock.now() + 30_000, deferred: false },
      failure: FAILURE,
      callAttempts: 1,
      spentMicrocents: 0,
    });
    await clock.advance(500);
    expect(terminal.screen.split("\n")).toEqual([
      "✓ coder  3 calls · 2.5 s · $0.015",
      expect.stringMatching(/^↻ reviewer {2}attempt 2\/3 · in 30 s · .+/),
      "run_1 · running · 3 s · $0.015 · Ctrl-C leaves",
    ]);
    feed("node.failed", "reviewer", { ...DONE, callAttempts: 1, resolution: "abort-workflow", failure: FAILURE });
    feed("run.failed", "", {
      ...spending(1_500_000),
      outcome: "x",
      durationMs: 3_000,
      failedNode: "reviewer",
      failure: FAILURE,
    });
    await view.end();
    expect(terminal.screen.split("\n").at(-1)).toBe("run_1 · failed · 3 s · $0.015");
    expect(terminal.screen.split("\n")).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it("writes nothing when nothing has changed", async () => {
    const { feed, clock, writes } = drawn();
    feed("run.started", "", STARTED);
    feed("node.started", "coder", { kind: "agent" });
    await clock.advance(0);
    const before = writes();
    for (const phase of ["setup", "init", "check-gate", "act"]) feed("node.phase", "coder", { phase });
    await clock.advance(0);
    expect(writes()).toBe(before);
  });

  it.each(["en", "zh-CN"] as const)("never writes a line wider than the terminal (%s)", async (locale) => {
    const { feed, clock, terminal } = drawn({ columns: 40, locale });
    feed("run.started", "", STARTED);
    feed("node.started", "一个名字很长的节点", { kind: "agent" });
    feed("call.retrying", "一个名字很长的节点", call(2, 90_000));
    await clock.advance(3_000);
    const lines = terminal.screen.split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(40);
    expect(lines[0]).toMatch(/…$/);
  });

  it("shows a question, a wait and a limit of lines", async () => {
    const { feed, clock, terminal } = drawn();
    feed("run.started", "", STARTED);
    feed("node.started", "gate", { kind: "human_gate" });
    const question = { id: "q", kind: "Confirm", prompt: "Ship\u001b[2J it?", options: [], expiresAt: NOON + 60_000 };
    feed("gate.paused", "gate", { questions: [question], wakeAt: NOON + 60_000 });
    feed("node.started", "late", { kind: "agent" });
    feed("node.paused", "late", {
      why: "parked",
      wakeAt: NOON + 3_600_000,
      questions: [],
      failure: { ...FAILURE, code: "QuotaExhausted" },
    });
    for (let index = 0; index < 20; index++) feed("node.started", `n${index}`, { kind: "agent" });
    await clock.advance(0);
    const lines = terminal.screen.split("\n");
    expect(lines[0]).toBe("? gate  asks: Ship it?");
    expect(lines[1]).toBe("◷ late  parked · in 1 h (2025-01-15 13:00 UTC) · Quota used up");
    expect(lines.slice(-2)[0]).toBe("… and 10 more");
    expect(lines).toHaveLength(14);
  });

  it("disappears while another writer uses the screen", async () => {
    const { feed, clock, terminal, view } = drawn();
    feed("run.started", "", STARTED);
    feed("node.started", "coder", { kind: "agent" });
    await clock.advance(0);
    view.hide();
    await clock.advance(5_000);
    expect(terminal.screen).toBe("");
    view.show();
    await clock.advance(0);
    expect(terminal.screen).toContain("● coder  5 s");
  });

  it.each([{ CI: "true" }, { TERM: "dumb" }])("is plain lines with %o", async (env) => {
    const { feed, clock, terminal } = drawn({ env });
    feed("run.started", "", STARTED);
    feed("node.started", "coder", { kind: "agent" });
    feed("call.retrying", "coder", call(2, 12_000));
    await clock.advance(10_000);
    expect(terminal.output.written).toBe(
      "faultline: run run_1 of team\nfaultline: coder: begins\nfaultline: coder: openai/gpt-5.5: Too many requests, try 2/6 in 12 s\n",
    );
  });
});

describe("what a run has survived", () => {
  it("is counted from its stream", () => {
    const { feed, picture } = drawn();
    const retrying = { nextAttempt: 2, of: 3, nextAt: NOON, deferred: false, callAttempts: 1, spentMicrocents: 0 };
    feed("run.started", "", STARTED);
    feed("node.started", "a", { kind: "agent" });
    feed("call.retrying", "a", call(2, 1));
    feed("call.retrying", "a", { ...call(1, 1), reason: "paced", of: null });
    feed("call.retrying", "a", { ...call(1, 1), reason: "QuotaExhausted", of: null });
    feed("node.paused", "a", { why: "parked", wakeAt: NOON, questions: [], failure: null });
    feed("call.switched", "a", { call: "c", from: "x", to: "y", why: "Overloaded" });
    feed("call.regenerating", "a", { call: "c", target: "y", why: "SchemaInvalid" });
    feed("node.retrying", "a", { ...retrying, failure: FAILURE });
    feed("node.retrying", "a", { ...retrying, failure: { ...FAILURE, code: "SchemaInvalid" } });
    expect(picture.survived).toEqual({ retries: 2, switches: 1, waits: 1, regenerations: 2 });
  });
});

describe("a gate on a terminal", () => {
  async function onTerminal(act: (terminal: FakeTerminal, world: WorkflowWorld) => unknown) {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("gated.yaml", GATED), "--run", "g"]);
    const terminal = new FakeTerminal();
    const io = ioOn(terminal, systemClock, 80, { PATH: process.env["PATH"] });
    const interactor = terminalInteractor(terminal.streams);
    const options = { part: "advance", waits: true, jsonl: false, after: null, interactor } as const;
    const journal = world.path("runs.db");
    const following = withRuns({ journal }, io, shared(), (home) => followRun(home, "g", options));
    await terminal.sees("Ship a page?");
    await terminal.sees("● No");
    await act(terminal, world);
    return { world, terminal, followed: await following };
  }

  it("is asked there, and the run continues with the answer", async () => {
    const { followed, terminal } = await onTerminal((at) => at.type("y"));
    expect(followed.standing).toBe("over");
    expect(followed.report.summary).toMatchObject({ status: "completed", outcome: "shipped" });
    expect(terminal.screen).toContain("✓ ask");
    expect(terminal.screen).toContain("✓ last");
  });

  it("that is closed with Ctrl-C leaves the run waiting, unanswered", async () => {
    const { followed, world } = await onTerminal((at) => at.type("\u0003"));
    expect(followed.standing).toBe("left");
    expect(followed.report.questions).toHaveLength(1);
    expect((await world.call(["runs", "answer", "g", "yes"])).exit).toBe("ok");
  });

  it("that is answered elsewhere disappears, and the run continues", async () => {
    const { followed, terminal } = await onTerminal((_at, world) =>
      world.call(["runs", "answer", "g", "yes", "--no-wait"]),
    );
    expect(followed.report.summary).toMatchObject({ status: "completed", outcome: "shipped" });
    expect(terminal.screen).not.toContain("● No");
  });
});
