// What a person sees of a run on a terminal: lines redrawn in place, countdowns, inline questions.

import { describe, expect, it } from "vitest";
import { type Cli, cliWith } from "../../src/cli/cli.ts";
import type { Io, Sink } from "../../src/cli/io.ts";
import { withRuns } from "../../src/cli/runs/run-deps.ts";
import { fileAccess } from "../../src/cli/file-access.ts";
import { followRun } from "../../src/cli/workflow/follow-run.ts";
import { RunPicture } from "../../src/cli/workflow/run-picture.ts";
import { createView, type RunView } from "../../src/cli/render/run-view.ts";
import { fault, type FaultCode, type JournalEvent, type Locale } from "../../src/core/index.ts";
import { createRunStream } from "../../src/core/record/run-stream.ts";
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
  /** Writes an entry of the run; `node` is empty for one about the whole run. */
  readonly feed: (type: JournalEvent["type"], node: string, data: object) => void;
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

const cliOn = (io: Io, locale: Locale = "en"): Cli => cliWith({ locale, color: "never" }, io);

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
  const view = createView(cliOn(io, locale), { run: "run_1", picture, hint: "Ctrl-C leaves" });
  const stream = createRunStream("run_1", { locale });
  let seq = 0;
  return {
    terminal,
    clock,
    view,
    picture,
    writes: () => io.writes,
    feed: (type, node, data) => {
      const place = node === "" ? {} : { node, execution: 1, attempt: 1 };
      const event = { type, ...place, ...data } as unknown as JournalEvent;
      const entry = { session: "run_1", seq: ++seq, at: clock.now(), event };
      const events = stream.feed(entry);
      picture.feed(entry, events);
      for (const one of events) view.onEvent(one, true);
    },
  };
}

const LIMITS = { maxParallel: 4, maxNodes: 100, timeoutMs: null, maxCostMicrocents: 0 };
const started = (...start: readonly string[]) => ({
  ...{ workflow: "team", version: "1", digest: "", file: null, inputs: {}, start, limits: LIMITS },
  ...{ predecessor: null, inherited: null, instruction: null },
});
const to = (...nodes: readonly string[]) => ({ route: { kind: "to", nodes } });
const DISCONNECT = fault("NetworkDisconnect", { message: "" });
const cost = (microcents: number) => ({ microcents, estimated: false, usage: null });

/** The call that each node makes. */
const callOf = (node: string) => ({ call: `${node}#1.1/c`, turn: `${node}#1.1`, tool: "openai/gpt-5.5" });
const failed = (node: string, code: FaultCode, decision: object) => ({
  ...{ ...callOf(node), attempt: 1, durationMs: 1, cost: cost(0), fault: fault(code, { message: "" }), decision },
});
const again = (attempt: number, delayMs: number) => ({ recourse: "retry", attempt, maxAttempts: 6, delayMs });

