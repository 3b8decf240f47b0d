// Real children that are stopped: by time limits, by an abort, by hand, with everything they started. Time is the test's own.

import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessEnd } from "../../../src/agent/process/process-spec.ts";
import { runProcess } from "../../../src/agent/process/run-process.ts";
import { until } from "../../support/look-again.ts";
import { ears, nodeSpec, PATIENT, processClock, startWitness, type Witness } from "./children.ts";

const ALIVE = "setInterval(() => {}, 1e6);";
const LIMITS = { ...PATIENT, killAfterMs: 1500, drainMs: 1000 };

let witness: Witness;
beforeEach(async () => void (witness = await startWitness()));
afterEach(() => witness.close());

/** A child of the child, known to the witness as `grandchild`. */
function grandchild(source: string, stdio: "inherit" | "ignore", detached = false): string {
  const script = JSON.stringify(`${witness.code} ${source}; witness("grandchild"); ${ALIVE}`);
  return `require("node:child_process").spawn(process.execPath, ["-e", ${script}], { stdio: "${stdio}", detached: ${detached} });`;
}

function isSettled(done: Promise<ProcessEnd>): () => boolean {
  const state = { isSettled: false };
  void done.then(() => (state.isSettled = true));
  return () => state.isSettled;
}

describe("a time limit", () => {
  it("for the start passes without a byte", async () => {
    const clock = processClock();
    const timeouts = { ...LIMITS, startupMs: 5000, idleMs: 10, totalMs: 60_000 };
    const run = runProcess(nodeSpec(`${witness.code} witness("child")`, { clock, timeouts }), ears());
    await witness.arrived("child");
    await clock.advance(5000);
    expect(await run.done).toMatchObject({
      timedOut: "startup",
      killed: true,
      aborted: false,
      signal: "SIGTERM",
      exitCode: null,
      durationMs: 5000,
    });
    expect(clock.pending).toBe(0);
  });

  it("for the start has passed, even if the process prints something when it is stopped", async () => {
    const clock = processClock();
    const source = `${witness.code} process.on("SIGTERM", () => { console.log("bye"); process.exit(0); }); witness("child")`;
    const run = runProcess(nodeSpec(source, { clock, timeouts: { ...LIMITS, startupMs: 5000, idleMs: 10 } }), ears());
    await witness.arrived("child");
    await clock.advance(5000);
    expect(await run.done).toMatchObject({
      timedOut: "startup",
      exitCode: 0,
      stdoutTail: "bye\n",
    });
    expect(clock.pending).toBe(0);
  });

  it.each(["out", "err"])(
    "for idleness counts from the last byte on std%s, and half a line is not lost",
    async (stream) => {
      const clock = processClock();
      const heard = ears();
      const source = `process.on("SIGUSR2", () => process.std${stream}.write("tick\\nhalf")); process.std${stream}.write("ready\\n"); ${ALIVE}`;
      const run = runProcess(nodeSpec(source, { clock, timeouts: { ...LIMITS, startupMs: 10, idleMs: 1000 } }), heard);
      await heard.heard("ready");
      await clock.advance(900);
      process.kill(run.pid ?? NaN, "SIGUSR2");
      await heard.heard("tick");
      const settled = isSettled(run.done);
      await clock.advance(900);
      expect(settled()).toBe(false);
      await clock.advance(100);
      expect(await run.done).toMatchObject({ timedOut: "idle", killed: true, durationMs: 1900 });
      expect(heard[stream === "out" ? "out" : "err"]).toEqual(["ready", "tick", "half"]);
      expect(clock.pending).toBe(0);
    },
  );

  it("for idleness rests while a tool runs", async () => {
    const clock = processClock();
    const tool = { isRunning: true };
    const heard = ears(() => tool.isRunning);
    const source = `process.on("SIGUSR2", () => console.log("tool ended")); console.log("tool began"); ${ALIVE}`;
    const run = runProcess(nodeSpec(source, { clock, timeouts: { ...LIMITS, idleMs: 1000 } }), heard);
    await heard.heard("tool began");
    await clock.advance(3_600_000);
    process.kill(run.pid ?? NaN, "SIGUSR2");
    await heard.heard("tool ended");
    tool.isRunning = false;
    await clock.advance(1000);
    expect(await run.done).toMatchObject({ timedOut: "idle", durationMs: 3_601_000 });
  });

  it("for the whole passes however much is said", async () => {
    const clock = processClock();
    const heard = ears(() => true);
    const run = runProcess(
      nodeSpec(`console.log("ready"); ${ALIVE}`, { clock, timeouts: { ...LIMITS, idleMs: 1000, totalMs: 9000 } }),
      heard,
    );
    await heard.heard("ready");
    await clock.advance(9000);
    expect(await run.done).toMatchObject({ timedOut: "total", killed: true, durationMs: 9000 });
  });
});

