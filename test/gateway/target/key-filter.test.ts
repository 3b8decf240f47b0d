// The gateway's own key is taken out of an answer, however the answer is cut into pieces, and no other byte changes.

import fc from "fast-check";
import { expect, it } from "vitest";
import { KeyFilter } from "../../../src/gateway/target/key-filter.ts";

function through(key: string, pieces: readonly Buffer[]): readonly Buffer[] {
  const filter = new KeyFilter(key);
  return [...pieces.map((piece) => filter.take(piece)), filter.rest()];
}

/** Cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

it("takes the key out wherever pieces end", () => {
  const key = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 2, maxLength: 6 });
  const part = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(key, fc.array(part), fc.array(fc.nat()), (own, parts, places) => {
      const text = parts.join(own);
      const shown = Buffer.concat(through(own, cut(Buffer.from(text), places))).toString();
      expect(shown).toBe(text.replaceAll(own, "[removed]"));
    }),
  );
});

it("leaves bytes as they are that are not the key", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.nat()), (bytes, places) => {
      const shown = Buffer.concat(through("sk-key-of-the-gateway", cut(Buffer.from(bytes), places)));
      expect(shown.equals(Buffer.from(bytes))).toBe(true);
    }),
  );
});

it("keeps nothing back of a piece that ends with no beginning of the key", () => {
  const filter = new KeyFilter("sk-1");
  expect([filter.take(Buffer.from("data: s\n\n")).toString(), filter.rest().toString()]).toEqual(["data: s\n\n", ""]);
  expect([filter.take(Buffer.from("data: sk")).toString(), filter.rest().toString()]).toEqual(["data: ", "sk"]);
});
