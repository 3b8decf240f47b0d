// Folders are created with their parents, and a place where none can be created is an error, never an endless loop.

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeFolder } from "../../../src/journal/files/file-store.ts";

const home = mkdtempSync(join(tmpdir(), "make-folder-"));
afterAll(() => rmSync(home, { recursive: true }));

describe("makeFolder", () => {
  it("creates the parents, each with the mode, and leaves an existing one alone", async () => {
    const path = join(home, "a", "b", "c");
    await Promise.all([makeFolder(path, { mode: 0o700 }), makeFolder(path, { mode: 0o700 })]);
    expect(statSync(join(home, "a")).mode & 0o777).toBe(0o700);
    await makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it.each(["", "/below", "/far/below"])("refuses a file in the way, with %j after it", async (rest) => {
    writeFileSync(join(home, "file"), "");
    await expect(makeFolder(join(home, `file${rest}`))).rejects.toMatchObject({
      code: rest === "" ? "EEXIST" : "ENOTDIR",
    });
  });

  it.runIf(existsSync("/proc/self")).each(["/proc/foo", "/proc/foo/bar"])(
    "ends where nothing can be made: %s",
    async (path) => {
      await expect(makeFolder(path)).rejects.toMatchObject({ code: "ENOENT" });
    },
  );
});
