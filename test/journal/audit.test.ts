// Who did what: every deed of a person is recorded with how it went, and none of the program's own.

import { describe, expect, it } from "vitest";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import { audited, auditOf, BY_PROGRAM } from "../../src/journal/audit.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";

const WORKS = (): Promise<string> => Promise.resolve("did it");
const REFUSED = (): Promise<string> => Promise.reject(new FaultError(fault("NotFound")));
const BROKEN = (): Promise<string> => Promise.reject(new Error("a bug"));

describe("a deed", () => {
  it.each<[string, string, () => Promise<string>, (string | null)[]]>([
    ["of a person is recorded", "ada", WORKS, [null]],
    ["of a person that is refused is recorded with the fault", "ada", REFUSED, ["NotFound"]],
    ["that ended in a bug is not recorded: nothing is known about it", "ada", BROKEN, []],
    ["of the program is not recorded", BY_PROGRAM, WORKS, []],
    ["of the program that is refused is not recorded", BY_PROGRAM, REFUSED, []],
  ])("%s", async (_what, by, work, recorded) => {
    const journal = createMemoryJournal();
    let ids = 0;
    const auditing = { journal, clock: createFakeClock(1_000), newId: () => `a${++ids}` };
    const done = audited(auditing, { what: "run.act", action: "retry", key: "", on: "run_1", by }, work);
    if (work === WORKS) expect(await done).toBe("did it");
    else await expect(done).rejects.toThrow();
    const kept = await auditOf(journal, { limit: 10 });
    expect(kept.map(({ refused }) => refused)).toEqual(recorded);
    for (const one of kept) expect(one).toMatchObject({ id: "a1", at: 1_000, by: "ada", on: "run_1", what: "run.act" });
  });
});

describe("what was done", () => {
  const DONE = { what: "run.act", on: "run_1", by: "ada", said: "" };
  const journalWith = async (...deeds: readonly Partial<typeof DONE>[]): Promise<Journal> => {
    const journal = createMemoryJournal();
    const clock = createFakeClock(1_000);
    for (const [index, deed] of deeds.entries()) {
      await audited({ journal, clock, newId: () => `a${index + 1}` }, { ...DONE, ...deed }, WORKS);
      await clock.advance(1);
    }
    return journal;
  };

  it.each([
    [{}, ["a3", "a2", "a1"]],
    [{ limit: 2 }, ["a3", "a2"]],
    [{ by: "ada" }, ["a3", "a1"]],
    [{ on: "run_1" }, ["a2", "a1"]],
    [{ by: "ada", on: "run_1" }, ["a1"]],
    [{ after: { at: 1_002, key: "a3" } }, ["a2", "a1"]],
  ] as const)("is listed by %j, the newest first", async (query, expected) => {
    const journal = await journalWith({}, { by: "grace" }, { on: "run_2" });
    expect((await auditOf(journal, { limit: 10, ...query })).map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    { said: "", kept: "" },
    { said: "x ".repeat(150), kept: "x ".repeat(150) },
    { said: `${"x ".repeat(150)}y`, kept: `${"x ".repeat(150)}…` },
    { said: "use sk-proj-0123456789abcdefghijklmnop now", kept: "use [redacted] now" },
  ])("comes with what was said, $said, but for secrets and what is too long", async ({ said, kept }) => {
    const [record] = await auditOf(await journalWith({ said }), { limit: 1 });
    expect(record).toEqual({
      id: "a1",
      at: 1_000,
      ...DONE,
      said: kept,
      action: "",
      key: "",
      session: "",
      refused: null,
    });
  });

  it("has empty parts where an earlier version wrote none", async () => {
    const journal = createMemoryJournal();
    const record = { id: "a1", at: 1, by: "ada", what: "run.act", on: "run_1", refused: null };
    await journal.keep([{ kind: "audit", key: "a1", value: record }]);
    expect(await auditOf(journal, { limit: 1 })).toEqual([{ ...record, action: "", key: "", said: "", session: "" }]);
  });
});
