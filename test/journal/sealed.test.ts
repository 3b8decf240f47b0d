// Pages of a session's entries, checked against its chain: every page has exactly its entries, and shows each change that was made to one of them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chainStart, nextLink } from "../../src/journal/chain.ts";
import { chainedPage, type ChainedRow, checkedEntries, entriesWithoutGap } from "../../src/journal/sealed.ts";
import { samples } from "../support/grid.ts";

const SESSION = "s";

function chainOf(length: number, name = "t"): readonly ChainedRow[] {
  const rows: ChainedRow[] = [];
  for (let seq = 1; seq <= length; seq++) {
    const event = { type: "turn-started", turn: `${name}${seq}`, deadlineAt: null } as const;
    const [at, body, seal] = [1_000 + seq, JSON.stringify(event), seq % 3 === 0 ? `["${seq}"]` : ""];
    const hash = nextLink(rows.at(-1)?.hash ?? chainStart(SESSION), seq, at, event.type, body, seal);
    rows.push({ seq, at, type: event.type, body, hash, seal });
  }
  return rows;
}

/** What a store reads for a page, and what is made of it: the numbers of the entries. */
function pageOf(stored: readonly ChainedRow[], whole: readonly ChainedRow[], after: number, limit: number): number[] {
  const last = whole.at(-1);
  const { from, count } = chainedPage(after, limit);
  const rows = stored.filter(({ seq }) => seq >= from).slice(0, count);
  const head = last === undefined ? undefined : { lastSeq: last.seq, lastHash: last.hash };
  return checkedEntries(SESSION, { after, limit }, head, rows).map(({ seq }) => seq);
}

const pages = fc
  .tuple(fc.nat(12), fc.nat(12), fc.integer({ min: 1, max: 6 }))
  .map(([length, place, limit]) => ({ rows: chainOf(length), after: Math.min(place, length), limit }));

describe("a page of a session", () => {
  it("has exactly the entries that were asked for, wherever it begins", () => {
    fc.assert(
      fc.property(pages, ({ rows, after, limit }) => {
        const wanted = rows.map(({ seq }) => seq).slice(after, after + limit);
        expect(pageOf(rows, rows, after, limit)).toEqual(wanted);
      }),
      { numRuns: samples(100, 2_000) },
    );
  });

  it("is refused when one of its entries was changed or is missing", () => {
    const changes: readonly ((row: ChainedRow) => readonly ChainedRow[])[] = [
      (row) => [{ ...row, body: row.body.replace(/"t\d+"/, '"other"') }],
      (row) => [{ ...row, at: row.at + 1 }],
      (row) => [{ ...row, type: "turn-ended" }],
      (row) => [{ ...row, seal: `${row.seal} ` }],
      (row) => [{ ...row, hash: `${row.hash}0` }],
      () => [],
    ];
    const change = fc.constantFrom(...changes);
    fc.assert(
      fc.property(pages, fc.nat(5), change, ({ rows, after, limit }, place, alter) => {
        const at = after + (place % limit);
        const row = rows[at];
        if (row === undefined) return;
        const stored = [...rows.slice(0, at), ...alter(row), ...rows.slice(at + 1)];
        expect(() => pageOf(stored, rows, after, limit)).toThrow(`Entry ${at + 1} of session ${SESSION} is `);
      }),
      { numRuns: samples(100, 2_000) },
    );
  });

  it("is refused when the session ends before it should, and names the first entry that is missing", () => {
    fc.assert(
      fc.property(pages, fc.nat(12), ({ rows, after, limit }, kept) => {
        const { from } = chainedPage(after, limit);
        const missing = Math.max(from, kept + 1);
        const cut = (): number[] => pageOf(rows.slice(0, kept), rows, after, limit);
        if (kept >= Math.min(after + limit, rows.length) || after >= rows.length) expect(cut).not.toThrow();
        else expect(cut).toThrow(`Entry ${missing} of session ${SESSION} is missing`);
      }),
      { numRuns: samples(100, 2_000) },
    );
  });

  it("is refused when the chain was rewritten from one of its entries to the end", () => {
    const [rows, other] = [chainOf(6), chainOf(6, "another")];
    expect(() => pageOf(other, rows, 0, 6)).toThrow("Entry 6 of session s is not what was written");
    expect(() => pageOf(other, rows, 4, 2)).toThrow("Entry 6 of session s is not what was written");
  });

  it("that is not checked against the chain has its entries without a gap, too", () => {
    const rows = chainOf(6).map((row) => ({ ...row, session: SESSION, position: row.seq }));
    for (let after = 0; after <= 6; after++) {
      const page = rows.slice(after);
      const seqs = entriesWithoutGap(SESSION, after, page).map(({ entry }) => entry.seq);
      expect(seqs).toEqual(page.map(({ seq }) => seq));
      for (const missing of page.slice(0, -1)) {
        const left = page.filter((row) => row !== missing);
        expect(() => entriesWithoutGap(SESSION, after, left)).toThrow(`Entry ${missing.seq} of session s is missing`);
      }
    }
  });
});
