// A JSON Schema as the fields of a form. What no field fits, such as a free choice between shapes, becomes a field for JSON text.

export type Field = TextField | NumberField | YesNoField | ChoiceField | ListField | GroupField | JsonField;

interface Common {
  readonly title: string;
  readonly says: string;
  /** What the field holds at first; undefined: nothing. */
  readonly start: unknown;
}

export interface TextField extends Common {
  readonly kind: "text";
  readonly isLong: boolean;
  readonly minLength: number;
  readonly maxLength: number | null;
  readonly pattern: string | null;
  readonly input: "text" | "email" | "url" | "date" | "password";
}

export interface NumberField extends Common {
  readonly kind: "number";
  readonly isWhole: boolean;
  readonly min: number | null;
  readonly max: number | null;
}

export interface YesNoField extends Common {
  readonly kind: "yes-no";
}

export interface ChoiceField extends Common {
  readonly kind: "choice";
  readonly options: readonly { readonly value: unknown; readonly label: string }[];
}

export interface ListField extends Common {
  readonly kind: "list";
  readonly item: Field;
  readonly minItems: number;
  readonly maxItems: number | null;
}

export interface GroupField extends Common {
  readonly kind: "group";
  readonly fields: readonly Member[];
}

export interface JsonField extends Common {
  readonly kind: "json";
}

export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}

export type Schema = Readonly<Record<string, unknown>>;

/** Deeper than this, or in a circle, a value is written as JSON. */
const MAX_DEPTH = 6;
/** Texts that may be longer than this get a field of several lines. */
const LONG_TEXT = 200;

/** The form for a schema. `title` is used where the schema has none. */
export function fieldOf(schema: Schema, title = ""): Field {
  return read(schema, { title, root: schema, depth: 0 });
}

interface Place {
  readonly title: string;
  readonly root: Schema;
  readonly depth: number;
}

function read(given: unknown, { title: name, root, depth }: Place): Field {
  const schema = resolved(given, root);
  const title = textIn(schema, "title") || name;
  const common: Common = { title, says: textIn(schema, "description"), start: schema["default"] };
  if (depth > MAX_DEPTH) return { ...common, kind: "json" };
  const options = optionsOf(schema, root);
  if (options !== null) return { ...common, kind: "choice", options };
  const make = BY_TYPE[typeOf(schema)];
  return make === undefined ? { ...common, kind: "json" } : make(schema, common, { title, root, depth: depth + 1 });
}

const BY_TYPE: Readonly<Record<string, (schema: Schema, common: Common, place: Place) => Field>> = {
  string: (schema, common) => textField(schema, common),
  number: (schema, common) => numberField(schema, common, false),
  integer: (schema, common) => numberField(schema, common, true),
  boolean: (_schema, common) => ({ ...common, kind: "yes-no" }),
  array: (schema, common, place) => ({
    ...{ ...common, kind: "list", item: read(schema["items"] ?? {}, { ...place, title: "" }) },
    ...{ minItems: numberIn(schema, "minItems") ?? 0, maxItems: numberIn(schema, "maxItems") },
  }),
  object: (schema, common, place) => {
    const properties = Object.entries(objectOf(schema["properties"]));
    if (properties.length === 0) return { ...common, kind: "json" };
    const required = new Set(listOf(schema["required"]));
    const fields = properties.map(([name, property]): Member => {
      const isRequired = required.has(name);
      const field = read(property, { ...place, title: name });
      return { name, isRequired, field: isRequired ? field : optional(field) };
    });
    return { ...common, kind: "group", fields };
  },
};

/** A tick says yes or no. What may stay unsaid needs a third state. */
function optional(field: Field): Field {
  if (field.kind !== "yes-no" || field.start !== undefined) return field;
  return { ...field, kind: "choice", options: [true, false].map((value) => ({ value, label: labelOf(value) })) };
}

const INPUTS: Readonly<Record<string, TextField["input"]>> = {
  email: "email",
  uri: "url",
  url: "url",
  date: "date",
  password: "password",
};

function textField(schema: Schema, common: Common): TextField {
  const maxLength = numberIn(schema, "maxLength");
  const input = INPUTS[textIn(schema, "format")] ?? "text";
  return {
    ...{ ...common, kind: "text", maxLength, input },
    isLong: input === "text" && (maxLength ?? 0) > LONG_TEXT,
    minLength: numberIn(schema, "minLength") ?? 0,
    pattern: textIn(schema, "pattern") || null,
  };
}

function numberField(schema: Schema, common: Common, isWhole: boolean): NumberField {
  return {
    ...{ ...common, kind: "number", isWhole },
    min: numberIn(schema, "minimum"),
    max: numberIn(schema, "maximum"),
  };
}

/** The values to choose from; null when the schema is not a choice between fixed values. */
function optionsOf(schema: Schema, root: Schema): ChoiceField["options"] | null {
  if ("const" in schema) return [{ value: schema["const"], label: labelOf(schema["const"]) }];
  const fixed = listOf(schema["enum"]);
  if (fixed.length > 0) return fixed.map((value) => ({ value, label: labelOf(value) }));
  const variants = variantsOf(schema).map((variant) => resolved(variant, root));
  if (variants.length === 0 || !variants.every((variant) => "const" in variant)) return null;
  return variants.map((variant) => ({
    value: variant["const"],
    label: textIn(variant, "title") || labelOf(variant["const"]),
  }));
}

function labelOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The schema behind references, with "or null" taken away: an empty field says that. */
function resolved(given: unknown, root: Schema): Schema {
  let schema = objectOf(given);
  for (let steps = 0; steps < MAX_DEPTH; steps++) {
    const { $ref: reference, ...rest } = schema;
    const variants = variantsOf(schema).filter((variant) => objectOf(variant)["type"] !== "null");
    if (typeof reference === "string") schema = { ...at(root, reference), ...rest };
    else if (variants.length === 1) {
      const { anyOf: _any, oneOf: _one, ...own } = schema;
      schema = { ...objectOf(variants[0]), ...own };
    } else return schema;
  }
  return {};
}

function variantsOf(schema: Schema): readonly unknown[] {
  return [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
}

/** The part of the document that a reference such as `#/$defs/Address` names. */
function at(root: Schema, reference: string): Schema {
  if (!reference.startsWith("#")) return {};
  const steps = reference.slice(1).split("/").slice(1);
  return steps.reduce((part: Schema, step) => {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(part, name) ? objectOf(part[name]) : {};
  }, root);
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  const types = listOf(type).filter((one) => one !== "null");
  if (types.length === 1) return String(types[0]);
  return typeof type === "string" ? type : "properties" in schema ? "object" : "";
}

function objectOf(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textIn(schema: Schema, name: string): string {
  const value = schema[name];
  return typeof value === "string" ? value : "";
}

function numberIn(schema: Schema, name: string): number | null {
  const value = schema[name];
  return typeof value === "number" ? value : null;
}