describe("the live view", () => {
  it("counts down to the next try of a call, once a second, in place", async () => {
    const { feed, clock, terminal } = drawn();
    feed("run-started", "", started("coder"));
    feed("node-started", "coder", { kind: "agent" });
    feed("call-started", "", callOf("coder"));
    feed("call-admitted", "", { ...callOf("coder"), attempt: 1 });
    feed("call-failed", "", failed("coder", "RateLimited", again(2, 12_000)));
    await clock.advance(0);
    expect(terminal.screen).toBe(
      "● coder  openai/gpt-5.5: Too many requests, try 2/6 in 12 s\nrun_1 · running · Ctrl-C leaves",
    );
    await clock.advance(5_000);
    expect(terminal.screen).toBe(
      "● coder  openai/gpt-5.5: Too many requests, try 2/6 in 7 s · 5 s\nrun_1 · running · 5 s · Ctrl-C leaves",
    );
    await clock.advance(7_000);
    feed("call-admitted", "", { ...callOf("coder"), attempt: 2 });
    expect(terminal.screen).toContain("● coder  openai/gpt-5.5: Too many requests, try 2/6 · 12 s");
    await clock.advance(1_000);
    expect(terminal.screen).toContain("● coder  openai/gpt-5.5: Too many requests, try 2/6 · 2 calls · 13 s");
  });

  it("keeps finished visits above the running ones, with their sums", async () => {
    const { feed, clock, terminal, view } = drawn();
    feed("run-started", "", started("coder"));
    feed("node-started", "coder", { kind: "agent" });
    feed("call-started", "", callOf("coder"));
    for (let attempt = 1; attempt <= 3; attempt++) feed("call-admitted", "", { ...callOf("coder"), attempt });
    feed("call-succeeded", "", { ...callOf("coder"), cost: cost(1_500_000) });
    await clock.advance(2_500);
    feed("node-completed", "coder", { output: null, ...to("reviewer") });
    feed("node-started", "reviewer", { kind: "agent" });
    feed("node-retrying", "reviewer", { of: 3, nextAt: clock.now() + 30_000, fault: DISCONNECT });
    await clock.advance(500);
    expect(terminal.screen.split("\n")).toEqual([
      "✓ coder  3 calls · 2.5 s · $0.015",
      expect.stringMatching(/^↻ reviewer {2}attempt 2\/3 · in 30 s · .+/),
      "run_1 · running · 3 s · $0.015 · Ctrl-C leaves",
    ]);
    const failure = { fault: DISCONNECT, outcome: "x" };
    feed("node-failed", "reviewer", { ...failure, resolution: "abort-workflow", route: null });
    feed("run-ended", "", { ...failure, status: "failed", node: "reviewer" });
    await view.end();
    expect(terminal.screen.split("\n").at(-1)).toBe("run_1 · failed · 3 s · $0.015");
    expect(terminal.screen.split("\n")).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it("writes nothing when nothing has changed", async () => {
    const { feed, clock, writes } = drawn();
    feed("run-started", "", started("coder"));
    feed("node-started", "coder", { kind: "agent" });
    await clock.advance(0);
    const before = writes();
    for (const phase of ["setup", "init", "check-gate", "act"]) feed("stage-entered", "coder", { phase });
    await clock.advance(0);
    expect(writes()).toBe(before);
  });

  it.each(["en", "zh-CN"] as const)("never writes a line wider than the terminal (%s)", async (locale) => {
    const { feed, clock, terminal } = drawn({ columns: 40, locale });
    const node = "一个名字很长的节点";
    feed("run-started", "", started(node));
    feed("node-started", node, { kind: "agent" });
    feed("call-started", "", callOf(node));
    feed("call-failed", "", failed(node, "RateLimited", again(2, 90_000)));
    await clock.advance(3_000);
    const lines = terminal.screen.split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(40);
    expect(lines[0]).toMatch(/…$/);
  });

  it("shows a question, a wait and a limit of lines", async () => {
    const { feed, clock, terminal } = drawn();
    const many = Array.from({ length: 20 }, (_, index) => `n${index}`);
    feed("run-started", "", started("gate", "late", ...many));
    feed("node-started", "gate", { kind: "human_gate" });
    const payload = { kind: "Confirm", prompt: "Ship\u001b[2J it?" };
    const asked = { why: "gate", fault: null, questions: [{ id: "q", payload, expiresAt: NOON + 60_000 }] };
    feed("node-paused", "gate", { ...asked, wakeAt: NOON + 60_000 });
    feed("node-started", "late", { kind: "agent" });
    const quota = fault("QuotaExhausted", { message: "" });
    feed("node-paused", "late", { why: "parked", wakeAt: NOON + 3_600_000, questions: [], fault: quota });
    for (const node of many) feed("node-started", node, { kind: "agent" });
    await clock.advance(0);
    const lines = terminal.screen.split("\n");
    expect(lines[0]).toBe("? gate  asks: Ship it?");
    expect(lines[1]).toBe("◷ late  parked · in 1 h (2025-01-15 13:00 UTC) · Quota used up");
    expect(lines.slice(-2)[0]).toBe("… and 10 more");
    expect(lines).toHaveLength(14);
  });

  it("disappears while another writer uses the screen", async () => {
    const { feed, clock, terminal, view } = drawn();
    feed("run-started", "", started("coder"));
    feed("node-started", "coder", { kind: "agent" });
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
    feed("run-started", "", started("coder"));
    feed("node-started", "coder", { kind: "agent" });
    feed("call-started", "", callOf("coder"));
    feed("call-failed", "", failed("coder", "RateLimited", again(2, 12_000)));
    await clock.advance(10_000);
    expect(terminal.output.written).toBe(
      "faultline: run run_1 of team\nfaultline: coder: starts\nfaultline: coder: openai/gpt-5.5: Too many requests, try 2/6 in 12 s\n",
    );
  });
});

describe("what a run has survived", () => {
  it("is counted", () => {
    const { feed, picture } = drawn();
    feed("run-started", "", started("a"));
    feed("node-started", "a", { kind: "agent" });
    feed("call-started", "", callOf("a"));
    feed("call-failed", "", failed("a", "RateLimited", again(2, 1)));
    feed("call-held", "", { ...callOf("a"), attempt: 1, reason: "paced", nextAt: NOON });
    feed("call-failed", "", failed("a", "QuotaExhausted", { recourse: "park", wakeAt: NOON }));
    feed("node-paused", "a", { why: "parked", wakeAt: NOON, questions: [], fault: null });
    feed("call-failed", "", failed("a", "Overloaded", { recourse: "fallback", target: "y" }));
    feed("call-failed", "", failed("a", "SchemaInvalid", { recourse: "regenerate" }));
    feed("node-retrying", "a", { of: 3, nextAt: NOON, fault: DISCONNECT });
    feed("node-retrying", "a", { of: 3, nextAt: NOON, fault: fault("SchemaInvalid", { message: "" }) });
    // No answer has followed the switch yet.
    expect(picture.survived).toEqual({ retries: 2, switches: 0, waits: 1, regenerations: 2 });
    feed("call-succeeded", "", { ...callOf("a"), attempt: 4, tool: "y", cost: null });
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
    const following = withRuns({ journal }, cliOn(io), (home) => followRun(home, "g", options));
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
