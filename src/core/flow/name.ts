// The names a program gives to sessions, turns, calls and steps. They become keys, files and lines on a screen, so they have
// neither slashes nor signs that cannot be seen, and they are not endless.

import { fault, type Fault } from "../fault/fault.ts";

const MAX_CHARS = 200;
const UNFIT = /[/\p{Cc}\u2028\u2029]/u;

/** null when it can be used. */
export function nameFault(kind: "session" | "turn" | "call" | "step", name: unknown): Fault | null {
  const why =
    typeof name !== "string" || name.trim() === ""
      ? "is empty"
      : name.length > MAX_CHARS
        ? `is longer than ${MAX_CHARS} characters`
        : UNFIT.test(name)
          ? "has a slash or a control character in it"
          : null;
  if (why === null) return null;
  const shown = typeof name === "string" ? name.slice(0, 40).replace(/\p{Cc}/gu, "?") : String(name);
  return fault("ShapeInvalid", {
    message: `the name of a ${kind} ${why}: ${JSON.stringify(shown)}; choose another`,
    context: { field: "id" },
  });
}
