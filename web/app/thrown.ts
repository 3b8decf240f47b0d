// What the page does with something that was thrown: it shows it, or it notes it because it works without what failed.

/** The error that `ProblemState` shows: the server's own words about it, or that the server does not answer. */
export function classifyThrown(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Notes on the console what failed when nothing on the page depends on it. */
export function suppressThrown(what: string, thrown: unknown): void {
  console.warn(what, thrown);
}