describe("a process that is asked to stop", () => {
  it("and ignores SIGTERM gets SIGKILL when its time is up, and not before", async () => {
    const clock = processClock();
    const heard = ears();
    const source = `process.on("SIGTERM", () => console.log("no")); console.log("ready"); ${ALIVE}`;
    const run = runProcess(nodeSpec(source, { clock, timeouts: LIMITS }), heard);
    await heard.heard("ready");
    run.kill("spend limit");
    run.kill("another reason");
    await heard.heard("no");
    const settled = isSettled(run.done);
    await clock.advance(1499);
    expect(settled()).toBe(false);
    await clock.advance(1);
    expect(await run.done).toMatchObject({ signal: "SIGKILL", killed: true, killReason: "spend limit", drained: true });
    expect(heard.out).toEqual(["ready", "no"]);
    expect(clock.pending).toBe(0);
    run.kill("too late");
  });

  it("and tidies up has the exit code it chose, and its last words are heard", async () => {
    const heard = ears();
    const source = `process.on("SIGTERM", () => { console.error("goodbye"); process.exit(143); }); console.log("ready"); ${ALIVE}`;
    const run = runProcess(nodeSpec(source), heard);
    await heard.heard("ready");
    run.kill("enough");
    expect(await run.done).toMatchObject({ exitCode: 143, signal: null, killed: true, stderrTail: "goodbye\n" });
  });

  it("while it leaves a prompt of 5 MB unread still ends", async () => {
    const heard = ears();
    const run = runProcess(nodeSpec(`console.log("ready"); ${ALIVE}`, { stdin: "x".repeat(5_000_000) }), heard);
    await heard.heard("ready");
    run.kill("enough");
    expect(await run.done).toMatchObject({ signal: "SIGTERM", drained: true });
  });

  it("takes everything with it that it started", async () => {
    const heard = ears();
    const run = runProcess(nodeSpec(`${grandchild("", "inherit")} ${ALIVE}`), heard);
    await witness.arrived("grandchild");
    run.kill("enough");
    expect(await run.done).toMatchObject({ signal: "SIGTERM", drained: true });
    await witness.left("grandchild");
  });

  it.each(["inherit", "ignore"] as const)(
    "takes those with it that ignore SIGTERM and outlive it (stdio: %s)",
    async (stdio) => {
      const clock = processClock();
      const source = `${witness.code} witness("child"); ${grandchild(`process.on("SIGTERM", () => {})`, stdio)} ${ALIVE}`;
      const timeouts = { ...LIMITS, drainMs: 60_000 };
      const run = runProcess(nodeSpec(source, { clock, timeouts }), ears());
      await Promise.all([witness.arrived("child"), witness.arrived("grandchild")]);
      run.kill("enough");
      await witness.left("child");
      await clock.advance(1400);
      expect(witness.isThere("grandchild")).toBe(true);
      await clock.advance(100);
      await witness.left("grandchild");
      expect(await run.done).toMatchObject({ signal: "SIGTERM", killed: true, drained: true });
      expect(clock.pending).toBe(0);
    },
  );
});

/** By the mark in their environment, which only Linux shows. */
describe.runIf(process.platform === "linux")("a process that is stopped and has children outside its group", () => {
  it.each(["inherit", "ignore"] as const)("ends them too (stdio: %s)", async (stdio) => {
    const run = runProcess(nodeSpec(`${grandchild("", stdio, true)} ${ALIVE}`), ears());
    await witness.arrived("grandchild");
    run.kill("enough");
    expect(await run.done).toMatchObject({ signal: "SIGTERM", drained: true });
    await witness.left("grandchild");
  });

  it("kills those that ignore SIGTERM", async () => {
    const clock = processClock();
    const source = `${grandchild(`process.on("SIGTERM", () => {})`, "ignore", true)} ${ALIVE}`;
    const run = runProcess(nodeSpec(source, { clock, timeouts: LIMITS }), ears());
    await witness.arrived("grandchild");
    run.kill("enough");
    await until(() => clock.nextAt !== null && clock.nextAt - clock.now() <= 50);
    await clock.advance(1500);
    await witness.left("grandchild");
    expect(await run.done).toMatchObject({ killed: true });
  });

  it("leaves processes of other commands alone", async () => {
    const other = runProcess(nodeSpec(`${grandchild("", "ignore", true)} ${ALIVE}`), ears());
    await witness.arrived("grandchild");
    const heard = ears();
    const run = runProcess(nodeSpec(`console.log("ready"); ${ALIVE}`), heard);
    await heard.heard("ready");
    run.kill("enough");
    await run.done;
    expect(witness.isThere("grandchild")).toBe(true);
    other.kill("enough");
    await other.done;
    await witness.left("grandchild");
  });
});

