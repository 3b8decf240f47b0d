// The index of failures equals a recount of the entries, in both journals, after any sequence of appends and prunes; and the file of an
// older program gets the same index.

import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FaultFold, faultMarkOf, groupFaults, tallyRecourses } from "../../../src/core/record/fault-index.ts";
import type { Journal, NewEntry } from "../../../src/journal/journal.ts";
import { createMemoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { ended, failed, nodeFailed, note, succeeded } from "../../../src/testing/journal-samples.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";
import { anyText } from "../../support/any-text.ts";

it.each([
  [255, 0],
  [256, 256],
  [300, 256],
  [512, 512],
])("puts failures into the full-text index 256 at a time: of %i there are %i in it", async (count, filled) => {
  const path = folder.file("filled.db");
  const journal = await openSqliteJournal(path);
  await journal.append(
    "s",
    0,
    Array.from({ length: count }, (_one, index) => failed(index + 1, { call: `c${index}` })),
  );
  await journal.close();
  const db = new DatabaseSync(path, { readOnly: true });
  expect(db.prepare("SELECT count(*) AS count FROM fault_text_docsize").get()).toEqual({ count: filled });
  db.close();
});

let folder: TempFolder;
beforeEach(() => (folder = tempFolder()));
afterEach(() => folder.remove());

const entry: fc.Arbitrary<NewEntry> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        at: fc.nat(100),
        call: fc.constantFrom("c1", "c2", "n#1.1/c", "n#1.2/c"),
        tool: fc.constantFrom("search", "支付", "a/b"),
        code: fc.constantFrom("ToolUnavailable", "RateLimited", "TurnCancelled"),
        recourse: fc.constantFrom("retry", "fallback", "fail"),
        message: anyText({ maxLength: 8 }),
      })
      .map(({ at, ...rest }) => failed(at, rest as Parameters<typeof failed>[1])),
  },
  fc.record({ at: fc.nat(100), call: fc.constantFrom("c1", "c2") }).map(({ at, call }) => succeeded(at, call)),
  fc
    .record({
      at: fc.nat(100),
      attempt: fc.constantFrom(1, 2),
      code: fc.constantFrom("ToolUnavailable", "RateLimited"),
    })
    .map(({ at, ...rest }) => nodeFailed(at, "n", rest)),
  fc.nat(100).map((at) => ended("done", at)),
  fc.constant(note("x")),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ session: fc.constantFrom("s", "t", "u", "v"), entries: fc.array(entry, { maxLength: 6 }) }),
  },
  fc.record({ before: fc.nat(110) }),
);

/** Counted from the entries that are there. */
async function recount(journal: Journal): Promise<FaultFold> {
  const fold = new FaultFold();
  for (const {
    position,
    entry: { session, seq, at, event },
  } of await journal.readFrom(0, { limit: Infinity })) {
    const mark = faultMarkOf(event);
    if (mark !== null) fold.note(mark, { position, session, seq, at });
  }
  return fold;
}

async function expectRecount(journal: Journal): Promise<void> {
  const { rows } = await recount(journal);
  const groups = await journal.faultGroups({ limit: Infinity });
  const byName = (a: { readonly fingerprint: string }, b: { readonly fingerprint: string }): number =>
    a.fingerprint < b.fingerprint ? -1 : 1;
  expect([...groups].sort(byName)).toEqual([...groupFaults(rows)].sort(byName));
  for (const { fingerprint } of groups) {
    const family = rows.filter((row) => row.fingerprint === fingerprint);
    expect(
      [...(await journal.faultsOf(fingerprint, { limit: Infinity }))].sort((a, b) => a.position - b.position),
    ).toEqual(family);
    expect(await journal.faultRecourses(fingerprint)).toEqual(tallyRecourses(family));
    const trend = await journal.faultTrend(fingerprint, { since: 0, until: 101, bucketMs: 13 });
    expect(trend.reduce((sum, { count }) => sum + count, 0)).toBe(family.length);
    const recovered = family.filter(({ recourse, worked }) => recourse === "retry" && worked === true);
    expect(trend.reduce((sum, { recoveredByRetry }) => sum + recoveredByRetry, 0)).toBe(recovered.length);
  }
  const all = await journal.faultTrend(null, { since: 0, until: 101, bucketMs: 13 });
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
  expect((await journal.verify()).firstBad).toBeNull();
}

