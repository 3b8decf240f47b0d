// Whatever keeps a process from starting comes back as a value that says what stood in the way; nothing is thrown.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBinary } from "../../../src/agent/process/find-binary.ts";
import type { ProcessSpec } from "../../../src/agent/process/process-spec.ts";
import { runProcess } from "../../../src/agent/process/run-process.ts";
import { FaultError } from "../../../src/core/index.ts";
import { ears, PATIENT, shellSpec, specOf } from "./children.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "faultline-spawn-"));
  const files: readonly (readonly [string, string, number])[] = [
    ["runs", "#!/bin/sh\necho ran\n", 0o755],
    ["no-right", "#!/bin/sh\necho ran\n", 0o644],
    ["no-interpreter", "#!/nowhere/interpreter\n", 0o755],
  ];
  for (const [name, text, mode] of files) {
    writeFileSync(at(name), text);
    chmodSync(at(name), mode);
  }
  mkdirSync(at("folder"));
  mkdirSync(at("empty"));
  mkdirSync(at("shadow"));
  mkdirSync(at("shadow/runs"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a process that cannot start", () => {
  const cases: readonly (readonly [string, () => Partial<ProcessSpec>, string, string, string])[] = [
    ["a missing command", () => ({ command: "faultline-no-such-command" }), "ENOENT", "command", "on the PATH"],
    ["a missing file", () => ({ command: "./no-such-file" }), "ENOENT", "command", "no file"],
    ["a path through a file", () => ({ command: at("runs/x") }), "ENOTDIR", "command", "no file"],
    ["a missing working folder", () => ({ cwd: at("gone") }), "ENOENT", "folder", "working folder"],
    ["a file as working folder", () => ({ cwd: at("runs") }), "ENOTDIR", "folder", "working folder"],
    ["a missing command in a missing folder", () => ({ command: "gone", cwd: at("gone") }), "ENOENT", "folder", "gone"],
    ["a file that is not executable", () => ({ command: at("no-right") }), "EACCES", "command", "cannot be run"],
    ["a folder as command", () => ({ command: at("folder") }), "EACCES", "command", "cannot be run"],
    ["a missing interpreter", () => ({ command: at("no-interpreter") }), "ENOENT", "interpreter", "#!"],
    ["too long an argument", () => ({ args: ["x".repeat(3_000_000)] }), "E2BIG", "arguments", "stdin"],
    ["too long an environment entry", () => ({ env: { A: "x".repeat(3_000_000) } }), "E2BIG", "arguments", "stdin"],
    ["NUL in an argument", () => ({ args: ["a\0b"] }), "ERR_INVALID_ARG_VALUE", "arguments", "NUL"],
    ["NUL in the command", () => ({ command: "a\0b" }), "ERR_INVALID_ARG_VALUE", "arguments", "NUL"],
    ["NUL in the environment", () => ({ env: { A: "a\0b" } }), "ERR_INVALID_ARG_VALUE", "arguments", "NUL"],
    ["an empty command", () => ({ command: "" }), "ERR_INVALID_ARG_VALUE", "arguments", "empty"],
  ];

  it.each(cases)("tells of %s", async (_title, over, code, obstacle, words) => {
    const run = runProcess(specOf("/bin/sh", ["-c", "echo started"], { stdin: "prompt", ...over() }), ears());
    expect(run.pid).toBeNull();
    const end = await run.done;
    expect(end).toMatchObject({
      spawnError: { code, obstacle },
      exitCode: null,
      signal: null,
      killed: false,
      stdoutBytes: 0,
      drained: true,
    });
    expect(end.spawnError?.message).toContain(words);
    run.kill("too late");
  });

  it("says nothing of an argument that may be a secret", async () => {
    const end = await runProcess(specOf("sh", ["sk-secret\0"]), ears()).done;
    expect(JSON.stringify(end)).not.toContain("sk-secret");
  });

  it("is distinguished from a command that a shell did not find", async () => {
    expect(await runProcess(shellSpec("faultline-no-such-command"), ears()).done).toMatchObject({
      spawnError: null,
      exitCode: 127,
    });
  });
});

describe("time limits that cannot be meant", () => {
  it.each([{ startupMs: NaN }, { idleMs: -1 }, { drainMs: Infinity }, { killAfterMs: Infinity }])(
    "are refused before anything starts: %o",
    (over) => {
      expect(() => runProcess(shellSpec("true", { timeouts: { ...PATIENT, ...over } }), ears())).toThrow(FaultError);
    },
  );
});

describe("sizes that cannot be meant", () => {
  it.each([{ maxLineBytes: 0 }, { maxLineBytes: NaN }, { maxTailBytes: -1 }, { maxTailBytes: Infinity }])(
    "are refused before anything starts: %o",
    (over) => {
      expect(() => runProcess(shellSpec("true", over), ears())).toThrow(FaultError);
    },
  );
});

describe("findBinary", () => {
  it("finds what the PATH of the given environment leads to, first folder first", () => {
    expect(findBinary("runs", { PATH: `${at("empty")}:${folder}` })).toBe(at("runs"));
    expect(findBinary("sh", { PATH: process.env["PATH"] })).toMatch(/\/sh$/);
    expect(findBinary("runs", { PATH: at("empty") })).toBeNull();
    // Names of variables have a case, but for Windows.
    expect(findBinary("runs", { Path: folder })).toBeNull();
  });

  it("passes over folders and files that may not be run", () => {
    expect(findBinary("runs", { PATH: `${at("shadow")}:${folder}` })).toBe(at("runs"));
    expect(findBinary("no-right", { PATH: folder })).toBeNull();
    expect(findBinary("folder", { PATH: folder })).toBeNull();
  });

  it("takes a path as it is, relative ones from the working folder, and does not look on the PATH", () => {
    expect(findBinary(at("runs"), {})).toBe(at("runs"));
    expect(findBinary("./runs", { PATH: "" }, folder)).toBe(at("runs"));
    expect(findBinary("shadow/../runs", {}, folder)).toBe(at("runs"));
    expect(findBinary("folder/runs", { PATH: folder }, folder)).toBeNull();
  });

  it("takes an empty entry of the PATH for the working folder, and a missing PATH for the system's own", () => {
    expect(findBinary("runs", { PATH: "/nowhere:" }, folder)).toBe(at("runs"));
    expect(findBinary("sh", {})).toMatch(/\/bin\/sh$/);
    expect(findBinary("", { PATH: folder })).toBeNull();
  });

  it("agrees with what starting does", async () => {
    for (const [command, cwd] of [
      ["./runs", folder],
      ["runs", folder],
      ["./no-right", folder],
    ] as const) {
      const spec = specOf(command, [], { cwd, env: { PATH: folder } });
      const end = await runProcess(spec, ears()).done;
      expect(end.spawnError === null, command).toBe(findBinary(command, spec.env, cwd) !== null);
    }
  });
});
