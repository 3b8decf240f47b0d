// Printed commands can be copied: a local install is called through npx.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { programFor } from "../../../src/cli/render/program-name.ts";

it.each([
  ["/usr/local/bin/faultline", "faultline"],
  ["/home/ada/project/node_modules/.bin/faultline", "npx faultline"],
  ["/home/ada/.npm/_npx/9a1/node_modules/.bin/faultline", "npx faultline"],
  ["C:\\project\\node_modules\\.bin\\faultline", "npx faultline"],
  ["/opt/faultline/dist/cli/main.js", "faultline"],
])("started as %s it is called %s", (startedAs, expected) => {
  expect(programFor(startedAs).join(" ")).toBe(expected);
});

const HINTS: readonly (readonly [string, readonly string[], string])[] = [
  ["wrong use", ["runs", "export", "x", "--format", "none"], "Run `npx faultline runs export --help` for usage"],
  ["a missing journal", ["journal", "sessions", "none.db"], "`npx faultline workflow run`"],
  ["the doctor", ["doctor", "--workflow", "wrong.yaml"], "npx faultline workflow check wrong.yaml"],
  ["a mistake in a file", ["policy", "check", "policy.yaml"], "`npx faultline explain --list`"],
  ["an explanation", ["explain", "Uncaught"], "`npx faultline explain <correlation id>`"],
  ["a failed command", ["run", "--journal", "j.db", "--", "false"], "npx faultline explain "],
  [
    "a command that was stopped",
    ["run", "--journal", "j.db", "--", "sh", "-c", "kill -INT $PPID; sleep 9"],
    "npx faultline journal show j.db ",
  ],
  ["the tour", ["tour"], "npx faultline explain QuotaExhausted"],
];

describe("in a local install", () => {
  it.each(HINTS)("%s prints a command that works", (_where, args, hint) => {
    const project = mkdtempSync(join(tmpdir(), "local-install-"));
    onTestFinished(() => rmSync(project, { recursive: true }));
    const bin = join(project, "node_modules", ".bin");
    mkdirSync(bin, { recursive: true });
    symlinkSync(resolve("dist/cli/main.js"), join(bin, "faultline"));
    writeFileSync(join(project, "wrong.yaml"), "faultline: 1\n");
    writeFileSync(
      join(project, "policy.yaml"),
      "version: 1\nrows:\n  - match: { code: NoSuchCodeAtAll }\n    then: [fail]\n",
    );
    const { stdout, stderr } = spawnSync(process.execPath, [join(bin, "faultline"), ...args], {
      encoding: "utf8",
      cwd: project,
    });
    expect(`${stdout}${stderr}`).toContain(hint);
    // All hints use the same spelling.
    expect(`${stdout}${stderr}`.replaceAll("npx faultline", "")).not.toMatch(/`faultline |Next: faultline /);
  });
});
