// A journal's files may be deleted, moved or copied at any time: acknowledged data is on disk under its name, or the write is
// refused.

import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../../src/index.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { codeOf, note, readAll } from "../../../src/testing/journal-samples.ts";
import { startWriter } from "../start-writer.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";

let folder: TempFolder;
let path: string;
const opened: Journal[] = [];

beforeEach(() => {
  folder = tempFolder();
  path = folder.file("journal.db");
});
afterEach(async () => {
  await Promise.allSettled(opened.splice(0).map((journal) => journal.close()));
  folder.remove();
});

async function open(file = path): Promise<Journal> {
  const journal = await openJournal(file, { onWarning: () => undefined });
  opened.push(journal);
  return journal;
}

async function faultMessage(refused: Promise<unknown>): Promise<string> {
  return refused.then(
    () => "nothing was refused",
    (error: unknown) => (error as Error).message,
  );
}

describe("under a live program, a journal", () => {
  it.each<[string, () => void]>([
    ["deleted", () => rmSync(path)],
    ["deleted with all of its files", () => ["", "-wal", "-shm"].forEach((end) => rmSync(`${path}${end}`))],
    ["moved", () => renameSync(path, folder.file("elsewhere.db"))],
    ["without its log", () => rmSync(`${path}-wal`)],
    [
      "replaced by a copy",
      () => {
        copyFileSync(path, folder.file("copy"));
        renameSync(folder.file("copy"), path);
      },
    ],
    ["in a folder that was moved", () => renameSync(folder.path, `${folder.path}-moved`)],
  ])("%s acknowledges nothing more", async (_how, change) => {
    const journal = await open();
    await journal.append("s", 0, [note("a")]);
    change();
    expect(await codeOf(journal.append("s", 1, [note("b")]))).toBe("ManifestDrift");
    expect(await codeOf(journal.keep([{ kind: "breaker", key: "api", value: 1 }]))).toBe("ManifestDrift");
    expect(await codeOf(journal.hold("k", "me", 9, 1))).toBe("ManifestDrift");
    expect(await faultMessage(journal.keepFirst({ kind: "answer", key: "q", value: 1 }))).toMatch(
      /deleted, moved or replaced.*start it again/,
    );
    rmSync(`${folder.path}-moved`, { recursive: true, force: true });
  });

  it("that is put back is written to again", async () => {
    const journal = await open();
    await journal.append("s", 0, [note("a")]);
    renameSync(path, folder.file("away"));
    expect(await faultMessage(journal.append("s", 1, [note("b")]))).toContain(
      `so nothing is written until it is back. Move ${path} and ${path}-wal back`,
    );
    renameSync(folder.file("away"), path);
    await journal.append("s", 1, [note("b")]);
    expect(await readAll(journal, "s")).toHaveLength(2);
  });
});

describe("a file that lost its log", () => {
  /** Killed while it writes, so that acknowledged data is in the log. */
  async function killed(): Promise<void> {
    const writer = startWriter("acknowledge", path, "s");
    await writer.said(5);
    writer.child.kill("SIGKILL");
    await writer.ended;
  }

  it.each([
    ["moved", (to: string) => renameSync(path, to)],
    ["copied", (to: string) => copyFileSync(path, to)],
  ])("because it was %s alone is refused, to write and to look", async (_how, take) => {
    await killed();
    const alone = folder.file("sub/alone.db");
    mkdirSync(folder.file("sub"));
    take(alone);
    expect(await faultMessage(open(alone))).toMatch(/alone\.db-wal is missing.*Move or copy both files together/);
    expect(await codeOf(openJournal(alone, { readOnly: true }))).toBe("ManifestDrift");
  });

  it("opens with its log beside it, with everything that was acknowledged", async () => {
    await killed();
    const journal = await open();
    expect((await readAll(journal, "s")).length).toBeGreaterThanOrEqual(5);
  });

  it("because another tool checkpointed it opens when an empty log says so", async () => {
    await killed();
    const other = new DatabaseSync(path);
    other.prepare("SELECT count(*) FROM events").get();
    other.close();
    expect(readdirSync(folder.path)).toEqual(["journal.db"]);
    expect(await codeOf(open())).toBe("ManifestDrift");
    writeFileSync(`${path}-wal`, "");
    expect((await readAll(await open(), "s")).length).toBeGreaterThanOrEqual(5);
  });

  it("because it was closed cleanly opens anywhere", async () => {
    const first = await open();
    const second = await open();
    await Promise.all([first.append("s", 0, [note("a")]), second.append("t", 0, [note("b")])]);
    await Promise.all([first.close(), second.close()]);
    const third = await open();
    await third.close();
    expect(readdirSync(folder.path)).toEqual(["journal.db"]);
    renameSync(path, folder.file("elsewhere.db"));
    expect(await readAll(await open(folder.file("elsewhere.db")), "s")).toHaveLength(1);
  });
});

describe("a journal that several processes begin at once", () => {
  it("is one journal for all of them, and none is refused", async () => {
    for (let round = 0; round < 3; round++) {
      const file = folder.file(`new-${round}.db`);
      const writers = Array.from({ length: 8 }, (_, index) => startWriter("hammer", file, `w${index}`, 3));
      const ends = await Promise.all(writers.map(({ ended }) => ended));
      expect(ends.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(ends.map(() => "0 "));
      const journal = await open(file);
      expect(await journal.sessions()).toHaveLength(9);
      expect((await journal.verify()).firstBad).toBeNull();
      await journal.close();
      expect(readdirSync(folder.path).filter((name) => name.includes("new_"))).toEqual([]);
    }
  }, 60_000);

  it("is also one journal when one of them was killed while creating it", async () => {
    writeFileSync(folder.file("journal.db.new_0123456789abcdef0123"), "half");
    writeFileSync(folder.file("journal.db.new_0123456789abcdef0123-journal"), "half");
    const journal = await open();
    await journal.close();
    expect(readdirSync(folder.path)).toEqual(["journal.db"]);
  });

  it("is also one journal within one process, even in an existing empty file", async () => {
    for (const isThere of [false, true]) {
      const file = folder.file(`shared-${String(isThere)}.db`);
      if (isThere) writeFileSync(file, "");
      const journals = await Promise.all(Array.from({ length: 20 }, () => open(file)));
      expect(new Set(journals.map(({ storeId }) => storeId)).size).toBe(1);
    }
  });
});
