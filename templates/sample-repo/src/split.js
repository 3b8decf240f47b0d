// Splits a bill among people, in whole cents.

/** What each of them pays. */
export function split(totalCents, people) {
  const share = Math.floor(totalCents / people);
  return Array.from({ length: people }, () => share);
}
