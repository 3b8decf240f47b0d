// A JSON Schema in the form that the AI SDK takes. The AI SDK is not imported: it recognises its schemas by a symbol.

const AI_SCHEMA = Symbol.for("vercel.ai.schema");

/**
 * Without a validator: our own check runs before the tool, and the model reads its fault. `never` is assignable to the AI SDK's own
 * type, which contains a private symbol and cannot be written without importing it.
 */
export function aiSchema(jsonSchema: Readonly<Record<string, unknown>>): never {
  return { [AI_SCHEMA]: true, _type: undefined, jsonSchema, validate: undefined } as never;
}
