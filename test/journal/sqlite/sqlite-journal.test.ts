// What only a journal in a file can do: be opened, refused, migrated, tampered with and read by others.

import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FaultError } from "../../../src/core/fault/fault.ts";
import { artefactsFolder, keepArtefact, readArtefact } from "../../../src/journal/files/artefacts.ts";
import { folderStore } from "../../../src/journal/files/file-store.ts";
import { chainStart, nextLink } from "../../../src/journal/chain.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { requireSqlite } from "../../../src/journal/sqlite/open-store.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { SHAPE_REDACTOR } from "../../../src/core/fault/redact.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { codeOf, ended, listen, note, readAll, started } from "../../../src/testing/journal-samples.ts";
import { thrownBy } from "../../support/thrown.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";

let folder: TempFolder;
let path: string;
const opened: Journal[] = [];

beforeEach(() => {
  folder = tempFolder();
  path = folder.file("journal.db");
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  folder.remove();
});

async function open(options: Parameters<typeof openSqliteJournal>[1] = {}): Promise<Journal> {
  const journal = await openSqliteJournal(path, options);
  opened.push(journal);
  return journal;
}

/** A closed journal with a few entries, large enough to have many pages. */
async function makeJournal(): Promise<string> {
  const journal = await openSqliteJournal(path);
  for (const session of ["a", "b", "c"]) {
    await journal.append(
      session,
      0,
      Array.from({ length: 20 }, (_, index) => note(`${session}${index}${"x".repeat(900)}`)),
    );
  }
  await journal.close();
  return journal.storeId;
}

describe("closing a journal", () => {
  it("waits for the writes that were accepted before, and refuses those after it", async () => {
    const journal = await openSqliteJournal(path);
    const written = [journal.append("s", 0, [note("a")]), journal.append("t", 0, [note("b")])];
    const closed = journal.close();
    const late = await thrownBy(journal.append("u", 0, [note("c")]));
    expect(String(late)).toContain("closed");
    await Promise.all([...written, closed]);
    const again = await open();
    expect((await again.sessions()).map(({ session }) => session).toSorted()).toEqual(["s", "t"]);
  });
});

it.each([1, 2, 4_096])(
  "refuses an empty file with a log of %d bytes beside it, because entries are missing",
  async (size) => {
    writeFileSync(path, "");
    writeFileSync(`${path}-wal`, Buffer.alloc(size, 1));
    expect(String(await refusal())).toContain("it is empty, and the log beside it is not");
  },
);

/** Through a separate connection, like another program. */
function tamper(sql: string): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec(sql);
  db.close();
}

async function refusal(): Promise<FaultError> {
  const error = await thrownBy(openSqliteJournal(path));
  if (error instanceof FaultError) return error;
  throw error;
}

