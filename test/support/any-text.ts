import fc from "fast-check";

/** Any character but the halves of surrogate pairs. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

/**
 * Text of any characters, and now and then the names with which programs go wrong (`__proto__`). fast-check has `unit: "binary"` for it, which first
 * lists all million characters: 0.7 s of processor time in each process, and memory that every garbage collection reads again.
 */
export function anyText(
  bounds: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  const characters = fc.array(character, bounds).map((list) => list.join(""));
  return fc.oneof({ weight: 9, arbitrary: characters }, { weight: 1, arbitrary: fc.string(bounds) });
}
