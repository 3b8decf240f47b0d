// The tools that the team's template gives to models: what they do, and what they prevent.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../templates/team/tools/files.mjs", import.meta.url));

function world() {
  const outer = mkdtempSync(join(tmpdir(), "faultline-tools-"));
  onTestFinished(() => rmSync(outer, { recursive: true, force: true }));
  const root = join(outer, "repository");
  for (const folder of ["src", ".git", "team", "node_modules"]) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["src/a.js", ".git/config", "team/x.md", "node_modules/y.js"])
    writeFileSync(join(root, file), file);
  writeFileSync(join(outer, "secret.txt"), "secret");
  const call = (action: string, input: object) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, action], {
      cwd: root,
      input: JSON.stringify(input),
      encoding: "utf8",
    });
    return { status, stdout: stdout.trim(), stderr: stderr.trim() };
  };
  return { outer, root, call };
}

describe("files.mjs", () => {
  it("lists, reads and writes files of the repository", () => {
    const { root, call } = world();
    expect(call("write", { path: "src/new/b.js", content: "b" })).toMatchObject({ status: 0 });
    expect(readFileSync(join(root, "src/new/b.js"), "utf8")).toBe("b");
    expect(call("list", {}).stdout).toBe("src/a.js\nsrc/new/b.js");
    expect(JSON.parse(call("read", { path: "src/a.js" }).stdout)).toEqual({ path: "src/a.js", content: "src/a.js" });
  });

  it.each([
    "../secret.txt",
    "/etc/hostname",
    "src/../../secret.txt",
    ".",
    "",
    ".git/config",
    ".GIT/config",
    "team/x.md",
    "src/../team/x.md",
    "node_modules/y.js",
    "team.faultline.yaml",
    "a\0b",
  ])("touches nothing under %j", (path) => {
    const { call } = world();
    for (const action of ["read", "write"]) {
      const { status, stdout, stderr } = call(action, { path, content: "changed" });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).not.toBe("");
    }
  });

  it("follows no link that leads out of the repository", () => {
    const { outer, root, call } = world();
    symlinkSync(outer, join(root, "src/out"));
    symlinkSync(join(outer, "made.txt"), join(root, "src/dangling"));
    expect(call("read", { path: "src/out/secret.txt" })).toMatchObject({ status: 1, stdout: "" });
    expect(call("write", { path: "src/out/made.txt", content: "x" })).toMatchObject({ status: 1 });
    expect(call("write", { path: "src/dangling", content: "x" })).toMatchObject({ status: 1 });
    expect(existsSync(join(outer, "made.txt"))).toBe(false);
  });

  it("explains a missing file, and an unknown action", () => {
    const { call } = world();
    expect(call("read", { path: "src/none.js" }).stderr).toBe("there is no file src/none.js");
    expect(call("delete", { path: "src/a.js" })).toMatchObject({ status: 1, stdout: "" });
  });
});