it("equals a recount of the entries after any appends and prunes, in both journals", async () => {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      for (const journal of [
        createMemoryJournal({ maxEntries: 40 }),
        await openSqliteJournal(folder.file(`${++files}.db`)),
      ]) {
        for (const one of steps) {
          if ("before" in one) await journal.prune(one);
          else await journal.append(one.session, (await journal.session(one.session))?.lastSeq ?? 0, one.entries);
        }
        await expectRecount(journal);
        await journal.close();
      }
    }),
    { numRuns: 40 },
  );
});

it.each([
  ["c1", true, false],
  ["", null, null],
  [42, null, null],
  [null, null, null],
])("tells how a recourse went only of a call with a name: %j", (call, afterSuccess, afterFailure) => {
  const about = { call } as { readonly call: string };
  const name = call === "c1" ? "c1" : "";
  const { event: success } = succeeded(1);
  const { event: failure } = failed(1);
  expect(faultMarkOf({ ...success, ...about })).toMatchObject({ call: name, worked: afterSuccess });
  expect(faultMarkOf({ ...failure, ...about })).toMatchObject({ call: name, worked: afterFailure });
});

it("is made for the file of an older program, when it is upgraded and when it is only read", async () => {
  const path = folder.file("old.db");
  const writer = await openSqliteJournal(path);
  await writer.append("gone", 0, [failed(1), ended("done", 2)]);
  await writer.append("s", 0, [failed(3), succeeded(4), failed(5, { tool: "pay" }), note("x")]);
  await writer.append("also gone", 0, [ended("done", 2)]);
  await writer.append("t", 0, [failed(6), failed(7), succeeded(8)]);
  await writer.append("u", 0, [failed(9, { call: "n#1.1/c" }), nodeFailed(10, "n")]);
  await writer.prune({ before: 3 });
  const seen = async (journal: Journal): Promise<unknown> => {
    await expectRecount(journal);
    return [await journal.faultGroups({ limit: 9 }), await journal.position()];
  };
  const expected = await seen(writer);
  await writer.close();
  const old = new DatabaseSync(path);
  old.exec(`DROP TABLE faults; DROP TABLE fault_groups; DROP TABLE fault_recourses; DROP TABLE fault_text; DROP TABLE run_text; DROP TABLE searched_runs; DROP TABLE kept_tags;
    ALTER TABLE kept ADD COLUMN tag TEXT; CREATE INDEX kept_by_tag ON kept (kind, tag, at, key) WHERE tag IS NOT NULL; DELETE FROM meta WHERE name = 'pruned';
    PRAGMA user_version = 4`);
  old.close();
  const reader = await openSqliteJournal(path, { readOnly: true });
  expect(await seen(reader)).toEqual(expected);
  await reader.close();
  const upgraded = await openSqliteJournal(path);
  expect(await seen(upgraded)).toEqual(expected);
  await upgraded.close();
});

it("of a file that counted the failures of nodes twice is put right when it is opened", async () => {
  const path = folder.file("old.db");
  const writer = await openSqliteJournal(path);
  await writer.append("u", 0, [failed(9, { call: "n#1.1/c" }), nodeFailed(10, "n")]);
  const expected = await writer.faultGroups({ limit: 9 });
  await writer.close();
  const old = new DatabaseSync(path);
  old.exec(`INSERT INTO fault_groups VALUES (7, 'ToolUnavailable@node:n#raised', 'ToolUnavailable', 'n', 1, 1, 10, 10, '');
    INSERT INTO faults VALUES (2, 10, 1, 2, '', 7, 'abort-workflow', '', NULL);
    DROP INDEX faults_of_session; CREATE INDEX faults_by_session ON faults (session, family); PRAGMA user_version = 5`);
  old.close();
  const upgraded = await openSqliteJournal(path);
  expect(await upgraded.faultGroups({ limit: 9 })).toEqual(expected);
  expect(expected).toHaveLength(1);
  await expectRecount(upgraded);
  await upgraded.close();
});
