// The promises H1–H2 of a private home.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrivateHome } from "../../../src/agent/process/private-home.ts";
import { FaultError } from "../../../src/core/index.ts";

const SOURCE = fileURLToPath(new URL("../../../src/agent/process/private-home.ts", import.meta.url));
const TMPDIR = process.env["TMPDIR"];
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "faultline-homes-"));
  process.env["TMPDIR"] = folder;
});
afterEach(() => {
  if (TMPDIR === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TMPDIR;
  rmSync(folder, { recursive: true, force: true });
});

describe("a private home", () => {
  it("is a new folder that only its owner may enter", () => {
    const [one, other] = [createPrivateHome("claude-"), createPrivateHome("claude-")];
    expect(one.path).not.toBe(other.path);
    expect(dirname(one.path)).toBe(folder);
    expect(statSync(one.path).mode & 0o777).toBe(0o700);
    one.remove();
    other.remove();
  });

  it("goes with all that is in it, read-only folders and links too, but not with what links lead to", () => {
    const outside = join(folder, "outside");
    writeFileSync(outside, "stays");
    const home = createPrivateHome("x-");
    mkdirSync(join(home.path, "cache/deep"), { recursive: true });
    writeFileSync(join(home.path, "cache/deep/file"), "");
    symlinkSync(outside, join(home.path, "link"));
    chmodSync(join(home.path, "cache/deep"), 0o500);
    chmodSync(join(home.path, "cache"), 0o500);
    home.remove();
    expect(existsSync(home.path)).toBe(false);
    expect(existsSync(outside)).toBe(true);
    home.remove();
  });

  it("stays inside the folder for temporary files, whatever its prefix", () => {
    const home = createPrivateHome("../../etc/x");
    expect(dirname(home.path)).toBe(folder);
    home.remove();
  });

  it("leaves no listener when the last is removed", () => {
    const before = process.listenerCount("exit");
    const homes = Array.from({ length: 20 }, () => createPrivateHome("x-"));
    expect(process.listenerCount("exit")).toBe(before + 1);
    for (const home of homes) home.remove();
    expect(process.listenerCount("exit")).toBe(before);
  });

  it.each(["process.exit(3)", "throw new Error('planned')", "undefined"])(
    "is removed when the program ends without removing it: %s",
    (ending) => {
      const source = `import { createPrivateHome } from ${JSON.stringify(SOURCE)};
        console.log(createPrivateHome("left-").path); ${ending};`;
      const ran = spawnSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
      expect(ran.stdout).toContain("left-");
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("says what to do when there is no place for it", () => {
    process.env["TMPDIR"] = join(folder, "gone");
    expect(() => createPrivateHome("x-")).toThrow(FaultError);
    expect(() => createPrivateHome("x-")).toThrow(/TMPDIR/);
  });
});
