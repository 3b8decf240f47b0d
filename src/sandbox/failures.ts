// Why an expression gave no value, as a table, and the fault made of it. Nothing an expression says or reads gets in here: a cause
// is one of our own words, so that neither source, names, values nor thrown texts can leave through a message.

import { fault, type FaultCode, FaultError } from "../core/index.ts";

export const SANDBOX_CAUSES = [
  "syntax",
  "name",
  "type",
  "thrown",
  "result",
  "size",
  "scope",
  "memory",
  "stack",
  "engine",
  "time",
] as const;
export type SandboxCause = (typeof SANDBOX_CAUSES)[number];

interface CauseRow {
  readonly code: FaultCode;
  readonly why: string;
  readonly next: string;
}

/** Only time may be different on another try; everything else would come out the same. */
export const CAUSES: Readonly<Record<SandboxCause, CauseRow>> = {
  syntax: {
    code: "SandboxFailed",
    why: "it is neither a JavaScript expression nor a body with a return",
    next: "Correct how it is written; big integers such as 5n may not be in it, not even in a text.",
  },
  name: {
    code: "SandboxFailed",
    why: "it used a name that does not exist",
    next: "An expression sees only the values that the workflow passes in. It has no clock, no random numbers and no input or output.",
  },
  type: {
    code: "SandboxFailed",
    why: "it used a value in a way its type does not allow",
    next: "Look for a missing value, or for a change to one that was handed in: those cannot be changed.",
  },
  thrown: { code: "SandboxFailed", why: "it threw an error", next: "Run it by hand against the same values." },
  result: {
    code: "SandboxFailed",
    why: "it gave nothing that has a JSON form",
    next: "Return text, a finite number, true, false, null, or lists and plain objects of these.",
  },
  size: { code: "SandboxFailed", why: "its result is too large", next: "Return only what is needed further on." },
  scope: {
    code: "SandboxFailed",
    why: "the values handed to it have no JSON form",
    next: "Hand in plain data, under names the language does not use itself.",
  },
  memory: { code: "SandboxFailed", why: "it needed more memory than it may use", next: "Let it work on less." },
  stack: { code: "SandboxFailed", why: "it went too deep", next: "Look for endless recursion or very deep nesting." },
  engine: { code: "SandboxFailed", why: "it broke the engine that runs it", next: "Write it in a simpler way." },
  time: { code: "SandboxTimeout", why: "it took too long", next: "Look for an endless loop, or let it work on less." },
};

/** An expression runs only when it compiled, so the same error means something else before and after. */
export type Phase = "compile" | "run";

interface ErrorRow {
  readonly name: string;
  readonly message?: string;
  readonly phase?: Phase;
  readonly cause: SandboxCause;
  /** An expression that really ends so. */
  readonly example: string;
}

/** QuickJS's errors and our names for them. First match wins; any other error was thrown by the expression. */
export const ENGINE_ERRORS: readonly ErrorRow[] = [
  { name: "SyntaxError", phase: "compile", cause: "syntax", example: "1 +" },
  { name: "ReferenceError", cause: "name", example: "nowhere" },
  { name: "TypeError", cause: "type", example: "null.field" },
  { name: "InternalError", message: "out of memory", cause: "memory", example: '"x".repeat(1e9)' },
  {
    name: "InternalError",
    message: "string too long",
    cause: "memory",
    example: 'let s = "x"; while (true) s += s; return s',
  },
  {
    name: "InternalError",
    message: "stack overflow",
    cause: "stack",
    example: "(function deeper() { return deeper() })()",
  },
  // The text is not JSON, or not a valid pattern: the expression itself is well formed.
  { name: "SyntaxError", phase: "run", cause: "thrown", example: 'JSON.parse("{")' },
  { name: "RangeError", cause: "thrown", example: '"x".repeat(-1)' },
];

export function causeOf(name: string, message: string, phase: Phase): SandboxCause {
  const row = ENGINE_ERRORS.find(
    (one) =>
      one.name === name &&
      (one.message === undefined || one.message === message) &&
      (one.phase === undefined || one.phase === phase),
  );
  return row?.cause ?? "thrown";
}

/** `what` is the caller's own description of the place, e.g. "the condition of node check". */
export function sandboxError(cause: SandboxCause, what: string): FaultError {
  const { code, why, next } = CAUSES[cause];
  return new FaultError(
    fault(code, { message: `${what} could not be evaluated: ${why}. ${next}`, context: { where: what, cause } }),
  );
}
