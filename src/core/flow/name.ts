// The names a program gives to sessions, turns, calls, steps, workflows and stages. They become keys, files and lines on a screen,
// so they are short and have neither slashes nor invisible characters. The journal stores them as UTF-8, so they are well-formed.

import { fault, type Fault } from "../fault/fault.ts";

const MAX_CHARS = 200;
const MAX_SHOWN_CHARS = 40;

/** null when it can be used. */
export function nameFault(
  kind: "session" | "turn" | "call" | "step" | "workflow" | "stage",
  name: unknown,
): Fault | null {
  const why = problemOf(name);
  if (why === null) return null;
  return fault("ShapeInvalid", { message: `the name of a ${kind} ${why}`, context: { field: "id" } });
}

function problemOf(name: unknown): string | null {
  if (typeof name !== "string") return `must be a string, not ${name === null ? "null" : typeof name}`;
  if (name.trim() === "") return "must not be empty";
  if (name.length > MAX_CHARS) return `must have at most ${MAX_CHARS} characters; this one has ${name.length}`;
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN_CHARS).replace(/\p{Cc}/gu, "?"));
  if (/[/\p{Cc}\u2028\u2029]/u.test(name)) return `must not contain a slash or a control character: ${shown}`;
  return name.isWellFormed() ? null : `must be well-formed Unicode: ${shown}`;
}
