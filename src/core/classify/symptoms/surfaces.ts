// Surfaces that say by themselves what went wrong, once nothing stronger has.

import type { RuleGroup } from "../rule.ts";

/** Whatever the disk, the lock or the driver says: what the session needs to know is that its store is not there. */
// prettier-ignore
export const STORE: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "surface/store", when: { surface: ["store"] }, means: "StoreUnavailable", example: { surface: "store", error: { code: "SQLITE_BUSY", message: "database is locked" } } },
  ],
};

/** A validator rejected an output. Its messages quote the output, so they are not read for words. */
// prettier-ignore
export const SCHEMA: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "surface/schema-empty", when: { surface: ["schema"], emptyBody: true }, means: "EmptyOutput", example: { surface: "schema", body: "" } },
    { id: "surface/schema", when: { surface: ["schema"] }, means: "SchemaInvalid", example: { surface: "schema", error: { name: "ZodError", message: "[{\"code\":\"invalid_type\",\"expected\":\"string\",\"path\":[\"decision\"]}]" } } },
  ],
};
