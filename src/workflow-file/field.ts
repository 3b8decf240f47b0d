// The fields a workflow file is made of: each with what it is for and an example, which become the editor's hints and the
// tables of the documentation.

import * as z from "zod";

export function field<T extends z.ZodType>(schema: T, description: string, ...examples: readonly unknown[]): T {
  const most = mostItems(schema);
  const limit = most === null ? "" : ` ${most} at most.`;
  return schema.meta({ description: `${description}${limit}`, examples: [...examples] });
}

/** How long a list may be, alone or as one of the ways to write a field: told with the field, so that the limit surprises no author. */
function mostItems(schema: z.ZodType): number | null {
  if (schema instanceof z.ZodUnion) {
    const limits = schema.options.flatMap((option) => (option instanceof z.ZodType ? (mostItems(option) ?? []) : []));
    return limits.length === 0 ? null : Math.max(...limits);
  }
  // What the checks of a schema come to; a JSON Schema would say the same and takes long to make.
  const { maximum } = schema instanceof z.ZodArray ? (schema._zod.bag as { readonly maximum?: number }) : {};
  return maximum ?? null;
}

/** Read by `amounts.ts`, which can say more about what is wrong than a union can. */
export function duration(description: string, ...examples: readonly unknown[]) {
  return z.unknown().meta({
    description: `${description} A number with a unit (ms, s, m, h, d), or milliseconds.`,
    examples: [...examples],
    anyOf: [
      { type: "string", pattern: DURATION.source },
      { type: "integer", minimum: 1 },
    ],
  });
}

export const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|min|h|d)$/;

/** Read by `amounts.ts` too. */
export function dollars(description: string, ...examples: readonly unknown[]) {
  return z
    .unknown()
    .meta({ description: `${description} Dollars.`, examples: [...examples], type: "number", exclusiveMinimum: 0 });
}

export const text = (most = MAX_TEXT) => z.string().min(1).max(most);

const MAX_TEXT = 100_000;
/** Longer ones are programs. */
const MAX_EXPRESSION = 10_000;

export const expression = () => text(MAX_EXPRESSION);

/** Names that must be usable in expressions: `nodes.run_tests.output`. */
export const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Names that only this file uses. */
export const LABEL = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A map whose keys the author chooses; the keys themselves are checked by `names.ts`. */
export function named<T extends z.ZodType>(
  item: T,
  pattern: RegExp,
  description: string,
  ...examples: readonly unknown[]
) {
  return z.record(z.string().meta({ pattern: pattern.source }), item).meta({ description, examples: [...examples] });
}
