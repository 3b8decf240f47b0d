// Sessions move from one journal to another, whole and unchanged or not at all.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor, SHAPE_REDACTOR } from "../../../src/core/fault/redact.ts";
import type { Journal, Keep, NewEntry } from "../../../src/journal/journal.ts";
import { createMemoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { createSessionFileWriter } from "../../../src/journal/files/session-file.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { exportSession, importSession } from "../../../src/journal/files/transfer.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { codeOf, ended, note, readAll, started } from "../../../src/testing/journal-samples.ts";
import { thrownBy } from "../../support/thrown.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";
import { samples } from "../../support/grid.ts";

let folder: TempFolder;
const opened: Journal[] = [];

beforeEach(() => void (folder = tempFolder()));
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  folder.remove();
});

async function sqlite(name: string): Promise<Journal> {
  const journal = await openSqliteJournal(folder.file(`${name}.db`));
  opened.push(journal);
  return journal;
}

let seed = 0;
/** Each is a separate store, with its own name. */
function memory(): Journal {
  const chance = createSeededChance(++seed);
  return createMemoryJournal({ chance: { ...chance, newId: (prefix) => `${prefix}_m${seed}` } });
}

const KEEPS: readonly Keep[] = [
  { kind: "result", key: "s/c1", value: { text: "exact, with api_key=abcd1234abcd" } },
  { kind: "input", key: "s/c2", value: [1, 2] },
  { kind: "snapshot", key: "s", value: { seq: 2 } },
  { kind: "question", key: "q1", value: { id: "q1", session: "s", prompt: "go on?" } },
  { kind: "question", key: "q2", value: { id: "q2", session: "other" } },
  { kind: "breaker", key: "api", value: { state: "open" } },
];

/** What a run keeps in addition to every session's values. */
const RUN_KEEPS: readonly Keep[] = [
  { kind: "run", key: "s", value: { state: "waiting", note: "api_key=abcd1234abcd" } },
  { kind: "wake", key: "s", value: 7 },
  { kind: "action", key: "s/once", value: "retry" },
  { kind: "definition", key: "digest", value: "steps: []" },
];

async function fill(journal: Journal): Promise<void> {
  const entries = [
    started("s", journal.storeId, 1, { who: "ada" }),
    note("a", 2),
    note("€ \ud83d\ude00 \u2028 \\", 2.5),
  ];
  await journal.append("s", 0, entries, KEEPS);
  await journal.append("s", 3, [ended("failed", 4)]);
}

async function linesOf(journal: Journal, includeResults = false): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(journal, "s", { redactor: SHAPE_REDACTOR, includeResults })) lines.push(line);
  return lines;
}

const sessionsOf = async (journal: Journal): Promise<readonly string[]> =>
  (await journal.sessions()).map(({ session }) => session);

