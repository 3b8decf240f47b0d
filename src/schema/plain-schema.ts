// Most schemas are plain: their keywords mean the same in every dialect, and have values of the right kind. A plain schema is valid, so nobody has to
// compile the dialect's own schema to see that, which takes longer than all the schemas of a program together.

/** The value of a keyword, and how many levels of schemas may be below it. */
type Fits = (value: unknown, levels: number) => boolean;

/** Deeper ones are checked under a time limit. */
const MAX_LEVELS = 50;

/** False says nothing: the dialect's own schema has to be asked. */
export function isPlainSchema(schema: Readonly<Record<string, unknown>>): boolean {
  return isSchema(schema, MAX_LEVELS);
}

const isSchema: Fits = (value, levels) => {
  if (typeof value === "boolean") return true;
  const entries = levels > 0 ? entriesOf(value) : null;
  return entries?.every(([name, inner]) => KEYWORDS.get(name)?.(inner, levels - 1) === true) ?? false;
};

const isText: Fits = (value) => typeof value === "string";
const isNumber: Fits = (value) => Number.isFinite(value);
const isCount: Fits = (value) => Number.isInteger(value) && Number(value) >= 0;
const isFlag: Fits = (value) => typeof value === "boolean";
const isAnything: Fits = (value) => value !== undefined;

/** Each once. */
const isListOf =
  (fits: (item: unknown) => boolean): Fits =>
  (value) =>
    Array.isArray(value) && new Set(value).size === value.length && Array.from(value).every(fits);

const isFilled: Fits = (value) => Array.isArray(value) && value.length > 0;

const isSchemas: Fits = (value, levels) =>
  Array.isArray(value) && value.length > 0 && Array.from(value).every((one) => isSchema(one, levels));

const isNamedSchemas: Fits = (value, levels) =>
  entriesOf(value)?.every(([, schema]) => isSchema(schema, levels)) ?? false;

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const isType = (value: unknown): boolean => TYPES.has(value);
const isTypes = isListOf(isType);
/** Objects and arrays would have to be compared with each other. */
const isScalar = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
const isScalars = isListOf(isScalar);

// prettier-ignore
const KEYWORDS: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ["type", (value, levels) => isType(value) || (isFilled(value, levels) && isTypes(value, levels))],
  ["enum", (value, levels) => isFilled(value, levels) && isScalars(value, levels)],
  ["const", isAnything],
  ["properties", isNamedSchemas],
  ["required", isListOf((item) => typeof item === "string")],
  ...["items", "additionalProperties", "propertyNames", "not", "if", "then", "else"].map((name) => [name, isSchema] as const),
  ...["allOf", "anyOf", "oneOf"].map((name) => [name, isSchemas] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) => [name, isNumber] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map((name) => [name, isCount] as const),
  ...["uniqueItems", "readOnly", "writeOnly", "deprecated"].map((name) => [name, isFlag] as const),
  ...["title", "description", "$comment", "format"].map((name) => [name, isText] as const),
  ["default", isAnything],
]);

/** Null for what is no object of this kind: the keywords of others may be inherited. */
function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? Object.entries(value) : null;
}
