// However much a process prints: all of it arrives once and in order, a turn of the event loop stays short, what is held stays
// bounded, and time limits hold.

import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readOutput } from "../../../src/agent/process/output.ts";
import { runProcess } from "../../../src/agent/process/run-process.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { until } from "../../support/look-again.ts";
import { nodeSpec, PATIENT, shellSpec } from "./children.ts";

const LIMITS = { maxLineBytes: 65_536, maxTailBytes: 4096, onBytes: () => undefined };

async function turn(): Promise<void> {
  await new Promise<void>((next) => systemClock.soon(next));
}

describe("a flood of output", () => {
  it.each([
    ["empty lines", "\n", 400_000],
    ["short lines", "ab\n", 100_000],
    ["one line per chunk", `${"x".repeat(65_535)}\n`, 40],
  ])("of %s is delivered a few thousand lines per turn", async (_title, line, count) => {
    const stream = Readable.from([Buffer.from(line.repeat(count))], { objectMode: false });
    let told = 0;
    let toldThisTurn = 0;
    let most = 0;
    readOutput(stream, {
      ...LIMITS,
      onLine: () => {
        told += 1;
        toldThisTurn += 1;
        return undefined;
      },
    });
    while (told < count) {
      most = Math.max(most, toldThisTurn);
      toldThisTurn = 0;
      await turn();
    }
    expect({ told, isShort: most <= 8_000 }).toEqual({ told: count, isShort: true });
  });

  it.each([
    { wanted: () => false, expected: [] },
    { wanted: () => true, expected: ["a", "b", "c"] },
    { wanted: undefined, expected: ["a", "b", "c"] },
  ])("is counted but not decoded into lines while no lines are wanted: $expected", async ({ wanted, expected }) => {
    const stream = Readable.from([Buffer.from("a\nb"), Buffer.from("\nc\n")], { objectMode: false });
    const lines: string[] = [];
    const output = readOutput(stream, {
      ...LIMITS,
      onLine: (line) => void lines.push(line),
      ...(wanted === undefined ? {} : { wantsLines: wanted }),
    });
    await until(() => stream.readableEnded);
    output.finish();
    expect({ lines, bytes: output.bytes, tail: output.tail() }).toEqual({
      lines: expected,
      bytes: 6,
      tail: "a\nb\nc\n",
    });
  });

  it("loses nothing of what comes although reading is paused", async () => {
    const stream = new Readable({ read: () => undefined });
    const lines: string[] = [];
    const output = readOutput(stream, { ...LIMITS, onLine: (line) => void lines.push(line) });
    // More lines than one turn delivers. Node resumes the pipes of a process that has exited.
    const chunks = [0, 1, 2].map((chunk) => Array.from({ length: 5_000 }, (_, line) => `${chunk}-${line}`));
    for (const chunk of chunks) stream.emit("data", Buffer.from(`${chunk.join("\n")}\n`));
    for (let turns = 0; turns < 100; turns++) await turn();
    output.finish();
    expect(lines).toEqual(chunks.flat());
  });

  it("waits in the process while a listener asks for time, and loses nothing", async () => {
    const lines: string[] = [];
    let release: (() => void) | null = null;
    const running = runProcess(shellSpec("seq 1 200000"), {
      stdout: (line) => {
        lines.push(line);
        if (release !== null || lines.length % 50_000 !== 0) return undefined;
        const { promise, resolve } = Promise.withResolvers<undefined>();
        release = () => {
          release = null;
          resolve(undefined);
        };
        return promise;
      },
      stderr: () => undefined,
    });
    let pauses = 0;
    const done = running.done.then(() => "done" as const);
    for (let state = "running"; state !== "done";) {
      state = await Promise.race([done, until(() => release !== null).then(() => "asked" as const)]);
      if (state !== "asked") continue;
      pauses += 1;
      const before = lines.length;
      for (let turns = 0; turns < 50; turns++) await turn();
      // What was already read may still be told; what is in the pipe is not read.
      expect(lines.length - before).toBeLessThan(50_000);
      (release as unknown as () => void)();
    }
    expect(pauses).toBeGreaterThan(0);
    expect(lines).toEqual(Array.from({ length: 200_000 }, (_, index) => String(index + 1)));
  });

  it("rejects with what a listener's promise rejects with", async () => {
    const running = runProcess(shellSpec("echo a; sleep 60"), {
      stdout: async () => Promise.reject(new Error("full")),
      stderr: () => undefined,
    });
    await expect(running.done).rejects.toThrow("full");
  });

  it("is ended by the time limit", async () => {
    const endless = "for (;;) require('node:fs').writeSync(1, 'x\\n'.repeat(30000))";
    const running = runProcess(nodeSpec(endless, { timeouts: { ...PATIENT, killAfterMs: 0, totalMs: 300 } }), {
      stdout: () => undefined,
      stderr: () => undefined,
    });
    expect(await running.done).toMatchObject({ timedOut: "total", killed: true });
  });
});
