// A read-only journal: nothing is created or changed, all data is visible, and so is what others write in the meantime.

import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Entry, type Fault, isFaultError, type Journal, openJournal } from "../../../src/index.ts";
import { tryRead } from "../../../src/core/try-read.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { openReadonlyStore } from "../../../src/journal/readonly/store.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";

let folder: TempFolder;
beforeEach(() => (folder = tempFolder()));
afterEach(() => folder.remove());

const entry = (turn: string): { at: number; event: Entry["event"] } => ({
  at: 1,
  event: { type: "turn-started", turn, deadlineAt: null },
});

async function written(name = "journal.db"): Promise<string> {
  const path = folder.file(name);
  const journal = await openJournal(path);
  await journal.append("s", 0, [entry("a"), entry("b")], [{ kind: "result", key: "s/a", value: 7 }]);
  await journal.hold("s", "somebody", 9e15, 1);
  await journal.close();
  return path;
}

/** Every file with every byte. */
function contents(): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder.path).map((name) => [name, readFileSync(folder.file(name), "latin1")]));
}

async function seen(journal: Journal): Promise<unknown> {
  const entries: Entry[] = [];
  for await (const one of journal.read("s")) entries.push(one);
  return {
    store: journal.storeId,
    entries,
    sessions: await journal.sessions(),
    kept: await journal.keptAll("result"),
    holds: await journal.holds(),
    report: await journal.verify(),
  };
}

const faultOf = (made: Promise<unknown>): Promise<Fault | null> =>
  made.then(
    () => null,
    (error: unknown) => {
      if (!isFaultError(error)) throw error;
      return error.fault;
    },
  );

/** Linux lists what a process has open. */
const OPEN_FILES = "/proc/self/fd";

describe("a read-only journal", () => {
  it("shows everything and leaves every byte as it was, with no file beside it", async () => {
    const path = await written();
    const before = contents();
    const journal = await openJournal(path, { readOnly: true });
    const shown = await seen(journal);
    expect(contents()).toEqual(before);
    await journal.close();
    expect(contents()).toEqual(before);
    const writer = await openJournal(path);
    expect(shown).toEqual(await seen(writer));
    await writer.close();
  });

  it.runIf(existsSync(OPEN_FILES))("leaves no file open when it is closed", async () => {
    const path = await written();
    const openFiles = (): number =>
      readdirSync(OPEN_FILES).filter((fd) => tryRead(() => readlinkSync(join(OPEN_FILES, fd)) === path, false)).length;
    const journal = await openJournal(path, { readOnly: true });
    await journal.sessions();
    expect(openFiles()).toBeGreaterThan(0);
    await journal.close();
    expect(openFiles()).toBe(0);
  });

  it("creates nothing where there is none, not even a folder", async () => {
    const missing = folder.file("deep/down/journal.db");
    const fault = await faultOf(openJournal(missing, { readOnly: true }));
    expect(fault).toMatchObject({ code: "NotFound", context: { path: missing } });
    expect(readdirSync(folder.path)).toEqual([]);
    expect(existsSync(missing)).toBe(false);
  });

  it("refuses every write, and says how to open it for writing", async () => {
    const path = await written();
    const before = contents();
    const journal = await openJournal(path, { readOnly: true });
    const writes = [
      journal.append("s", 2, [entry("c")]),
      journal.keep([{ kind: "breaker", key: "s/b", value: 1 }]),
      journal.keepFirst({ kind: "answer", key: "q", value: 1 }),
      journal.hold("k", "me", 2, 1),
      journal.release("s", "somebody"),
      journal.takeFrom("s", "somebody", "me", 2),
      journal.prune({ before: 9e15 }),
    ];
    for (const write of writes) {
      const fault = await faultOf(write);
      expect(fault).toMatchObject({ code: "EngineState" });
      expect(fault?.message).toContain("without readOnly");
    }
    await journal.close();
    for (const late of [journal.sessions(), journal.keep([]), journal.prune({ before: 9e15 })])
      expect((await faultOf(late))?.message).toContain("The journal is closed");
    expect(contents()).toEqual(before);
  });

  it("reads one of an older version as it is, and does not migrate it", async () => {
    const path = folder.file("old.db");
    const first = await openJournal(path);
    // Older versions sealed nothing.
    await first.append("s", 0, [entry("a"), entry("b")]);
    await first.close();
    const old = new DatabaseSync(path);
    old.exec(`DROP TABLE holds; DROP INDEX kept_by_time; ALTER TABLE events DROP COLUMN seal;
      ${["hash", "session", "seq", "at"].map((column) => `ALTER TABLE kept DROP COLUMN ${column};`).join("")}
      PRAGMA user_version = 2`);
    old.close();
    const before = contents();
    const journal = await openJournal(path, { readOnly: true });
    expect(await seen(journal)).toMatchObject({ entries: [{ seq: 1 }, { seq: 2 }], holds: [] });
    await journal.close();
    expect(contents()).toEqual(before);
  });

  it.each([
    ["of a newer program", "PRAGMA user_version = 99", /version 99 .* upgrade this program/],
    ["of another program", "PRAGMA application_id = 7", /SQLite file of another program/],
    ["that lacks a table", "DROP TABLE kept", /lacks kept/],
  ])("refuses a file %s and leaves it as it was", async (_which, sql, words) => {
    const path = await written();
    const other = new DatabaseSync(path);
    other.exec(sql);
    other.close();
    const before = contents();
    const fault = await faultOf(openJournal(path, { readOnly: true }));
    expect(fault).toMatchObject({ code: "ManifestDrift" });
    expect(fault?.message).toMatch(words);
    expect(contents()).toEqual(before);
  });

  it.each([
    ["damaged", (bytes: Buffer) => bytes.fill(0xff, 100, 4_000)],
    ["of a newer program", (bytes: Buffer) => bytes.writeUInt32BE(99, 60)],
  ])("says that a file is %s, whatever log lies beside it", async (_what, change) => {
    const path = await written();
    const bytes = readFileSync(path);
    change(bytes);
    writeFileSync(path, bytes);
    writeFileSync(`${path}-wal`, "log");
    const fault = await faultOf(openJournal(path, { readOnly: true }));
    expect(fault).toMatchObject({ code: "ManifestDrift" });
  });

  it("says what to do when a log lies beside the file and the file that SQLite needs to read it cannot be made", async () => {
    const path = await written();
    const writer = await openJournal(path);
    await writer.append("s", 2, [entry("c")]);
    const copy = folder.file("copy.db");
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    await writer.close();
    // Stands for a folder where nothing may be written, and also works for root.
    symlinkSync(folder.file("missing/file"), `${copy}-shm`);
    const fault = await faultOf(openJournal(copy, { readOnly: true }));
    expect(fault).toMatchObject({ code: "StoreUnavailable", context: { path: copy } });
    expect(fault?.message).toContain(`Copy ${copy} and ${copy}-wal to a folder of your own`);
  });
});

