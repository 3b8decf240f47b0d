// The targets that a call asked. The call itself only names the one that it asked last.

interface AnySpan {
  readonly kind: string;
  readonly tool: string;
}

/** In the order in which they were asked first. */
export function targetsIn(spans: readonly AnySpan[]): readonly string[] {
  return [...new Set(spans.flatMap(({ kind, tool }) => (kind === "attempt" ? [tool] : [])))];
}

/** How the row of a call is named, with a note beside it. */
export function nameOfCall(
  label: string,
  tool: string,
  targets: readonly string[],
): { readonly label: string; readonly note: string } {
  const all = targets.length > 1 ? targets.join(" → ") : tool;
  return label === tool ? { label: all, note: "" } : { label, note: all };
}
