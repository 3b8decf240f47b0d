// Reads of parsed JSON whose shape nobody promised: each gives the wanted kind of value or an empty one, and none throws.

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; whatever else is in it is passed over. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return listOf(value)
    .map(objectOf)
    .filter((item) => item !== null);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A count as CLIs give it; anything else is nothing. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** An HTTP status of a failure; exit codes stand in the same fields and are none. */
export function statusOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 400 && value <= 599 ? value : null;
}
