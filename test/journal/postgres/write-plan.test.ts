// Writes that wait are sent in one call as far as they may share it. Pure: no server takes part.

import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeKeep } from "../../../src/journal/encode.ts";
import { planWrites, type Write } from "../../../src/journal/postgres/write-plan.ts";
import { samples } from "../../support/grid.ts";

interface Asked {
  readonly key: string;
  readonly value: number;
  /** The value is written only over what is there. */
  readonly isConditional: boolean;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  key: fc.constantFrom("a", "b", "c"),
  value: fc.nat(99),
  isConditional: fc.boolean(),
});

const writeOf = ({ key, value, isConditional }: Asked): Write => ({
  append: null,
  keeps: [encodeKeep({ kind: "answer", key, value })],
  onlyOver: isConditional ? "" : null,
});

/** A value with a condition has its key for itself; any number of others share a row, and the last one counts. */
function expectedCall(all: readonly Asked[]): { readonly taken: number; readonly rows: readonly string[] } {
  const rows = new Map<string, Asked>();
  let taken = 0;
  for (const one of all) {
    const before = rows.get(one.key);
    if (before !== undefined && (before.isConditional || one.isConditional)) break;
    rows.set(one.key, one);
    taken += 1;
  }
  return { taken, rows: [...rows.values()].map(({ key, value }) => `${key} ${value}`) };
}

it("values of one key share a call and the last one counts, unless one of them has a condition: the rest waits", () => {
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 8 }), (all) => {
      const { taken, call, conditions } = planWrites(all.map(writeOf), { remembered: new Map(), read: new Map() });
      const rows = call.rows.keep.map(([, key, text]) => `${String(key)} ${String(text)}`);
      expect({ taken, rows }).toEqual(expectedCall(all));
      const conditional = all.slice(0, taken).flatMap(({ isConditional }, place) => (isConditional ? [place] : []));
      expect([...conditions.values()]).toEqual(conditional);
    }),
    { numRuns: samples(100, 2_000) },
  );
});
