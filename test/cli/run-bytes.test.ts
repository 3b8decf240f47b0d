// `faultline run` passes on a command's output byte for byte, whether it streams the output or holds it back for a retry. Large outputs go
// through a process and its pipes; the others need none.

import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { newPath } from "../runtime/session/life.ts";
import { shareOf } from "../support/grid.ts";
import { runCliBytes } from "../support/run-cli.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const MB = 1_048_576;

const OUTPUTS: readonly (readonly [string, Buffer])[] = [
  ["nothing", Buffer.alloc(0)],
  ["random bytes", randomBytes(300_000)],
  ["invalid UTF-8", Buffer.from([0x61, 0xff, 0xfe, 0x0a, 0xc3, 0x0a, 0xe2, 0x82])],
  ["characters that span chunks", Buffer.from("x" + "€😀".repeat(40_000))],
  ["no final newline", Buffer.from("a\nb")],
  ["CRLF and empty lines", Buffer.from("a\r\n\r\n\nb\r\n")],
  ["a byte order mark", Buffer.from("\uFEFFa\n")],
  ["one line longer than any line limit", Buffer.alloc(40 * MB, "x")],
];

interface Got {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exit: string;
}

async function run(args: readonly string[], isLarge: boolean): Promise<Got> {
  if (!isLarge) return runCliBytes(["run", ...args]);
  const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, "run", ...args], { maxBuffer: 200 * MB });
  const exit = Object.entries(EXIT_CODES).find(([, { code }]) => code === status)?.[0];
  return { stdout, stderr, exit: exit ?? `code ${status}` };
}

/** A diff of many megabytes is useless on a screen. */
const digest = (bytes: Buffer) => ({ bytes: bytes.length, sha: createHash("sha256").update(bytes).digest("hex") });

function fileWith(bytes: Buffer): string {
  const file = newPath();
  writeFileSync(file, bytes);
  return file;
}

interface Way {
  readonly way: string;
  readonly on: "stdout" | "stderr";
  readonly args: (file: string) => readonly string[];
}

const WAYS: readonly Way[] = [
  { way: "on stdout, streamed", on: "stdout", args: (file) => ["--", "cat", file] },
  { way: "on stdout, held back", on: "stdout", args: (file) => ["--idempotent", "--", "cat", file] },
  { way: "on stderr", on: "stderr", args: (file) => ["--", "sh", "-c", 'cat "$0" >&2', file] },
  {
    way: "once after a failed attempt that printed the same",
    on: "stdout",
    args: (file) => {
      const script = 'cat "$0"; test -e "$1" || { touch "$1"; exit 1; }';
      return ["--idempotent", "--retry", "2", "--", "sh", "-c", script, file, newPath()];
    },
  },
];

/** What fits into no buffer goes every way; the others go every other one, in turn. */
const CASES = OUTPUTS.map(([title, bytes], row) => ({
  title,
  bytes,
  ways: bytes.length > MB ? WAYS : shareOf(WAYS, 2, row),
}));

describe.each(CASES)("$title", ({ bytes, ways }) => {
  it.each(ways)("arrives unchanged $way", async ({ way, on, args }) => {
    const got = await run(args(fileWith(bytes)), bytes.length > MB);
    expect({ ...digest(got[on]), exit: got.exit }).toEqual({ ...digest(bytes), exit: "ok" });
    if (/streamed|held back/.test(way)) expect(String(got.stderr)).toBe("");
  });
});

describe("--json", () => {
  it.each([
    ["valid text", Buffer.from("a\r\nb€\n"), "a\r\nb€", [], "ok"],
    ["invalid UTF-8", Buffer.from([0x61, 0xff, 0x62]), "a\uFFFDb", ["invalid-utf8"], "ok"],
    ["more than 16 MB", Buffer.alloc(17 * MB, "x"), "x".repeat(16 * MB), ["truncated"], "partial"],
  ])("says how the answer differs from the bytes: %s", async (_title, bytes, answer, answerProblems, exit) => {
    const got = await run(["--json", "--", "cat", fileWith(bytes)], bytes.length > MB);
    const document = JSON.parse(String(got.stdout)) as { answer: string; answerProblems: unknown };
    expect(document.answer === answer).toBe(true);
    expect({ answerProblems: document.answerProblems, exit: got.exit }).toEqual({ answerProblems, exit });
    expect(String(got.stderr)).toMatch(exit === "ok" ? /^$/ : /cut at 16 MB/);
  });
});
