// What Faultline needs of a machine: versions as given, folders as they are.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkNode, checkSqlite, obstacleToMaking } from "../../../src/agent/doctor/machine.ts";
import { createFakeMachine, type FakeMachine } from "./fake-clis.ts";

let machine: FakeMachine;
beforeEach(() => void (machine = createFakeMachine()));
afterEach(() => machine.remove());

describe("versions", () => {
  it("of this machine will do", async () => {
    expect(checkNode(process.versions)).toMatchObject({ ok: true, value: process.versions.node });
    expect(await checkSqlite(process.versions)).toEqual({
      check: "sqlite",
      value: process.versions["sqlite"],
      ok: true,
      detail: null,
    });
  });

  it("of a SQLite that can damage a journal will not, and it is said what to install", async () => {
    const old = await checkSqlite({ node: "22.13.0", sqlite: "3.51.2" });
    expect(old).toMatchObject({ check: "sqlite", value: "3.51.2", ok: false });
    expect(old.detail).toMatch(/v22\.13\.0 is 3\.51\.2.*install Node/);
    expect(await checkSqlite({ node: "22.23.0", sqlite: "3.51.3" })).toMatchObject({ ok: true });
  });

  it("of no SQLite at all will not", async () => {
    expect(await checkSqlite({ node: "24.0.0" })).toMatchObject({ ok: false, value: "–" });
  });
});

describe("a file that is not there", () => {
  it("can be made in a folder, and in folders that would have to be made first; nothing is made by asking", () => {
    expect(obstacleToMaking(join(machine.home, "agent.db"))).toBeNull();
    expect(obstacleToMaking(join(machine.home, "a/b/c/agent.db"))).toBeNull();
    expect(existsSync(join(machine.home, "a"))).toBe(false);
  });

  // Permissions do not stop root.
  it.skipIf(process.getuid?.() === 0)("cannot be made in a folder that may not be written", () => {
    mkdirSync(join(machine.home, "locked"), { mode: 0o555 });
    expect(obstacleToMaking(join(machine.home, "locked/agent.db"))).toBe("not-writable");
    expect(obstacleToMaking(join(machine.home, "locked/a/b/agent.db"))).toBe("not-writable");
  });

  it("cannot be made below a file, nor where the system does not even look", () => {
    machine.addFile("plain");
    expect(obstacleToMaking(join(machine.home, "plain/a/agent.db"))).toBe("no-folder");
    expect(obstacleToMaking(join(machine.home, "\0/agent.db"))).toBe("not-writable");
  });
});
