// The package on other versions of Node: it works, or one sentence says what to do. Tries each Node that is on the PATH;
// `npm run test:installs` installs Node 20, 22 and 24 for it.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOORS, NEEDS_VITEST, ROOT, strangerProject } from "./stranger.ts";

/** One program per version. */
function nodesHere(): ReadonlyMap<string, string> {
  const named = (process.env["FAULTLINE_TEST_NODES"] ?? "").split(delimiter).filter(Boolean);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const found = [process.execPath, ...named, ...folders.map((folder) => join(folder, "node")).filter(existsSync)];
  return new Map(
    found.flatMap((program) => {
      const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
      return stdout === "" ? [] : [[stdout.trim(), program] as const];
    }),
  );
}

const PROGRAM = `
import { createFaultline, step, tool } from "faultline";
const doors = ${JSON.stringify(DOORS.filter((door) => !NEEDS_VITEST.includes(door)))};
for (const door of doors) await import(door);
const add = tool({ id: "add", input: { type: "object" }, run: () => 1 });
const fl = createFaultline();
const session = await fl.session("s");
console.log((await fl.protect(add, {})).status, (await session.turn({ one: step(add, {}) })).status);
await fl.close();
const kept = createFaultline({ journal: process.argv[2] });
try {
  await (await kept.session("s")).turn({ one: step(add, {}) });
  console.log("journal");
} catch (error) {
  console.log(error.fault.code + ": " + error.fault.message);
}
await kept.close();
`;

const NEWEST_WITHOUT_SQLITE = 20;

describe.each([...nodesHere()])("on Node %s", (version, node) => {
  const major = Number(/^v(\d+)/.exec(version)?.[1]);
  const isSupported = major >= 22;
  const folder = strangerProject();
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  const run = (...args: readonly string[]) => spawnSync(node, args, { cwd: folder, encoding: "utf8" });

  it("opens every door and protects calls, without a warning", () => {
    const journal = join(mkdtempSync(join(tmpdir(), "faultline-nodes-")), "agent.db");
    const { stdout, stderr } = run("program.mjs", journal);
    expect(stderr).toBe("");
    const [calls, kept = ""] = stdout.trim().split("\n");
    expect(calls).toBe("done done");
    // An old SQLite is refused, with the version to install.
    expect(kept).toMatch(
      major > NEWEST_WITHOUT_SQLITE
        ? /^journal$|^HostCapabilityMissing: The SQLite in Node/
        : /^HostCapabilityMissing: A journal in a file needs Node 22/,
    );
  });

  it("has a command line that works or says which Node it needs", () => {
    const { status, stdout, stderr } = run(join(ROOT, "dist/cli/main.js"), "explain", "RateLimited", "--locale", "en");
    if (isSupported) expect([status, stderr]).toEqual([0, ""]);
    else {
      expect(stderr).toMatch(
        /^faultline: the command line needs Node 22\.13 or newer; this is \S+\. Install Node 24, .*\n$/,
      );
      expect([status, stdout]).toEqual([1, ""]);
    }
  });
});
