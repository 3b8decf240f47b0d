// Who did what: every deed of a person is recorded with how it went, and none of the program's own.

import { describe, expect, it } from "vitest";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import { audited, auditOf, BY_PROGRAM } from "../../src/journal/audit.ts";
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
