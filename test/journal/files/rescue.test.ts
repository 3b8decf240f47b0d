// Writes that a failing store could not take are saved in a file that can be imported later.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Keep } from "../../../src/journal/journal.ts";
import { createMemoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { writeRescue } from "../../../src/journal/files/rescue.ts";
import { importSession } from "../../../src/journal/files/transfer.ts";
import { codeOf, ended, note, readAll } from "../../../src/testing/journal-samples.ts";
import { thrownBy } from "../../support/thrown.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";

let folder: TempFolder;
beforeEach(() => void (folder = tempFolder()));
afterEach(() => folder.remove());

const ENTRIES = [note("c", 3), ended("failed", 4)];
const LOST = { storeId: "store_x", session: "s", after: 0, entries: ENTRIES, keeps: [], at: 1 };
const KEEPS: readonly Keep[] = [{ kind: "result", key: "s/c", value: { exact: true } }];

describe("a rescue file", () => {
  it("is readable only by its owner, and is imported after the store's entries", async () => {
    const journal = createMemoryJournal();
    await journal.append("s", 0, [note("a"), note("b")]);
    const place = await writeRescue([folder.file("new/rescue")], {
      ...LOST,
      storeId: journal.storeId,
      after: 2,
      keeps: KEEPS,
      at: 99,
    });
    expect(place).toBe(folder.file("new/rescue/rescue-s-2-99.jsonl"));
    expect(statSync(place).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.file("new/rescue"))).toEqual(["rescue-s-2-99.jsonl"]);
    const lines = readFileSync(place, "utf8").split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ format: "faultline-session", after: 2, entries: 2, at: 99 });
    expect(await importSession(journal, lines)).toMatchObject({ appended: 2 });
    expect((await readAll(journal, "s", 2)).map(({ at, event }) => ({ at, event }))).toEqual(ENTRIES);
    expect(await journal.kept("result", "s/c")).toEqual({ exact: true });
  });

  it("goes into the first folder that accepts it", async () => {
    writeFileSync(folder.file("a-file"), "");
    const good = folder.file("good");
    const place = await writeRescue([folder.file("a-file"), folder.file("a-file/deeper"), good], LOST);
    expect(place.startsWith(good)).toBe(true);
  });

  it("is never overwritten, and any name stays inside its folder", async () => {
    const write = (): Promise<string> => writeRescue([folder.file("r")], { ...LOST, session: "../../evil" });
    const places = [await write(), await write(), await write()];
    expect(new Set(places).size).toBe(3);
    for (const place of places) expect(place.startsWith(folder.file("r/rescue-"))).toBe(true);
    expect(readdirSync(folder.path)).toEqual(["r"]);
    expect(readdirSync(folder.file("r"))).toHaveLength(3);
  });

  it("that no folder accepts is a StoreUnavailable fault, with the reason of each folder", async () => {
    writeFileSync(folder.file("a-file"), "");
    mkdirSync(folder.file("taken/rescue-s-0-1.jsonl.part"), { recursive: true });
    const refused = writeRescue([folder.file("a-file"), folder.file("taken")], LOST);
    const error = await thrownBy(refused);
    expect(error).toMatchObject({ fault: { code: "StoreUnavailable", context: { session: "s", entries: 2 } } });
    expect(String(error)).toMatch(/2 entries of session s.*folder 1: EEXIST, folder 2: EISDIR/);
    expect(await codeOf(writeRescue([], LOST))).toBe("StoreUnavailable");
  });

  it("may contain values alone", async () => {
    const journal = createMemoryJournal();
    await journal.append("s", 0, [note("a")]);
    // A result comes with its entry; a snapshot comes alone.
    const alone: readonly Keep[] = [{ kind: "snapshot", key: "s", value: { seq: 1 } }];
    const place = await writeRescue([folder.path], {
      ...LOST,
      storeId: journal.storeId,
      after: 1,
      entries: [],
      keeps: alone,
    });
    expect(await importSession(journal, readFileSync(place, "utf8").split("\n"))).toMatchObject({
      appended: 0,
      already: 0,
    });
    expect(await journal.kept("snapshot", "s")).toEqual({ seq: 1 });
  });
});