describe("a file that is not a journal", () => {
  it.each([
    ["with an application id", "PRAGMA application_id = 252006673"],
    ["without one", "PRAGMA user_version = 2"],
  ])("%s is refused read-only, too, and left as it is", async (_what, sql) => {
    const path = folder.file("bookmarks.db");
    const db = new DatabaseSync(path);
    db.exec(`CREATE TABLE bookmarks (url TEXT); ${sql}`);
    db.close();
    const before = contents();
    const refused = await faultOf(openJournal(path, { readOnly: true }));
    expect(refused?.code).toBe("ManifestDrift");
    expect(refused?.message).toMatch(/another program/);
    expect(contents()).toEqual(before);
  });
});

describe("a read of a file without a log", () => {
  /** What a writer that comes and goes does to the file. */
  const writeOnce = (path: string, value: string): void => {
    const db = new DatabaseSync(path);
    db.exec(`UPDATE meta SET value = '${value}' WHERE name = 'store_id'`);
    db.close();
  };
  const noLog = async (): Promise<string> => {
    const path = await written();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA journal_mode = DELETE");
    db.close();
    return path;
  };

  it("is repeated when a write overlapped it", async () => {
    const path = await noLog();
    const store = await openReadonlyStore(path);
    const reads: number[] = [];
    const answer = store.now(({ reads: read }) => {
      if (reads.push(read.lastPosition()) === 1) writeOnce(path, "other");
      return reads.length;
    });
    expect(answer).toBe(2);
    expect(store.now(() => "at once")).toBe("at once");
    store.close();
  });

  it("that fails is repeated if a write overlapped it, and fails if none did", async () => {
    const path = await noLog();
    const store = await openReadonlyStore(path);
    let tries = 0;
    const answer = store.now(() => {
      if (++tries > 1) return tries;
      writeOnce(path, "other");
      throw new Error("looks damaged");
    });
    expect(answer).toBe(2);
    expect(() =>
      store.now(() => {
        throw new Error("is damaged");
      }),
    ).toThrow("is damaged");
    store.close();
  });

  it("says once that others have changed the file", async () => {
    const path = await noLog();
    const store = await openReadonlyStore(path);
    expect(store.hasChanged()).toBe(false);
    writeOnce(path, "other");
    expect([store.hasChanged(), store.hasChanged()]).toEqual([true, false]);
    store.close();
  });
});

describe("a reader while others write", () => {
  it("sees entries written after its first read, and what remains when the writer has gone", async () => {
    const path = await written();
    const journal = await openJournal(path, { readOnly: true });
    expect(await journal.session("s")).toMatchObject({ lastSeq: 2 });
    const writer = await openJournal(path);
    await writer.append("s", 2, [entry("c")]);
    expect(await journal.session("s")).toMatchObject({ lastSeq: 3 });
    await writer.append("s", 3, [entry("d")]);
    expect(await journal.session("s")).toMatchObject({ lastSeq: 4 });
    await writer.close();
    expect(await journal.session("s")).toMatchObject({ lastSeq: 4 });
    expect(await journal.verify()).toMatchObject({ entries: 4, firstBad: null });
    await journal.close();
  });

  it("gets every new entry of a writer that comes later", async () => {
    const path = await written();
    const journal = await openJournal(path, { readOnly: true, clock: systemClock });
    const third = Promise.withResolvers<Entry>();
    journal.subscribe((one) => third.resolve(one));
    const writer = await openJournal(path);
    await writer.append("s", 2, [entry("c")]);
    expect(await third.promise).toMatchObject({ session: "s", seq: 3 });
    await writer.close();
    await journal.close();
  });

  it("sees what a dead writer left in its log", async () => {
    const path = await written();
    const writer = await openJournal(path);
    await writer.append("s", 2, [entry("c")]);
    const journal = await openJournal(path, { readOnly: true });
    expect(await journal.session("s")).toMatchObject({ lastSeq: 3 });
    await journal.close();
    await writer.close();
  });
});