describe("an exported session", () => {
  it("reads the same from every journal, with the hashes that SQLite keeps", async () => {
    const [disk, ram] = [await sqlite("a"), memory()];
    const entries = [note("a", 1), note("b", 2)];
    for (const journal of [disk, ram]) await journal.append("s", 0, entries);
    const [fromDisk, fromRam] = [await linesOf(disk), await linesOf(ram)];
    expect(fromDisk.slice(1, -1)).toEqual(fromRam.slice(1, -1));
    const hashes = fromDisk.slice(1, -1).map((line) => (JSON.parse(line) as { hash: string }).hash);
    const { DatabaseSync } = await import("node:sqlite");
    const db = new DatabaseSync(disk.path ?? "", { readOnly: true });
    expect(
      db
        .prepare("SELECT hash FROM events ORDER BY seq")
        .all()
        .map(({ hash }) => hash),
    ).toEqual(hashes);
    db.close();
    expect(JSON.parse(fromDisk.at(-1) ?? "")).toMatchObject({ end: true, entries: 2, kept: 0, lastHash: hashes[1] });
    expect(JSON.parse(fromDisk[0] ?? "")).toEqual({
      format: "faultline-session",
      version: 1,
      storeId: disk.storeId,
      session: "s",
      after: 0,
      entries: 2,
      at: 2,
    });
  });

  it("is restored whole in another store that adopts it, and can continue there", async () => {
    const [from, to] = [memory(), await sqlite("to")];
    await fill(from);
    const imported = await importSession(to, await linesOf(from, true), { adopt: true });
    expect(imported).toEqual({ session: "s", appended: 4, already: 0, adopted: true });
    const [first, ...rest] = await readAll(to, "s");
    expect(first?.event).toEqual(started("s", to.storeId, 1, { who: "ada" }).event);
    expect(rest).toEqual((await readAll(from, "s")).slice(1));
    expect(await to.session("s")).toEqual(await from.session("s"));
    expect(await to.keptAll("result")).toEqual(await from.keptAll("result"));
    expect(await to.kept("input", "s/c2")).toEqual([1, 2]);
    expect((await to.keptAll("question")).map(({ key }) => key)).toEqual(["q1"]);
    // Values that name or belong to the other store stay there.
    expect([await to.kept("snapshot", "s"), await to.kept("breaker", "api")]).toEqual([null, null]);
    expect(await to.verify()).toEqual({ sessions: 1, entries: 4, firstBad: null });
    await to.append("s", 4, [{ at: 5, event: { type: "session-resumed", interrupted: [] } }]);
  });

  it("contains no results unless they are requested, and no secrets in its entries", async () => {
    const journal = memory();
    const secret = "correct-horse-battery";
    await journal.append(
      "s",
      0,
      [started("s", journal.storeId, 1, { note: secret }), note(`Bearer ${"a1".repeat(20)}`)],
      KEEPS,
    );
    const lines: string[] = [];
    for await (const line of exportSession(journal, "s", { redactor: createRedactor([secret]) })) lines.push(line);
    const text = lines.join("\n");
    expect(text).not.toMatch(/correct-horse|a1a1a1|api_key=abcd|"result"|"input"|"breaker"|"snapshot"/);
    expect(text).toContain("go on?");
    // The session's name is not a secret, although its field is called like one.
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      event: { manifest: { sessionId: "s", storeId: journal.storeId } },
    });
    expect((await importSession(memory(), lines, { adopt: true })).appended).toBe(2);
    expect((await linesOf(journal, true)).join("\n")).toContain("exact, with api_key=abcd1234abcd");
  });

  it("of a run includes the run's values on request, but neither its definition nor its holds", async () => {
    const [from, to] = [memory(), await sqlite("to")];
    await from.append("s", 0, [started("s", from.storeId, 1)], RUN_KEEPS);
    await from.keep([{ kind: "wake", key: "other", value: 8 }]);
    await from.hold("s", "driver", 100, 1);
    const kinds = (lines: readonly string[]): readonly unknown[] =>
      lines.map((line) => (JSON.parse(line) as { kind?: string }).kind).filter((kind) => kind !== undefined);
    expect(kinds(await linesOf(from))).toEqual([]);
    const lines = await linesOf(from, true);
    expect(kinds(lines)).toEqual(["run", "wake", "action"]);
    await importSession(to, lines, { adopt: true });
    for (const { kind, key, value } of RUN_KEEPS.slice(0, 3)) expect(await to.keptAll(kind)).toEqual([{ key, value }]);
    expect([await to.keptAll("definition"), await to.holds()]).toEqual([[], []]);
  });

  it("is a snapshot of one moment, whatever is written in the meantime", async () => {
    const journal = memory();
    await fill(journal);
    const lines: string[] = [];
    let after = 4;
    for await (const line of exportSession(journal, "s", { redactor: SHAPE_REDACTOR })) {
      lines.push(line);
      await journal.append("s", after++, [note("later")]);
    }
    expect((await importSession(memory(), lines, { adopt: true })).appended).toBe(4);
  });

  it("that does not exist is refused, and so is one that is removed in the meantime", async () => {
    const journal = memory();
    expect(await codeOf(linesOf(journal))).toBe("ResumeMismatch");
    await journal.append("s", 0, [...Array.from({ length: 600 }, () => note("x")), ended("done", 1)]);
    const lines = exportSession(journal, "s", { redactor: SHAPE_REDACTOR })[Symbol.asyncIterator]();
    for (let line = 0; line < 20; line++) await lines.next();
    await journal.prune({ before: 10 });
    const rest = async (): Promise<void> => {
      while ((await lines.next()).done !== true);
    };
    expect(await codeOf(rest())).toBe("ResumeMismatch");
  });
});

