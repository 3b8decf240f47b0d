// How real children end, what they print and what they receive. Stopping them is tested in stopping.test.ts.

import { describe, expect, it } from "vitest";
import { runProcess } from "../../../src/agent/process/run-process.ts";
import { until } from "../../support/look-again.ts";
import { ears, nodeSpec, PATIENT, processClock, shellSpec } from "./children.ts";

const MEGABYTE = 1024 * 1024;

describe("a process that ends by itself", () => {
  it("tells its exit code, its lines and its last words", async () => {
    const heard = ears();
    const run = runProcess(shellSpec("echo one; echo two >&2; printf 'three\\r\\n'; exit 3"), heard);
    expect(run.pid).toBeGreaterThan(1);
    expect(await run.done).toEqual({
      exitCode: 3,
      signal: null,
      spawnError: null,
      timedOut: null,
      aborted: false,
      killReason: null,
      killed: false,
      stdoutTail: "one\nthree\r\n",
      stderrTail: "two\n",
      stdoutBytes: 11,
      durationMs: expect.any(Number) as number,
      drained: true,
    });
    expect(heard).toMatchObject({ out: ["one", "three"], err: ["two"] });
  });

  it("may say nothing at all and succeed", async () => {
    const heard = ears();
    const end = await runProcess(shellSpec("exit 0"), heard).done;
    expect(end).toMatchObject({ exitCode: 0, stdoutBytes: 0, stdoutTail: "" });
    expect([...heard.out, ...heard.err]).toEqual([]);
  });

  it.each(["SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM", "SIGINT", "SIGHUP"])(
    "by %s says which signal it was",
    async (signal) => {
      const end = await runProcess(shellSpec(`echo last words; kill -s ${signal.slice(3)} $$`), ears()).done;
      expect(end).toMatchObject({ exitCode: null, signal, killed: false, aborted: false, stdoutTail: "last words\n" });
    },
  );

  it("through a shell whose child died by a signal has the shell's code", async () => {
    expect(await runProcess(shellSpec("sh -c 'kill -s KILL $$'; exit $?"), ears()).done).toMatchObject({
      exitCode: 137,
      signal: null,
    });
  });

  it("measures its time with the clock it was given", async () => {
    const clock = processClock();
    const heard = ears();
    const run = runProcess(
      nodeSpec(
        `setInterval(() => {}, 1e6); process.on("SIGUSR2", () => { console.log("bye"); process.exit(0); }); require("node:fs").writeSync(2, "ready\\n")`,
        { clock },
      ),
      heard,
    );
    await heard.heard("ready");
    await clock.advance(7000);
    process.kill(run.pid ?? NaN, "SIGUSR2");
    expect(await run.done).toMatchObject({ exitCode: 0, durationMs: 7000 });
    expect(clock.pending).toBe(0);
  });
});

describe("output", () => {
  it("without a final newline is delivered, and not lost", async () => {
    const heard = ears();
    await runProcess(shellSpec("printf 'whole\\nhalf'; printf 'a part' >&2"), heard).done;
    expect(heard).toMatchObject({ out: ["whole", "half"], err: ["a part"] });
  });

  it("on stderr in floods neither blocks nor fills the memory", async () => {
    const count = { stderr: 0 };
    const spec = nodeSpec(`const line = "e".repeat(1023) + "\\n"; let left = 20;
      const more = () => { if (left-- > 0) process.stderr.write(line.repeat(1024), more); else console.log("done"); }; more();`);
    const hooks = { ...ears(), stderr: () => void count.stderr++ };
    const end = await runProcess(spec, hooks).done;
    expect(count.stderr).toBe(20 * 1024);
    expect(end).toMatchObject({ exitCode: 0, stdoutTail: "done\n", drained: true });
    expect(end.stderrTail.length).toBeLessThanOrEqual(spec.maxTailBytes);
  });

  it("of 100 MB in lines comes line by line, and only its end is kept", async () => {
    const count = { lines: 0, bytes: 0 };
    const spec = nodeSpec(`const line = "x".repeat(1023) + "\\n"; let left = 100;
      const more = () => { if (left-- > 0) process.stdout.write(line.repeat(1024), more); }; more();`);
    const stdout = (line: string): void => {
      count.lines++;
      count.bytes += line.length + 1;
    };
    const end = await runProcess(spec, { ...ears(), stdout }).done;
    expect(count).toEqual({ lines: 100 * 1024, bytes: 100 * MEGABYTE });
    expect(end).toMatchObject({ exitCode: 0, stdoutBytes: 100 * MEGABYTE, drained: true });
    expect(end.stdoutTail.length).toBeLessThanOrEqual(spec.maxTailBytes);
  });

  it("of 100 MB in one line is one line, cut and marked", async () => {
    const heard = ears();
    const spec = nodeSpec(`let left = 100; const part = "y".repeat(${MEGABYTE});
      const more = () => { if (left-- > 0) process.stdout.write(part, more); }; more();`);
    const end = await runProcess({ ...spec, maxLineBytes: 10 }, heard).done;
    expect(heard.out).toEqual([`yyyyyyyyyy… [cut: ${100 * MEGABYTE} bytes, 10 shown]`]);
    expect(end.stdoutTail.length).toBeLessThanOrEqual(spec.maxTailBytes);
  });

  it("that is not text at all is harmless", async () => {
    const heard = ears();
    const end = await runProcess(nodeSpec(`process.stdout.write(Buffer.from([0xff, 0, 0xfe, 10, 0xe2, 0x82]))`), heard)
      .done;
    expect(end).toMatchObject({ exitCode: 0, stdoutBytes: 6 });
    expect(heard.out).toEqual(["�\0�", "�"]);
  });

  it("may be closed early by a process that continues", async () => {
    const heard = ears();
    const end = await runProcess(shellSpec("echo first; exec 1>&-; echo later >&2; exit 5"), heard).done;
    expect(end).toMatchObject({ exitCode: 5, drained: true });
    expect(heard).toMatchObject({ out: ["first"], err: ["later"] });
  });
});

