// The order of keys is that of their bytes, in every kind of journal.

import { expect, it } from "vitest";
import { compareKeys } from "../../src/journal/encode.ts";

/** The first and the last characters of each length in UTF-8, and those around the surrogates. */
const EDGES = [0x00, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x103fe, 0x103ff, 0x10400, 0x10ffff];
const KEYS = EDGES.flatMap((code) => ["", "a", "\u{10ffff}"].map((more) => String.fromCodePoint(code) + more));

it("compares keys as their bytes in UTF-8 compare", () => {
  for (const one of ["", ...KEYS]) {
    const ofBytes = KEYS.map((other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect([one, KEYS.map((other) => Math.sign(compareKeys(one, other)))]).toEqual([one, ofBytes]);
  }
});
