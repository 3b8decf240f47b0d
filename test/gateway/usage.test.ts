// Windows of time for budgets and sums, and the sums of calls per day.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { windowStart } from "../../src/gateway/key/key-account.ts";
import type { LedgerLine } from "../../src/gateway/ledger/ledger-line.ts";
import { addUsage, usageOfDays } from "../../src/gateway/ledger/usage.ts";
import { openJournal } from "../../src/index.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";

describe("a window of time begins, in UTC,", () => {
  it.each([
    ["2026-11-18T00:59:59.999Z", "2026-11-18T00:00:00Z", "2026-11-18T00:00:00Z", "2026-11-01T00:00:00Z"],
    ["2026-11-18T23:00:00.000Z", "2026-11-18T23:00:00Z", "2026-11-18T00:00:00Z", "2026-11-01T00:00:00Z"],
    ["2028-02-29T12:34:56.789Z", "2028-02-29T12:00:00Z", "2028-02-29T00:00:00Z", "2028-02-01T00:00:00Z"],
    ["2026-12-31T23:59:59.999Z", "2026-12-31T23:00:00Z", "2026-12-31T00:00:00Z", "2026-12-01T00:00:00Z"],
    ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
  ])("that holds %s, at %s, %s and %s", (at, hour, day, month) => {
    const starts = (["hour", "day", "month"] as const).map((name) => windowStart(name, Date.parse(at)));
    expect(starts).toEqual([hour, day, month].map((text) => Date.parse(text)));
  });
});

const DAY_MS = 86_400_000;
const TODAY = Date.parse("2026-11-18T00:00:00Z");

it("counts calls without a price, which cost something that is not known", async () => {
  const journal = createMemoryJournal();
  const page = [{ ...lineOf("ci", "two/m", TODAY), isUnpriced: true }, lineOf("ci", "two/m", TODAY)];
  await addUsage(journal, page, { owner: "gw_1", number: 1 });
  expect(await usageOfDays(journal, 1, TODAY)).toMatchObject([{ calls: 2, unpriced: 1 }]);
});

it("counts each attempt that failed under its target, and no target that was not asked", async () => {
  const journal = createMemoryJournal();
  const failure = (target: string, attempt: number, code: string | null = "Overloaded") =>
    ({ target, attempt, code, recourse: "fallback" }) as const;
  const decisions = [failure("one/m", 1), failure("one/m", 2), failure("three/m", 0), failure("two/m", 3, null)];
  const page = [
    { ...lineOf("ci", "two/m", TODAY), decisions },
    { ...lineOf("ci", null, TODAY, "Overloaded"), decisions: [failure("one/m", 1), failure("two/m", 2)] },
  ];
  await addUsage(journal, page, { owner: "gw_1", number: 1 });
  const used = await usageOfDays(journal, 1, TODAY);
  const shown = used.map(({ target, calls, failed, failedAttempts }) => [target, calls, failed, failedAttempts]);
  expect(new Set(shown.map(String))).toEqual(new Set([",1,1,0", "one/m,0,0,3", "two/m,1,0,1"]));
});

function lineOf(key: string, target: string | null, at: number, code: string | null = null): LedgerLine {
  return {
    ...{ call: "call_1", at, tookMs: 1, key, route: "*", dialect: "openai-chat", model: "m", target },
    ...{ attempts: 1, status: code === null ? "done" : "failed", code, microcents: 5, isExact: true },
    ...{ omitted: [], decisions: [] },
  };
}

it("adds up the calls of each client to each target on each day, in one page and over several", async () => {
  const journal = createMemoryJournal();
  const page = [
    lineOf("ci", "one/m", TODAY + 1),
    lineOf("ci", "two/m", TODAY + 2),
    lineOf("team", "one/m", TODAY + 3),
    lineOf("ci", "one/m", TODAY - 1),
    lineOf("ci", null, TODAY + 4, "Overloaded"),
    lineOf("ci", "one/m", TODAY + 5),
  ];
  const owner = "gw_1";
  await addUsage(journal, page, { owner, number: 1 });
  await addUsage(journal, page.slice(0, 1), { owner, number: 2 });
  // Pages that are in it already.
  await addUsage(journal, page, { owner, number: 1 });
  await addUsage(journal, page.slice(0, 1), { owner, number: 2 });
  const used = await usageOfDays(journal, 2, TODAY + 10);
  const shown = used.map(({ at, client, target, calls, failed, microcents }) =>
    [(at - TODAY) / DAY_MS, client, target, calls, failed, microcents].join(" "),
  );
  expect(new Set(shown)).toEqual(
    new Set(["-1 ci one/m 1 0 5", "0 ci  1 1 5", "0 ci one/m 3 0 15", "0 ci two/m 1 0 5", "0 team one/m 1 0 5"]),
  );
  expect(shown).toHaveLength(5);
});

describe.each([
  { store: "memory", open: () => Promise.resolve(createMemoryJournal()) },
  {
    store: "SQLite",
    open: () => {
      const folder = mkdtempSync(join(tmpdir(), "faultline-usage-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      return openJournal(join(folder, "journal.db"));
    },
  },
])("in $store, a sum", ({ open }) => {
  it("stays small however many processes add to it, and counts each page once", async () => {
    const journal = await open();
    onTestFinished(() => journal.close());
    const page = [lineOf("ci", "one/m", TODAY + 1)];
    const add = (process: number, number: number): Promise<void> =>
      addUsage(journal, page, { owner: `gw_${process}`, number });
    for (let process = 0; process < 160; process++) {
      await add(process, 1);
      // Its answer was lost, and other processes wrote meanwhile.
      const other = Math.max(0, process - 40);
      await add(other, 1);
      await add(process, 2);
      await add(process, 1);
    }
    const [row, ...more] = await journal.keptAll("usage", String(TODAY));
    expect(more).toEqual([]);
    expect(row?.value).toMatchObject({ calls: 320, microcents: 1_600 });
    expect(JSON.stringify(row?.value).length).toBeLessThan(1_300);
  });
});
