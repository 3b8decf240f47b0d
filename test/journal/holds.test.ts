// Holds across connections and processes, and the order of their keys.

import fc from "fast-check";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Journal } from "../../src/journal/journal.ts";
import { compareKeys } from "../../src/journal/encode.ts";
import { createReads } from "../../src/journal/sqlite/reads.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { startWriter } from "./start-writer.ts";
import { tempFolder, type TempFolder } from "./temp-folder.ts";

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

async function open(): Promise<Journal> {
  const journal = await openSqliteJournal(path, { onWarning: () => undefined });
  opened.push(journal);
  return journal;
}

describe("two connections to one file", () => {
  it("see each other's holds at once, and agree on the owners", async () => {
    const [one, two] = [await open(), await open()];
    expect(await one.hold("k", "a", 100, 1)).toMatchObject({ granted: true });
    expect(await two.hold("k", "b", 200, 99)).toEqual({ granted: false, owner: "a", until: 100 });
    expect(await two.release("k", "b")).toBe(false);
    expect(await two.hold("k", "b", 200, 100)).toMatchObject({ granted: true });
    // The first one's hold expired unnoticed: it finds out when it renews.
    expect(await one.hold("k", "a", 300, 101)).toEqual({ granted: false, owner: "b", until: 200 });
    expect(await one.release("k", "a")).toBe(false);
    expect(await one.takeFrom("k", "b", "a", 300)).toMatchObject({ granted: true });
    expect(await two.takeFrom("k", "b", "c", 300)).toEqual({ granted: false, owner: "a", until: 300 });
    expect(await two.holds()).toEqual(await one.holds());
  });

  it("that ask in the same turn never both get a yes", async () => {
    const journals = [await open(), await open()];
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
    const answers = await Promise.all(
      keys.map((key) => Promise.all(journals.map((journal, index) => journal.hold(key, `o${index}`, 100, 1)))),
    );
    for (const both of answers) {
      expect(both.filter(({ granted }) => granted)).toHaveLength(1);
      expect(both[0]?.owner).toBe(both[1]?.owner);
    }
  });

  it("find a hold on disk when its owner hears of it, and not before", async () => {
    const journal = await open();
    const other = new DatabaseSync(path, { readOnly: true });
    const count = other.prepare("SELECT count(*) AS n FROM holds WHERE owner = 'a'");
    const there = (): unknown => count.get()?.["n"];
    const granted = journal.hold("k", "a", 100, 1);
    expect(there()).toBe(0);
    await granted;
    expect(there()).toBe(1);
    const gone = journal.release("k", "a");
    expect(there()).toBe(1);
    await gone;
    expect(there()).toBe(0);
    other.close();
  });
});

describe("two processes", () => {
  it("that race for 200 keys get each of them once", async () => {
    const journal = await open();
    const writers = ["p1", "p2"].map((owner) => ({ owner, ...startWriter("claim", path, owner, 200) }));
    await Promise.all(writers.map(({ said }) => said(1)));
    for (const { child } of writers) child.stdin.end();
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
    const claims = writers.flatMap(({ owner, lines }) => lines.slice(1).map((key) => ({ key, owner })));
    expect(claims).toHaveLength(200);
    expect(new Set(claims.map(({ key }) => key)).size).toBe(200);
    const held = (await journal.holds()).map(({ key, owner }) => ({ key, owner }));
    expect(held).toEqual(claims.sort((a, b) => compareKeys(a.key, b.key)));
  });

  it("leave a killed process's holds with it, until they are taken from exactly that owner", async () => {
    const journal = await open();
    const writer = startWriter("claim", path, "dead", 100_000);
    writer.child.stdin.end();
    await writer.said(21);
    writer.child.kill("SIGKILL");
    expect((await writer.ended).signal).toBe("SIGKILL");
    for (const key of writer.lines.slice(1, 21)) {
      expect(await journal.hold(key, "b", 2000, 999)).toEqual({ granted: false, owner: "dead", until: 1000 });
      expect(await journal.takeFrom(key, "dead", "b", 2000)).toEqual({ granted: true, owner: "b", until: 2000 });
    }
  });
});

describe("keys", () => {
  it("are in byte order", () => {
    const key = fc.string({
      unit: fc.constantFrom("a", "/", "0", "\u00e9", "\ud7ff", "\ue000", "\uffee", "\ud83d\ude00", "\ud83e\udd80"),
    });
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it("belong to the session they start with, in both journals", async () => {
    const keys = ["s", "s ", "s-x/1", "s.", "s/", "s/1", "s/1/2", "s/\uffee", "s0", "s0/1", "r/s", "sa", "S/1"];
    for (const journal of [await open(), createMemoryJournal()]) {
      await journal.keep(keys.map((key) => ({ kind: "action", key, value: 1 })));
      const found = await journal.keptAll("action", "s");
      expect(found.map(({ key }) => key)).toEqual(["s", "s/", "s/1", "s/1/2", "s/\uffee"]);
    }
  });
});

describe("the statements of a journal", () => {
  /** Every reading statement, with its query plan. */
  async function plans(): Promise<readonly { readonly sql: string; readonly plan: readonly string[] }[]> {
    await open();
    const prepared: string[] = [];
    const db = new DatabaseSync(path, { readOnly: true });
    const prepare = db.prepare.bind(db);
    createReads(Object.assign(db, { prepare: (sql: string) => (prepared.push(sql), prepare(sql)) }));
    const reads = prepared.filter((sql) => sql.startsWith("SELECT"));
    const planned = reads.map((sql) => {
      const numbered = Array.from(sql.matchAll(/\?(\d+)/g), ([, number]) => Number(number));
      const places = numbered.length > 0 ? Math.max(...numbered) : sql.split("?").length - 1;
      const rows = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array.from({ length: places }, () => 0));
      return { sql, plan: rows.map(({ detail }) => String(detail)) };
    });
    db.close();
    return planned;
  }

  it("never scan a table, and never sort", async () => {
    const all = await plans();
    expect(all.length).toBeGreaterThan(10);
    // That table has one row per table with numbers of its own.
    const slow = all.filter(
      ({ sql, plan }) =>
        !sql.includes("main.sqlite_sequence") &&
        plan.some(
          (line) => (line.startsWith("SCAN") && !line.includes("VIRTUAL TABLE INDEX")) || line.includes("TEMP B-TREE"),
        ),
    );
    expect(slow).toEqual([]);
  });

  it("read lists by time from an index in their order", async () => {
    const timed = (await plans()).filter(({ sql }) => /^SELECT [kt]\.at/.test(sql));
    expect(timed).toHaveLength(4);
    for (const { plan } of timed)
      expect(plan[0]).toMatch(
        /^SEARCH (?:k USING INDEX kept_by_time \(kind=\? AND|t USING PRIMARY KEY \(kind=\? AND tag=\? AND) \(?at/,
      );
  });
});
