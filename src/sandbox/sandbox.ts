// Conditions, transforms and asserts of workflows: JavaScript that sees the values it is given and nothing else. No clock, no chance,
// no input or output; bounded in time, memory, depth and result; every evaluation in a new context.

import type { QuickJSHandle } from "quickjs-emscripten-core";
import { tryRead } from "../core/try-read.ts";
import { type QuickJsEngine, sharedEngine } from "./engine.ts";
import { type SandboxCause, sandboxError } from "./failures.ts";
import { type Limits, resolveLimits, type SandboxOptions } from "./limits.ts";
import { PRELUDE } from "./prelude.ts";
import {
  causeOfThrown,
  type EngineResult,
  type GuardedResult,
  type Guest,
  runGuarded,
  stop,
  taken,
} from "./run-guarded.ts";

export type { SandboxCause } from "./failures.ts";
export type { SandboxOptions } from "./limits.ts";

export type SandboxScope = Readonly<Record<string, unknown>>;

export interface Sandbox {
  /**
   * The value of an expression, or of a body with `return`. Each key of `scope` is a name it can use; what is handed in goes through
   * JSON and cannot be changed. `what` says in failures what was evaluated, e.g. "the condition of node check".
   * Throws a FaultError: SandboxTimeout when it took too long, SandboxFailed for everything else.
   */
  evaluate(expression: string, scope: SandboxScope, what: string): Promise<unknown>;
}

export type ExpressionCheck = { readonly ok: true } | { readonly ok: false; readonly cause: SandboxCause };

/** Longer texts are programs, not conditions; and the parser's time and depth are not bounded otherwise. */
const LONGEST_EXPRESSION = 64 * 1024;

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = resolveLimits(options);
  return {
    async evaluate(expression, scope, what) {
      const text = jsonOf(scope);
      if (text === undefined) throw sandboxError("scope", what);
      const ending = evaluateIn(await sharedEngine(), limits, expression, text);
      if (!ending.ok) throw sandboxError(ending.cause, what);
      return ending.value;
    },
  };
}

/** Compiles without running. */
export async function checkExpression(expression: string): Promise<ExpressionCheck> {
  const ending = runGuarded(await sharedEngine(), resolveLimits({}), (guest) => formOf(guest, expression));
  return ending.ok ? { ok: true } : { ok: false, cause: ending.cause };
}

/** The whole of an evaluation, at once; `scopeText` is a JSON object. */
function evaluateIn(
  engine: QuickJsEngine,
  limits: Limits,
  expression: string,
  scopeText: string,
): GuardedResult<unknown> {
  // It lies in the engine's memory as text and as values, and would not fit.
  if (scopeText.length > limits.memoryBytes / 2) return { ok: false, cause: "memory" };
  return runGuarded(engine, limits, (guest) => {
    const form = formOf(guest, expression);
    const prelude = taken(guest, compiled(guest, PRELUDE, "run"), "run");
    handIn(guest, prelude, scopeText);
    const program = taken(guest, compiled(guest, form.program(expression), "run"), "compile");
    const { context } = guest;
    const written = taken(guest, call(guest, prelude, "run", program), "run");
    if (context.typeof(written) !== "string") stop("result");
    const text = context.getString(written);
    if (Buffer.byteLength(text) > limits.resultBytes) stop("size");
    return JSON.parse(text) as unknown;
  });
}

function jsonOf(scope: SandboxScope): string | undefined {
  return tryRead(() => JSON.stringify(scope) as string | undefined, undefined);
}

/** What the expression is; ends the work when it is neither. */
function formOf(guest: Guest, expression: string): Form {
  if (expression.length > LONGEST_EXPRESSION || !expression.isWellFormed()) stop("syntax");
  if (BIG_INTEGER.test(expression)) stop("syntax");
  const form = FORMS.find(
    ({ needs, proofs }) => needs.test(expression) && proofs.every((proof) => compiles(guest, proof(expression))),
  );
  return form ?? stop("syntax");
}

/** A syntax error is an answer; that the parser ran out of stack or memory is not. */
function compiles(guest: Guest, text: string): boolean {
  const result = compiled(guest, text, "compile");
  if (result.error === undefined) {
    guest.keep(result.value);
    return true;
  }
  const cause = causeOfThrown(guest, result.error, "compile");
  if (cause !== "syntax") stop(cause);
  return false;
}

function compiled({ context }: Guest, text: string, phase: "compile" | "run"): EngineResult {
  return context.evalCode(text, "expression", { strict: true, strip: true, compileOnly: phase === "compile" });
}

/** Except for memory and depth, a failure here is about the values: for example, a name that the language reserves. */
function handIn(guest: Guest, prelude: QuickJSHandle, scopeText: string): void {
  const result = call(guest, prelude, "handIn", guest.keep(guest.context.newString(scopeText)));
  if (result.error === undefined) return void guest.keep(result.value);
  const cause = causeOfThrown(guest, result.error, "run");
  stop(cause === "type" ? "scope" : cause);
}

function call({ context, keep }: Guest, home: QuickJSHandle, name: string, argument: QuickJSHandle): EngineResult {
  return context.callFunction(keep(context.getProp(home, name)), context.undefined, argument);
}

// The texts around an expression: those it must fit into to count as one, and the one it is run in.

export interface Form {
  /** Fits only when the text is whole in itself: a text that closes one of these early cannot close the other. */
  readonly proofs: readonly ((text: string) => string)[];
  /** What the text must hold, so that an empty one is refused when it is checked and not when it runs. */
  readonly needs: RegExp;
  /** Gives a function that has not run yet. */
  readonly program: (text: string) => string;
}

// The line break ends a trailing comment.
const inParentheses = (text: string): string => `(${text}\n)`;
const inBrackets = (text: string): string => `[${text}\n]`;
// After the body of an arrow function only `)` or `,` may follow, and neither may follow the body of a method.
const asArrowBody = (text: string): string => `(() => {${text}\n})`;
const asMethodBody = (text: string): string => `(class { m() {${text}\n} })`;

/** Tried in this order. `return` alone makes no expression, so nothing is both unless it means the same. */
const FORMS: readonly Form[] = [
  { proofs: [inParentheses, inBrackets], needs: /\S/, program: (text) => `(() => (${text}\n))` },
  { proofs: [asArrowBody, asMethodBody], needs: /\b(?:return|throw)\b/, program: asArrowBody },
];

/**
 * Big integers: one operation on them can take seconds, and the engine cannot be interrupted in it. With their constructor gone a
 * literal is the only way to get one. A text that holds such a literal, like "5n", is refused with it.
 */
const BIG_INTEGER = /(?<![\w$])(?:0[xob][\da-f_]+|\d[\d_]*)n(?![\w$])/i;
