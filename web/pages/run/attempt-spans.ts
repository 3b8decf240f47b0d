// What counts as an attempt where the panel of a run says what was tried.

interface AnySpan {
  readonly id: string;
  readonly parent: string | null;
  readonly kind: string;
  readonly fault: object | null;
}

/**
 * Attempts of calls. The attempt of a node stands in their place where it made no call, and where it failed although its calls worked:
 * a command that ran, and ended with exit code 1.
 */
export function attemptSpans<Span extends AnySpan>(spans: readonly Span[]): readonly Span[] {
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  const attempts = spans.filter(({ kind }) => kind === "attempt");
  const turnOf = ({ parent }: Span): string | null => (parent === null ? null : (parents.get(parent) ?? null));
  const withFailedCalls = new Set(attempts.filter(({ fault }) => fault !== null).map(turnOf));
  const withCalls = new Set(spans.filter(({ kind }) => kind === "call").map(({ parent }) => parent));
  const isWhole = ({ kind, id, fault }: Span): boolean =>
    kind === "turn" && (!withCalls.has(id) || (fault !== null && !withFailedCalls.has(id)));
  const whole = new Set(spans.filter(isWhole).map(({ id }) => id));
  return spans.filter((span) => (span.kind === "attempt" ? !whole.has(turnOf(span) ?? "") : whole.has(span.id)));
}
