// Dice of a scenario: what is rolled depends on the seed and on the names of the place alone, so that the same run comes out the
// same whatever else was asked in between.

/** In [0, 1). FNV-1a over the parts, stirred so that close names lie far apart. */
export function rollFor(seed: number, ...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of [seed, ...parts]) {
    for (const char of `${part}\u0000`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
