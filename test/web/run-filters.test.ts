import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runsQuery } from "../../src/api/runs.ts";
import { keyOf, queryOf, RUN_FILTERS, WITHIN } from "../../web/pages/runs/run-filters.ts";

const NOW = 1_700_000_000_000;
const addressOf = (search: Readonly<Record<string, string>>) => (name: string) => search[name] ?? null;

const search = fc.record(
  {
    state: fc.constantFrom("failed", "open", "asking"),
    cause: fc.constantFrom("rate-limited", "auth-error"),
    workflow: fc.constantFrom("team", "a&b=c", "工作流"),
    target: fc.constantFrom("east/llama-3", "openai/gpt-5.5"),
    code: fc.constantFrom("RateLimited"),
    q: fc.constantFrom("split() rounding", "50%", "+"),
    within: fc.constantFrom("1h", "24h", "7d", "30d", "for ever"),
    superseded: fc.constantFrom("show", "hide", "?"),
    run: fc.constantFrom("run-1"),
  },
  { requiredKeys: [] },
);

describe("the filters of runs in the address", () => {
  it("ask the server for what it knows, and for nothing that no filter says", () => {
    fc.assert(
      fc.property(search, (given) => {
        const query = queryOf(addressOf(given), NOW);
        expect(runsQuery.parse({ ...query })).toMatchObject(query);
        const { since, superseded, ...same } = query;
        const { within, superseded: _said, run: _run, ...expected } = given;
        expect(same).toEqual(expected);
        expect(superseded).toBe(given.superseded === "show" ? "show" : "hide");
        const span = Object.entries(WITHIN).find(([name]) => name === within)?.[1];
        expect(since).toBe(span === undefined ? undefined : NOW - span);
      }),
    );
  });

  it("survive the way through an address, and name one list for one set of filters", () => {
    fc.assert(
      fc.property(search, (given) => {
        const there = Object.fromEntries(new URLSearchParams(new URLSearchParams(given).toString()));
        expect(queryOf(addressOf(there), NOW)).toEqual(queryOf(addressOf(given), NOW));
        expect(keyOf(addressOf(there))).toBe(keyOf(addressOf(given)));
        for (const name of RUN_FILTERS) {
          const other = { ...given, [name]: "something else" };
          expect(keyOf(addressOf(other))).not.toBe(keyOf(addressOf(given)));
        }
        // The chosen run is no filter.
        expect(keyOf(addressOf({ ...given, run: "another" }))).toBe(keyOf(addressOf(given)));
      }),
    );
  });
});