describe("a journal's file", () => {
  it("is created with its folder, for the owner alone", async () => {
    path = folder.file("new/deeper/journal.db");
    const journal = await open({ chance: createSeededChance(1) });
    expect(journal).toMatchObject({ path, durable: true, storeId: "store_1" });
    const modeOf = (file: string): number => statSync(file).mode & 0o777;
    expect([folder.file("new"), folder.file("new/deeper"), path, `${path}-wal`].map(modeOf)).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
  });

  it("is marked as a journal and keeps a log", async () => {
    const journal = await open();
    await journal.append("s", 0, [note("a")]);
    const db = new DatabaseSync(path);
    const pragma = (name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect([pragma("application_id"), pragma("user_version"), pragma("journal_mode")]).toEqual([0x464c544a, 6, "wal"]);
    db.close();
  });

  it("may already exist, empty, or created empty by SQLite itself", async () => {
    writeFileSync(path, "");
    await (await open()).append("s", 0, [note("a")]);
    path = folder.file("blank.db");
    tamper("PRAGMA user_version = 1; PRAGMA user_version = 0");
    expect(statSync(path).size).toBeGreaterThan(0);
    await (await open()).append("s", 0, [note("a")]);
  });

  it("must have a name", async () => {
    for (const name of ["", ":memory:"]) expect(await codeOf(openSqliteJournal(name))).toBe("ShapeInvalid");
  });

  it("in an unusable place makes the store unavailable", async () => {
    mkdirSync(path);
    expect((await refusal()).fault).toMatchObject({ code: "StoreUnavailable" });
    writeFileSync(folder.file("file"), "");
    path = folder.file("file/journal.db");
    expect((await refusal()).fault).toMatchObject({ code: "StoreUnavailable" });
  });

  it("requires a SQLite that does not damage files shared by two processes", () => {
    for (const version of ["3.51.3", "3.51.10", "3.52.0", "3.53.4", "4.0.0"])
      expect(() => requireSqlite(version, "v24")).not.toThrow();
    for (const version of ["3.51.2", "3.50.4", "3.45.1", "2.9.9"]) {
      expect(() => requireSqlite(version, "v22.13.0")).toThrow(
        /HostCapabilityMissing.*Node v22\.13\.0.*install Node 22\.23/,
      );
    }
  });
});

describe("a file that cannot be trusted is refused and left as it is:", () => {
  async function expectRefused(words: RegExp): Promise<void> {
    const before = readFileSync(path);
    const { fault } = await refusal();
    expect(fault).toMatchObject({ code: "ManifestDrift" });
    expect(fault.message).toMatch(words);
    expect(readFileSync(path).equals(before)).toBe(true);
  }

  it("one that is not a SQLite file", async () => {
    writeFileSync(path, "name,price\nbread,3\n".repeat(100));
    await expectRefused(/not a journal.*not an SQLite file.*name another file/);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it("the SQLite file of another program, with its application id or without", async () => {
    tamper("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')");
    await expectRefused(/another program/);
    tamper("PRAGMA user_version = 2");
    await expectRefused(/another program/);
    tamper("PRAGMA application_id = 252006673");
    await expectRefused(/another program/);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it("one that a newer version wrote", async () => {
    await makeJournal();
    tamper("PRAGMA user_version = 7");
    await expectRefused(/version 7.*up to 6.*newer program.*upgrade/);
  });

  it("one that lacks a table", async () => {
    await makeJournal();
    tamper("DROP TABLE kept");
    await expectRefused(/lacks kept/);
  });

  it("one without a store id", async () => {
    await makeJournal();
    tamper("DELETE FROM meta");
    await expectRefused(/no store id/);
  });

  it.each([
    ["in the middle, between two pages", (size: number) => Math.floor(size / 2 / 4096) * 4096],
    ["by its last page", (size: number) => size - 4096],
    ["within a page", (size: number) => size - 1000],
    ["within the header", () => 60],
  ])("one that was truncated %s", async (_where, newSize) => {
    await makeJournal();
    truncateSync(path, newSize(statSync(path).size));
    await expectRefused(/cut off|malformed/);
  });

  it("one that was truncated to nothing beside a log", async () => {
    await makeJournal();
    truncateSync(path, 0);
    writeFileSync(`${path}-wal`, "what was written last");
    await expectRefused(/cut off.*log beside it/);
    expect(readFileSync(`${path}-wal`, "utf8")).toBe("what was written last");
  });
});

describe("a file of version 1", () => {
  const now = 1_700_000_000_000;

  /** As the first version created it, with one session and two values. */
  function makeVersion1(): void {
    const db = new DatabaseSync(path);
    const body = JSON.stringify(note("old").event);
    const hash = nextLink(chainStart("s"), 1, 5, "extension-started", body);
    db.exec(`
      PRAGMA application_id = 1179407434; PRAGMA user_version = 1;
      CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE sessions (number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
        started_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_seq INTEGER NOT NULL, last_hash TEXT NOT NULL);
      CREATE INDEX sessions_by_start ON sessions (started_at);
      CREATE INDEX sessions_by_status ON sessions (status, started_at);
      CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL REFERENCES sessions (session) ON DELETE CASCADE,
        seq INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (session, seq));
      CREATE TABLE kept (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key));
      INSERT INTO meta VALUES ('store_id', 'store_old');
      INSERT INTO sessions VALUES (1, 's', 'open', 5, 5, 1, '${hash}');
      INSERT INTO events VALUES (1, 's', 1, 5, 'extension-started', '${body}', '${hash}');
      INSERT INTO kept VALUES ('result', 's/1', '"r"'), ('breaker', 'api', '{"state":"closed"}')`);
    db.close();
  }

  it("is migrated with all its contents", async () => {
    makeVersion1();
    const journal = await open({ clock: createFakeClock(now) });
    expect(journal.storeId).toBe("store_old");
    expect(await readAll(journal, "s")).toEqual([{ session: "s", seq: 1, ...note("old", 5) }]);
    expect(await journal.keptAll("breaker")).toEqual([{ key: "api", value: { state: "closed" } }]);
    const db = new DatabaseSync(path, { readOnly: true });
    expect(
      db
        .prepare("SELECT key, updated_at FROM kept ORDER BY key")
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([
      { key: "api", updated_at: now },
      { key: "s/1", updated_at: now },
    ]);
    expect({ ...db.prepare("PRAGMA user_version").get() }).toEqual({ user_version: 6 });
    db.close();
    expect(await journal.verify()).toEqual({ sessions: 1, entries: 1, firstBad: null });
  });

  it("has the same tables afterwards as a new one", async () => {
    const tables = (): unknown => {
      const db = new DatabaseSync(path, { readOnly: true });
      const rows = db
        .prepare(
          "SELECT p.name, m.name AS \"table\", p.type, p.pk FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 2, p.cid",
        )
        .all();
      db.close();
      return rows.map((row) => ({ ...row }));
    };
    makeVersion1();
    await open();
    const migrated = tables();
    path = folder.file("new.db");
    await open();
    expect(tables()).toEqual(migrated);
  });

  it("can be held by one driver, like one of version 2", async () => {
    makeVersion1();
    tamper("ALTER TABLE kept ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2");
    const journal = await open();
    expect(await journal.holds()).toEqual([]);
    expect(await journal.hold("s", "a", 100, 1)).toEqual({ granted: true, owner: "a", until: 100 });
    expect(await journal.keptAll("result", "s")).toEqual([{ key: "s/1", value: "r" }]);
    const db = new DatabaseSync(path, { readOnly: true });
    // Existing values keep their time.
    expect({ ...db.prepare("SELECT max(updated_at) AS at FROM kept").get() }).toEqual({ at: 0 });
    db.close();
    path = folder.file("one.db");
    makeVersion1();
    expect(await (await open()).hold("s", "a", 100, 1)).toMatchObject({ granted: true });
  });

  it("stays unchanged when a step fails", async () => {
    makeVersion1();
    tamper("ALTER TABLE kept ADD COLUMN updated_at TEXT");
    const before = readFileSync(path);
    expect((await refusal()).fault).toMatchObject({ code: "ManifestDrift" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe("verification", () => {
  it.each([
    [
      "a changed body",
      "UPDATE events SET body = replace(body, 'b7', 'b8') WHERE session = 'b' AND seq = 8",
      "b",
      8,
      /changed/,
    ],
    ["a changed time", "UPDATE events SET at = 99 WHERE session = 'b' AND seq = 1", "b", 1, /changed/],
    [
      "a body that is not JSON",
      "UPDATE events SET body = 'oops' WHERE session = 'c' AND seq = 20",
      "c",
      20,
      /not JSON/,
    ],
    [
      "a body that is not an object",
      "UPDATE events SET body = 'null' WHERE session = 'c' AND seq = 20",
      "c",
      20,
      /not JSON/,
    ],
    [
      "a wrong type",
      "UPDATE events SET type = 'turn-started' WHERE session = 'a' AND seq = 2",
      "a",
      2,
      /filed as turn-started/,
    ],
    [
      "a wrong link",
      "UPDATE events SET hash = lower(hex(randomblob(32))) WHERE session = 'b' AND seq = 3",
      "b",
      3,
      /hash/,
    ],
    ["a gap", "DELETE FROM events WHERE session = 'a' AND seq = 5", "a", 5, /missing.*6 comes next/],
    ["a lost beginning", "DELETE FROM events WHERE session = 'a' AND seq = 1", "a", 1, /missing/],
    ["a lost end", "DELETE FROM events WHERE session = 'b' AND seq > 18", "b", 19, /missing.*20 entries/],
    ["a wrong last number", "UPDATE sessions SET last_seq = 19 WHERE session = 'b'", "b", 20, /said to have 19/],
    ["a wrong last hash", "UPDATE sessions SET last_hash = 'x' WHERE session = 'c'", "c", 20, /ends with/],
    [
      "entries that changed their session",
      "UPDATE events SET session = 'x' WHERE session = 'b'; UPDATE sessions SET session = 'x' WHERE session = 'b'",
      "x",
      1,
      /hash/,
    ],
    ["a lost session", "DELETE FROM sessions WHERE session = 'b'", "b", 1, /session it belongs to/],
  ])("finds %s and names the record", async (_what, sql, session, seq, why) => {
    await makeJournal();
    tamper(sql);
    const { firstBad } = await (await open()).verify();
    expect(firstBad).toMatchObject({ session, seq });
    expect(firstBad?.why).toMatch(why);
  });

  it("finds pages that SQLite itself cannot read", async () => {
    await makeJournal();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096 * 14, 4096 * 20);
    writeFileSync(path, bytes);
    const { firstBad } = await (await open()).verify();
    expect(firstBad?.why).toMatch(/not what was written|SQLite says|not JSON|changed/);
  });

  it("finds damaged pages without entries", async () => {
    await makeJournal();
    // Points into the free list where no page is free.
    const bytes = readFileSync(path);
    bytes.writeUInt32BE(3, 32);
    bytes.writeUInt32BE(1, 36);
    writeFileSync(path, bytes);
    const { firstBad } = await (await open()).verify();
    expect(firstBad).toMatchObject({ session: "", seq: 0 });
    expect(firstBad?.why).toMatch(/^SQLite says: /);
  });

  it("sees one moment, and lets others write in the meantime", async () => {
    const journal = await open();
    await journal.append(
      "s",
      0,
      Array.from({ length: 2000 }, (_, index) => note(String(index))),
    );
    const verified = journal.verify();
    for (let after = 2000; after < 2020; after++) await journal.append("s", after, [note("more")]);
    expect(await verified).toEqual({ sessions: 1, entries: 2000, firstBad: null });
  });
});

describe("a record that was changed", () => {
  it("is refused by name when it is read, and ends a subscription with a warning", async () => {
    await makeJournal();
    tamper(
      "DELETE FROM events WHERE session = 'a' AND seq = 5; UPDATE events SET body = '{' WHERE session = 'b' AND seq = 2",
    );
    const troubles: string[] = [];
    const journal = await open({ onWarning: ({ code }, what) => void troubles.push(`${code} ${what}`) });
    expect(await thrownBy(readAll(journal, "a"))).toMatchObject({
      fault: { code: "ManifestDrift", context: { session: "a", seq: 5 } },
    });
    expect(await thrownBy(readAll(journal, "b"))).toMatchObject({
      fault: { code: "ManifestDrift", context: { session: "b", seq: 2 } },
    });
    expect(await readAll(journal, "c")).toHaveLength(20);
    const bad = listen(journal, { session: "b", after: 0 });
    const good = listen(journal, { session: "c", after: 19 });
    await good.until(1);
    expect(bad.entries).toEqual([]);
    await journal.append("b", 20, [note("more")]);
    expect(troubles).toEqual(["ManifestDrift reading entries for a subscriber, which gets no more"]);
    tamper("UPDATE kept SET value = 'x'; INSERT INTO kept (kind, key, value) VALUES ('breaker', 'k', '{')");
    expect(await codeOf(journal.kept("breaker", "k"))).toBe("ManifestDrift");
  });

  it("is refused alone if the session list does not know it, and the others of its turn are written", async () => {
    await makeJournal();
    tamper("UPDATE sessions SET last_seq = 19 WHERE session = 'a'");
    const journal = await open();
    const results = await Promise.allSettled([
      journal.append("b", 20, [note("x")]),
      journal.append("a", 19, [note("y")]),
      journal.append("c", 20, [note("z")]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { fault: { code: "ManifestDrift" } } });
    expect(await readAll(journal, "c")).toHaveLength(21);
  });
});

describe("an entry", () => {
  it("is on disk for everyone before its writer or any subscriber hears of it", async () => {
    const journal = await open();
    const other = new DatabaseSync(path, { readOnly: true });
    const count = other.prepare("SELECT count(*) AS n FROM events WHERE session = ? AND seq = ?");
    const isThere = (session: string, seq: number): boolean => count.get(session, seq)?.["n"] === 1;
    const seen: boolean[] = [];
    journal.subscribe(({ session, seq }) => void seen.push(isThere(session, seq)));
    for (let after = 0; after < 20; after++) {
      const appended = journal.append("s", after, [note("a")]);
      expect(isThere("s", after + 1)).toBe(false);
      await appended;
      expect(isThere("s", after + 1)).toBe(true);
    }
    expect(seen).toEqual(Array.from({ length: 20 }, () => true));
    other.close();
  });
});

describe("removing sessions", () => {
  it("frees the space and removes their artefacts", async () => {
    const journal = await open();
    const artefacts = artefactsFolder(path);
    const kept = [];
    for (const session of ["old", "open"]) {
      const entries = Array.from({ length: 500 }, () => note("x".repeat(2000)));
      await journal.append(session, 0, [started(session, journal.storeId, 1), ...entries]);
      kept.push(
        await keepArtefact(
          folderStore(artefacts),
          { session, call: "c", name: "out", content: "text" },
          { redactor: SHAPE_REDACTOR },
        ),
      );
    }
    await journal.append("old", 501, [ended("done", 2)]);
    const pages = (): number => {
      const db = new DatabaseSync(path, { readOnly: true });
      const count = Number(db.prepare("PRAGMA page_count").get()?.["page_count"]);
      db.close();
      return count;
    };
    const before = pages();
    expect(await journal.prune({ before: 10 })).toBe(1);
    expect(pages()).toBeLessThan(before * 0.6);
    expect(await Promise.all(kept.map(({ ref }) => readArtefact(artefacts, ref)))).toEqual([null, Buffer.from("text")]);
    expect(await journal.verify()).toEqual({ sessions: 1, entries: 501, firstBad: null });
  });

  it("keeps a session whole if its artefacts cannot be removed, and warns", async () => {
    const troubles: string[] = [];
    const journal = await open({ onWarning: (_fault, what) => void troubles.push(what) });
    // A link to itself cannot be read.
    symlinkSync(artefactsFolder(path), artefactsFolder(path));
    await journal.append("s", 0, [note("a"), ended("done", 2)]);
    expect(await journal.prune({ before: 10 })).toBe(0);
    expect(await readAll(journal, "s")).toHaveLength(2);
    expect(troubles).toEqual([expect.stringContaining("artefacts of session s")]);
  });

  it("never reuses a number, so that subscribers elsewhere miss nothing", async () => {
    const journal = await open();
    await journal.append("s", 0, [note("a"), ended("done", 2)]);
    const all = listen(journal);
    await journal.prune({ before: 10 });
    await journal.append("t", 0, [note("b")]);
    expect((await all.until(1)).map(({ session }) => session)).toEqual(["t"]);
  });
});

describe("a problem", () => {
  it("is a Node warning if there is no listener", async () => {
    const journal = await open();
    const warned = new Promise<Error>((resolve) => void process.once("warning", resolve));
    journal.subscribe(() => {
      throw new Error("listener failed with api_key=abcd1234abcd");
    });
    await journal.append("s", 0, [note("a")]);
    expect(await warned).toMatchObject({ name: "FaultlineWarning" });
    expect((await warned).message).toMatch(/calling a subscriber.*listener failed with api_key=\[redacted\]/);
  });
});
