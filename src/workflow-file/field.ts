// Building blocks of the schema. Each field has a description and an example, which become the editor's hints and the tables of
// the documentation.

import * as z from "zod";

export function field<T extends z.ZodType>(schema: T, description: string, ...examples: readonly unknown[]): T {
  const most = mostItems(schema);
  const limit = most === null ? "" : ` ${most} at most.`;
  return schema.meta({ description: `${description}${limit}`, examples: [...examples] });
}

/**
 * The maximum length of a list, or of the list form of a union. The description mentions it, so that the limit does not surprise
 * authors.
 */
function mostItems(schema: z.ZodType): number | null {
  if (schema instanceof z.ZodUnion) {
    const limits = schema.options.flatMap((option) => (option instanceof z.ZodType ? (mostItems(option) ?? []) : []));
    return limits.length === 0 ? null : Math.max(...limits);
  }
  // Read from the checks, because converting to JSON Schema is slow.
  const checks = schema instanceof z.ZodArray ? (schema._zod.def.checks ?? []) : [];
  const limits = checks.flatMap((check) => (isMaxLength(check._zod.def) ? check._zod.def.maximum : []));
  return limits.length === 0 ? null : Math.min(...limits);
}

function isMaxLength(def: z.core.$ZodCheckDef): def is z.core.$ZodCheckMaxLengthDef {
  return def.check === "max_length";
}

/** `amounts.ts` reads it, because its errors can be more precise than a union's. */
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

/** Also read by `amounts.ts`. */
export function dollars(description: string, ...examples: readonly unknown[]) {
  return z
    .unknown()
    .meta({ description: `${description} Dollars.`, examples: [...examples], type: "number", exclusiveMinimum: 0 });
}

export const text = (most = MAX_TEXT) => z.string().min(1).max(most);

const MAX_TEXT = 100_000;
/** Longer expressions should be programs. */
const MAX_EXPRESSION = 10_000;

export const expression = () => text(MAX_EXPRESSION);

/** Names that expressions use: `nodes.run_tests.output`. */
export const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Names that only the file itself uses. */
export const LABEL = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A map with keys that the author chooses; `names.ts` checks the keys. */
export function named<T extends z.ZodType>(
  item: T,
  pattern: RegExp,
  description: string,
  ...examples: readonly unknown[]
) {
  return z.record(z.string().meta({ pattern: pattern.source }), item).meta({ description, examples: [...examples] });
}
