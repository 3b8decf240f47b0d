// Proves that printed commands can be copied: a local install is called through npx.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
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

it("points to the help of a command with a line that works in a local install", () => {
  const project = mkdtempSync(join(tmpdir(), "local-install-"));
  const bin = join(project, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(resolve("dist/cli/main.js"), join(bin, "faultline"));
  const args = [join(bin, "faultline"), "runs", "export", "x", "--format", "none"];
  const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  rmSync(project, { recursive: true });
  expect(stderr).toContain("Run `npx faultline runs export --help` to see how it is used.");
});