describe("an imported file", () => {
  /** Lines of a file written for `storeId`, starting after `after`. */
  function fileFor(
    storeId: string,
    after: number,
    entries: readonly NewEntry[],
    keeps: readonly Keep[] = [],
  ): string[] {
    const writer = createSessionFileWriter({ storeId, session: "s", after, entries: entries.length, at: 1 });
    return [
      writer.header(),
      ...entries.map((entry) => writer.entry(entry)),
      ...keeps.map((keep) => writer.kept(keep)),
      writer.footer(),
    ];
  }

  it("of another store is refused without adopting, naming both", async () => {
    const [from, to] = [memory(), memory()];
    await fill(from);
    const error = await thrownBy(importSession(to, await linesOf(from)));
    expect(error).toMatchObject({
      fault: { code: "ResumeMismatch", context: { theirs: from.storeId, ours: to.storeId } },
    });
    expect(String(error)).toMatch(new RegExp(`${from.storeId}.*${to.storeId}.*adopt`));
    expect(await sessionsOf(to)).toEqual([]);
  });

  it("continues exactly where the store is, with its values", async () => {
    const journal = memory();
    await journal.append("s", 0, [note("a"), note("b")]);
    const tail = fileFor(
      journal.storeId,
      2,
      [note("c", 3), ended("done", 4)],
      [
        { kind: "result", key: "s/c", value: 7 },
        { kind: "snapshot", key: "s", value: { seq: 4 } },
        { kind: "result", key: "s/gone", value: null },
        { kind: "result", key: "t/c", value: "of another session" },
        { kind: "breaker", key: "api", value: "of the store" },
      ],
    );
    expect(await importSession(journal, tail)).toEqual({ session: "s", appended: 2, already: 0, adopted: false });
    expect(await journal.session("s")).toMatchObject({ lastSeq: 4, status: "done" });
    expect(await journal.keptAll("result")).toEqual([{ key: "s/c", value: 7 }]);
    expect([await journal.kept("snapshot", "s"), await journal.kept("breaker", "api")]).toEqual([{ seq: 4 }, null]);
  });

  it("is harmless when repeated, and only adds what is missing", async () => {
    const journal = memory();
    await journal.append("s", 0, [note("a")]);
    const keeps: readonly Keep[] = [{ kind: "result", key: "s/c", value: "old" }];
    const tail = fileFor(journal.storeId, 1, [note("b"), note("c")], keeps);
    // A commit that seemed to fail had succeeded for the first of them.
    await journal.append("s", 1, [note("b")]);
    expect(await importSession(journal, tail)).toMatchObject({ appended: 1, already: 1 });
    await journal.append("s", 3, [note("d")], [{ kind: "result", key: "s/c", value: "newer" }]);
    expect(await importSession(journal, tail)).toMatchObject({ appended: 0, already: 2 });
    expect(await journal.kept("result", "s/c")).toBe("newer");
    expect(await readAll(journal, "s")).toHaveLength(4);
  });

  it("that does not continue the store's session exactly is refused", async () => {
    const journal = memory();
    await journal.append("s", 0, [note("a"), note("b")]);
    const refused = async (after: number, entries: readonly NewEntry[]): Promise<void> => {
      const error = await thrownBy(importSession(journal, fileFor(journal.storeId, after, entries)));
      expect(error).toMatchObject({ fault: { code: "ResumeMismatch" } });
    };
    await refused(3, [note("d")]);
    await refused(1, [note("other b"), note("c")]);
    await refused(0, [note("a"), note("b", 99), note("c")]);
    expect(await readAll(journal, "s")).toHaveLength(2);
    expect(await codeOf(importSession(memory(), fileFor("x", 2, [note("c")]), { adopt: true }))).toBe("ResumeMismatch");
  });

  it("with another session's manifest is refused, and so is an invalid session name", async () => {
    const journal = memory();
    const wrong = fileFor(journal.storeId, 0, [started("t", journal.storeId, 1)]);
    expect(await codeOf(importSession(journal, wrong))).toBe("ResumeMismatch");
    const hollow = fileFor(journal.storeId, 0, [
      { at: 1, event: { type: "session-started" } as unknown as NewEntry["event"] },
    ]);
    expect(await codeOf(importSession(journal, hollow))).toBe("ResumeMismatch");
    const writer = createSessionFileWriter({ storeId: journal.storeId, session: "../s", after: 0, entries: 0, at: 1 });
    expect(await codeOf(importSession(journal, [writer.header(), writer.footer()]))).toBe("ShapeInvalid");
  });

  it("may have other line ends, a byte order mark and trailing empty lines, from any source", async () => {
    const from = memory();
    await fill(from);
    const lines = await linesOf(from, true);
    async function* source(): AsyncIterable<string> {
      for (const line of [`\ufeff${lines[0] ?? ""}`, ...lines.slice(1), ""]) yield await Promise.resolve(`${line}\r\n`);
    }
    expect(await importSession(memory(), source(), { adopt: true })).toMatchObject({ appended: 4 });
  });
});

