// Files of a journal in folders: whole or not at all, for their owner only. Folders are created with their parents, and a place where none
// can be created is an error, never an endless loop.

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { firstFreeName, folderStore, makeFolder } from "../../../src/journal/files/file-store.ts";
import { codeOf } from "../../../src/testing/journal-samples.ts";

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

describe("files in a folder", () => {
  const store = folderStore(join(home, "files"));
  const at = (path: string): string => join(home, "files", path);

  it("are replaced as a whole, for their owner only, and leave no draft behind", async () => {
    await store.replace("run/report.md", "one");
    await store.replace("run/report.md", Buffer.from("two"));
    expect(readFileSync(at("run/report.md"), "utf8")).toBe("two");
    expect(statSync(at("run/report.md")).mode & 0o777).toBe(0o600);
    expect(readdirSync(at("run"))).toEqual(["report.md"]);
  });

  it("are left alone when they have the content already", async () => {
    await store.replace("same/a.md", "one");
    const before = statSync(at("same/a.md"), { bigint: true });
    await store.replace("same/a.md", "one");
    expect(statSync(at("same/a.md"), { bigint: true }).ino).toBe(before.ino);
    await store.replace("same/a.md", "two");
    expect(statSync(at("same/a.md"), { bigint: true }).ino).not.toBe(before.ino);
  });

  it("of a crash are removed with the next one; a draft of this process stays", async () => {
    await store.replace("crash/a.md", "one");
    const [own, dead, other] = [`b.md.${process.pid}-999.tmp`, "c.md.1-1.tmp", "notes.tmp"];
    for (const name of [own, dead, other]) writeFileSync(at(`crash/${name}`), "half");
    await store.replace("crash/a.md", "two");
    expect(readdirSync(at("crash")).toSorted()).toEqual(["a.md", own, other]);
  });

  it("are found by their paths, in order, and links are not followed", async () => {
    const own = store.within("listed");
    expect([await own.list(), await own.read("none.md"), own.folder]).toEqual([[], null, at("listed")]);
    for (const name of ["b.md", "a/2.md", "a/1.md"]) await own.replace(name, name);
    symlinkSync("b.md", at("listed/link.md"));
    expect(await own.list()).toEqual(["a/1.md", "a/2.md", "b.md"]);
    expect(Buffer.from((await own.read("a/1.md")) ?? []).toString()).toBe("a/1.md");
    expect(await codeOf(own.read("link.md"))).toBe("StoreUnavailable");
  });

  it("that are new get a name that is free, for their owner only", async () => {
    const names: string[] = [];
    for (const text of ["one", "two"]) names.push(await store.writeNew("new", "log", Buffer.from(text)));
    expect(names).toEqual(["log", "log~2"]);
    expect(readFileSync(at("new/log~2"), "utf8")).toBe("two");
    expect(statSync(at("new/log")).mode & 0o777).toBe(0o600);
  });

  it.each([
    [0, "log"],
    [1, "log~2"],
    [998, "log~999"],
    [999, null],
  ])("after %i of the same name: the next one is %s", async (taken, name) => {
    let asked = 0;
    const found = firstFreeName("log", () => Promise.resolve(asked++ >= taken));
    if (name === null) await expect(found).rejects.toThrow("there are 1000 files called log");
    else expect(await found).toBe(name);
  });
});