describe("stdin", () => {
  const PROMPT = "prompt ü\n".repeat(500_000);

  it("is closed at once when there is nothing to say", async () => {
    const heard = ears();
    expect(await runProcess(shellSpec("cat; echo over"), heard).done).toMatchObject({ exitCode: 0 });
    expect(heard.out).toEqual(["over"]);
  });

  it.each(["", "hello", PROMPT])("is written whole and closed", async (prompt) => {
    const heard = ears();
    await runProcess(shellSpec("wc -c", { stdin: prompt }), heard).done;
    expect(Number(heard.out[0])).toBe(Buffer.byteLength(prompt));
  });

  it("of 5 MB that is never read does not get in the way of an exit", async () => {
    expect(await runProcess(shellSpec("exit 4", { stdin: PROMPT }), ears()).done).toMatchObject({
      exitCode: 4,
      spawnError: null,
      drained: true,
    });
  });

  it("that a living process closes is harmless", async () => {
    const heard = ears();
    const source = `const fs = require("node:fs"); setInterval(() => {}, 1e6);
      process.on("SIGUSR2", () => { console.log("alive"); process.exit(0); });
      fs.closeSync(0); fs.writeSync(1, "closed\\n");`;
    const run = runProcess(nodeSpec(source, { stdin: PROMPT }), heard);
    await heard.heard("closed");
    process.kill(run.pid ?? NaN, "SIGUSR2");
    expect(await run.done).toMatchObject({ exitCode: 0, drained: true });
    expect(heard.out).toEqual(["closed", "alive"]);
  });
});

describe("the environment", () => {
  it("is the given one, with a mark by which its processes are found", async () => {
    const heard = ears();
    const env = { PATH: process.env["PATH"], ONE: "1", NONE: undefined };
    await runProcess({ ...nodeSpec("console.log(JSON.stringify(process.env))"), env }, heard).done;
    const FAULTLINE_PROCESS: unknown = expect.stringMatching(/^p_[\da-f]{20}$/);
    expect(JSON.parse(heard.out[0] ?? "")).toEqual({ PATH: process.env["PATH"], ONE: "1", FAULTLINE_PROCESS });
  });
});

describe("a hook that throws", () => {
  it("ends the process, is not called again, and comes out of `done`", async () => {
    const calls: string[] = [];
    const run = runProcess(nodeSpec(`console.log("one"); console.log("two"); setInterval(() => {}, 1e6)`), {
      stdout(line) {
        calls.push(line);
        throw new RangeError("planned");
      },
      stderr: () => undefined,
    });
    await expect(run.done).rejects.toThrow(RangeError);
    expect(calls).toEqual(["one"]);
    expect(() => process.kill(run.pid ?? NaN, 0)).toThrow("ESRCH");
  });

  it("when it is asked for tools does so, too, and leaves no timer", async () => {
    const clock = processClock();
    const heard = ears(() => {
      throw new RangeError("planned");
    });
    const timeouts = { ...PATIENT, idleMs: 1000 };
    const run = runProcess(nodeSpec(`console.log("ready"); setInterval(() => {}, 1e6)`, { clock, timeouts }), heard);
    const failed = expect(run.done).rejects.toThrow("planned");
    await heard.heard("ready");
    await clock.advance(1000);
    await failed;
    expect(clock.pending).toBe(0);
  });

  it("at the very end comes out of `done`, too", async () => {
    const run = runProcess(shellSpec("printf half"), {
      stdout() {
        throw new RangeError("planned");
      },
      stderr: () => undefined,
    });
    await expect(run.done).rejects.toThrow("planned");
  });
});

describe("twenty processes at once", () => {
  it("leave no listener on this program", async () => {
    const counts = (): readonly number[] =>
      ["exit", "SIGTERM", "SIGINT", "SIGHUP"].map((name) => process.listenerCount(name));
    const before = counts();
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, index) => runProcess(shellSpec(`exit ${index}`), ears()).done),
    );
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    await until(() => counts().every((count, index) => count === before[index]));
  });
});
