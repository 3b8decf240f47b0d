// The texts around an expression: those it must fit into to count as one, and the one it is run in.

export interface Form {
  /** Fits only when the text is whole in itself: a text that closes one of these early cannot close the other. */
  readonly proofs: readonly ((text: string) => string)[];
  /** What the text must hold, so that an empty one is refused when it is checked and not when it runs. */
  readonly needs: RegExp;
  /** Gives a function that has not run yet. */
  readonly program: (text: string) => string;
}

// The line break ends a trailing comment.
const inParentheses = (text: string): string => `(${text}\n)`;
const inBrackets = (text: string): string => `[${text}\n]`;
// After the body of an arrow function only `)` or `,` may follow, and neither may follow the body of a method.
const asArrowBody = (text: string): string => `(() => {${text}\n})`;
const asMethodBody = (text: string): string => `(class { m() {${text}\n} })`;

/** Tried in this order. `return` alone makes no expression, so nothing is both unless it means the same. */
export const FORMS: readonly Form[] = [
  { proofs: [inParentheses, inBrackets], needs: /\S/, program: (text) => `(() => (${text}\n))` },
  { proofs: [asArrowBody, asMethodBody], needs: /\b(?:return|throw)\b/, program: asArrowBody },
];

/**
 * Big integers: one operation on them can take seconds, and the engine cannot be interrupted in it. With their constructor gone a
 * literal is the only way to get one. A text that holds such a literal, like "5n", is refused with it.
 */
export const BIG_INTEGER = /(?<![\w$])(?:0[xob][\da-f_]+|\d[\d_]*)n(?![\w$])/i;
