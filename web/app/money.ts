// Amounts of money as people read them.

const MICROCENTS_PER_USD = 1e8;
/** More digits than usual; the last one is that of a microcent. */
const MORE_DIGITS = [3, 4, 5, 6, 7, 8];

export function moneyOf(microcents: number): string {
  const value = microcents / MICROCENTS_PER_USD;
  if (value === 0) return "$0";
  const digits = value >= 0.995 ? 2 : value >= 0.01 ? 3 : 4;
  return value < 0.0001 ? "<$0.0001" : withDigits(microcents, digits);
}

/** Two amounts, with as many digits as they need to look different if they are. */
export function moneyPair(one: number, other: number): readonly [string, string] {
  const usual = [moneyOf(one), moneyOf(other)] as const;
  if (one === other || usual[0] !== usual[1]) return usual;
  const { length: usualDigits } = usual[0].split(".")[1] ?? "";
  const more = MORE_DIGITS.filter((digits) => digits > usualDigits);
  const pairs = more.map((digits) => [withDigits(one, digits), withDigits(other, digits)] as const);
  return pairs.find(([a, b]) => a !== b) ?? usual;
}

function withDigits(microcents: number, digits: number): string {
  return `$${(microcents / MICROCENTS_PER_USD).toFixed(digits)}`;
}