describe("a process that exits while another process holds its pipes", () => {
  it("is waited for no longer than its drain limit; then the holder is killed", async () => {
    const clock = processClock();
    const heard = ears();
    const source = `${grandchild(`console.log("still here")`, "inherit")} process.on("SIGUSR2", () => process.exit(0)); ${ALIVE}`;
    const run = runProcess(
      nodeSpec(source, { clock, timeouts: { ...LIMITS, idleMs: 10_000, totalMs: 20_000 } }),
      heard,
    );
    await Promise.all([witness.arrived("grandchild"), heard.heard("still here")]);
    process.kill(run.pid ?? NaN, "SIGUSR2");
    await until(() => clock.nextAt === 1000);
    const settled = isSettled(run.done);
    await clock.advance(999);
    expect(settled()).toBe(false);
    expect(witness.isThere("grandchild")).toBe(true);
    await clock.advance(1);
    expect(await run.done).toMatchObject({ exitCode: 0, signal: null, drained: false, killed: false, timedOut: null });
    await witness.left("grandchild");
    expect(clock.pending).toBe(0);
  });

  it("has everything read when the holder ends in time", async () => {
    const clock = processClock();
    const heard = ears();
    const source = `${grandchild(`process.on("SIGUSR2", () => { console.log("late"); process.exit(9); })`, "inherit")}
      process.on("SIGUSR2", () => process.exit(0)); console.log("ready"); ${ALIVE}`;
    const run = runProcess(nodeSpec(source, { clock, timeouts: LIMITS }), heard);
    const [holder] = await Promise.all([witness.arrived("grandchild"), heard.heard("ready")]);
    process.kill(run.pid ?? NaN, "SIGUSR2");
    await until(() => clock.nextAt === 1000);
    process.kill(holder, "SIGUSR2");
    expect(await run.done).toMatchObject({ exitCode: 0, drained: true });
    expect(heard.out).toEqual(["ready", "late"]);
    expect(clock.pending).toBe(0);
  });

  it("is released when the holder has left the group, which is spared because nothing stopped it", async () => {
    const clock = processClock();
    const heard = ears();
    const source = `${grandchild(`process.stdout.write("escaped\\nhalf")`, "inherit", true)} process.on("SIGUSR2", () => process.exit(0)); ${ALIVE}`;
    const run = runProcess(nodeSpec(source, { clock, timeouts: LIMITS }), heard);
    const [escaped] = await Promise.all([witness.arrived("grandchild"), heard.heard("escaped")]);
    process.kill(run.pid ?? NaN, "SIGUSR2");
    await until(() => clock.nextAt === 1000);
    await clock.advance(1000);
    const settled = isSettled(run.done);
    await clock.advance(1499);
    expect(settled()).toBe(false);
    await clock.advance(1);
    expect(await run.done).toMatchObject({ exitCode: 0, drained: false });
    expect(heard.out).toEqual(["escaped", "half"]);
    expect(clock.pending).toBe(0);
    expect(witness.isThere("grandchild")).toBe(true);
    process.kill(escaped, "SIGKILL");
    await witness.left("grandchild");
  });

  it("can still be aborted", async () => {
    const clock = processClock();
    const controller = new AbortController();
    const source = `${grandchild("", "inherit")} process.on("SIGUSR2", () => process.exit(0)); console.log("ready"); ${ALIVE}`;
    const heard = ears();
    const run = runProcess(nodeSpec(source, { clock, timeouts: LIMITS, signal: controller.signal }), heard);
    await Promise.all([witness.arrived("grandchild"), heard.heard("ready")]);
    process.kill(run.pid ?? NaN, "SIGUSR2");
    await until(() => clock.nextAt === 1000);
    controller.abort();
    await witness.left("grandchild");
    const settled = isSettled(run.done);
    // The pipes close a moment before the last of the group is gone, which is then asked for in short steps.
    const isAskedFor = (): boolean => clock.nextAt !== null && clock.nextAt - clock.now() <= 50;
    while (!settled()) {
      await until(() => settled() || isAskedFor());
      if (isAskedFor()) await clock.next();
    }
    expect(await run.done).toMatchObject({ exitCode: 0, aborted: true, drained: true });
    expect(clock.pending).toBe(0);
  });
});

describe("an abort", () => {
  it("before the start starts nothing", async () => {
    const run = runProcess(nodeSpec(`${witness.code} witness("child")`, { signal: AbortSignal.abort() }), ears());
    expect(run.pid).toBeNull();
    expect(await run.done).toMatchObject({
      aborted: true,
      killed: false,
      exitCode: null,
      signal: null,
      spawnError: null,
    });
    run.kill("nothing to kill");
  });

  it("stops the process and is reported as the cause, even if other causes follow", async () => {
    const clock = processClock();
    const heard = ears();
    const controller = new AbortController();
    const source = `process.on("SIGTERM", () => console.log("no")); console.log("ready"); ${ALIVE}`;
    const timeouts = { ...LIMITS, totalMs: 1000 };
    const run = runProcess(nodeSpec(source, { clock, timeouts, signal: controller.signal }), heard);
    await heard.heard("ready");
    controller.abort();
    await heard.heard("no");
    run.kill("later");
    await clock.advance(1500);
    expect(await run.done).toMatchObject({
      aborted: true,
      timedOut: null,
      killReason: null,
      killed: true,
      signal: "SIGKILL",
    });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("after the end changes nothing, and its listener is gone", async () => {
    const controller = new AbortController();
    const run = runProcess(nodeSpec("", { signal: controller.signal }), ears());
    const end = await run.done;
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    expect(await run.done).toBe(end);
    expect(end).toMatchObject({ exitCode: 0, aborted: false, killed: false });
  });
});