describe("a damaged session file", () => {
  let lines: string[];
  let to: Journal;
  beforeEach(async () => {
    const from = memory();
    await fill(from);
    lines = await linesOf(from, true);
    to = memory();
  });

  async function expectRefused(damaged: readonly string[], words: RegExp): Promise<void> {
    const error = await thrownBy(importSession(to, damaged, { adopt: true }));
    expect(error).toMatchObject({ fault: { code: "ManifestDrift" } });
    expect(String(error)).toMatch(words);
    expect(await sessionsOf(to)).toEqual([]);
    expect(await to.keptAll("result")).toEqual([]);
  }

  // Lines: 1 the header, 2 to 5 entries, 6 a question, 7 a result, 8 an input, 9 the footer.
  it.each<[string, (lines: string[]) => readonly (string | undefined)[], RegExp]>([
    ["nothing in it", () => [], /line 1: there is nothing/],
    ["only empty lines", () => ["", ""], /line 1: there is nothing/],
    ["a foreign first line", (all) => ["name,price", ...all], /line 1: it is not the header/],
    [
      "another format",
      (all) => [all[0]?.replace("faultline-session", "x"), ...all.slice(1)],
      /line 1: it is not the header/,
    ],
    [
      "a newer version",
      (all) => [all[0]?.replace('"version":1', '"version":2'), ...all.slice(1)],
      /line 1: .*version 2.*upgrade/,
    ],
    [
      "half a header",
      (all) => [all[0]?.replace(/"storeId":"[^"]*",/, ""), ...all.slice(1)],
      /line 1: the header lacks/,
    ],
    [
      "another store in the header",
      (all) => [all[0]?.replace("store_", "Store_"), ...all.slice(1)],
      /line 1: .*last line \(9\)/,
    ],
    ["another time in the header", (all) => [all[0]?.replace('"at":4', '"at":5'), ...all.slice(1)], /line 1:/],
    [
      "another session in the header",
      (all) => [all[0]?.replace('"session":"s"', '"session":"t"'), ...all.slice(1)],
      /line 2: entry 1 was changed/,
    ],
    [
      "another beginning in the header",
      (all) => [all[0]?.replace('"after":0', '"after":1'), ...all.slice(1)],
      /line 2: it holds entry 1 where entry 2/,
    ],
    [
      "a field too many in the header",
      (all) => [all[0]?.replace('"at":4', '"at":4,"x":1'), ...all.slice(1)],
      /line 1: the header was changed/,
    ],
    ["a changed entry", (all) => all.with(2, all[2]?.replace('"a"', '"b"') ?? ""), /line 3: entry 2 was changed/],
    ["a changed time", (all) => all.with(4, all[4]?.replace('"at":4', '"at":7') ?? ""), /line 5: entry 4 was changed/],
    ["a space too many", (all) => all.with(2, `${all[2] ?? ""} `), /line 3: entry 2 was changed/],
    ["a missing entry", (all) => all.toSpliced(2, 1), /line 3: it holds entry 3 where entry 2/],
    [
      "entries in another order",
      (all) => [all[0], all[1], all[3], all[2], ...all.slice(4)],
      /line 3: it holds entry 3/,
    ],
    ["a line cut in two", (all) => all.with(3, all[3]?.slice(0, 40) ?? ""), /line 4: it is not JSON/],
    [
      "something else than an entry",
      (all) => all.with(1, '{"seq":1,"at":1,"event":null}'),
      /line 2: it is not an entry/,
    ],
    ["an empty line", (all) => all.toSpliced(3, 0, ""), /line 4: it is not JSON/],
    [
      "a changed result",
      (all) => all.with(6, all[6]?.replace("exact", "other") ?? ""),
      /line 7: the result kept under s\/c1 was changed/,
    ],
    ["a value of no kind", (all) => all.with(6, '{"kind":"x","key":"s","value":1}'), /line 7: it is not a kept value/],
    ["a missing value", (all) => all.toSpliced(7, 1), /line 1: .*last line \(8\)/],
    [
      "fewer entries than it says",
      (all) => [...all.slice(0, 3), ...all.slice(5)],
      /line 7: the file ends after 2 of 4/,
    ],
    ["a changed last line", (all) => all.with(8, all[8]?.replace('"kept":3', '"kept":2') ?? ""), /last line \(9\)/],
    ["no last line", (all) => all.slice(0, -1), /line 9: the file was cut/],
    ["only its first half", (all) => all.slice(0, 3), /line 4: the file was cut/],
    ["something behind its end", (all) => [...all, all[1]], /line 10: it stands behind the end/],
  ])("is refused with the number of the line: %s", async (_what, damage, words) => {
    await expectRefused(
      damage(lines).map((line) => line ?? ""),
      words,
    );
  });

  it("is refused wherever a single character was changed", async () => {
    const text = lines.join("\n");
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: text.length - 1 }),
        fc.constantFrom("x", "0", "}", '"', " "),
        async (place, char) => {
          if (text[place] === char) return;
          await expectRefused(`${text.slice(0, place)}${char}${text.slice(place + 1)}`.split("\n"), /line \d+/);
        },
      ),
      { numRuns: samples(100, 300) },
    );
  });
});
