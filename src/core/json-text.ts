// JSON whose text is safe to print: control characters, and characters that reverse or hide text, are escaped.

/** Control characters except tab and line break, and characters that reverse or hide text. */
export const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Escapes JSON that is already text. */
export function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** JSON in which control characters are escaped, so that a terminal does not obey them. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value));
}
