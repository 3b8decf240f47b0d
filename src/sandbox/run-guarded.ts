// One piece of work in a context of its own, under all limits, with every way it can end turned into a value or a cause.

import type {
  Intrinsics,
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { readField, tryRead } from "../core/try-read.ts";
import { type Clock, steadyNow } from "../host/clock.ts";
import { hasGrown, memoryOf, type QuickJsEngine, startEvaluation } from "./engine.ts";
import { causeOf, type Phase, type SandboxCause } from "./failures.ts";
import type { Limits } from "./limits.ts";

export type GuardedResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly cause: SandboxCause };

/** A context, and everything taken out of it: a handle that is not given back keeps the context from being cleaned up. */
export interface Guest {
  readonly context: QuickJSContext;
  readonly keep: (handle: QuickJSHandle) => QuickJSHandle;
}

export type EngineResult =
  | { readonly value: QuickJSHandle; readonly error?: undefined }
  | { readonly error: QuickJSHandle };

/** No clock; no proxies, because a list must really be a list; no buffers, because shared ones can block. */
const TAKEN_AWAY: Intrinsics = { Date: false, Proxy: false, TypedArrays: false };

/** Work ends early by throwing one of these; it stays inside this folder. */
class Stop extends Error {
  readonly cause_: SandboxCause;
  constructor(cause: SandboxCause) {
    super(cause);
    this.cause_ = cause;
  }
}

export function stop(cause: SandboxCause): never {
  throw new Stop(cause);
}

export function runGuarded<T>(engine: QuickJsEngine, limits: Limits, work: (guest: Guest) => T): GuardedResult<T> {
  startEvaluation(engine, limits.memoryBytes);
  const watch = createWatch(limits.clock, limits.timeoutMs);
  const handles = engine.newScope();
  const opened: { runtime?: QuickJSRuntime; context?: QuickJSContext } = {};
  const ending = classifyEnding(() => {
    const runtime = (opened.runtime = engine.module.newRuntime());
    runtime.setMemoryLimit(limits.memoryBytes);
    runtime.setMaxStackSize(limits.stackBytes);
    const context = (opened.context = runtime.newContext({ intrinsics: { ...engine.allIntrinsics, ...TAKEN_AWAY } }));
    const pollSoon = createPolling(engine.module, context);
    runtime.setInterruptHandler(() => {
      pollSoon();
      return watch.isOver();
    });
    return work({ context, keep: (handle) => handles.manage(handle) });
  });
  if (ending.escaped) engine.isBroken = true;
  else {
    const isClean = tryRead((): boolean => {
      handles.dispose();
      opened.context?.dispose();
      opened.runtime?.dispose();
      return true;
    }, false);
    // The result is complete; only the engine's state is not clean.
    if (!isClean || hasGrown(engine)) engine.isBroken = true;
  }
  if (ending.ok) return { ok: true, value: ending.value };
  if (watch.wasOver()) return { ok: false, cause: "time" };
  return { ok: false, cause: engine.wasRefused ? "memory" : ending.cause };
}

type Ended<T> =
  | { readonly ok: true; readonly value: T; readonly escaped: false }
  | { readonly ok: false; readonly cause: SandboxCause; readonly escaped: boolean };

function classifyEnding<T>(work: () => T): Ended<T> {
  try {
    return { ok: true, value: work(), escaped: false };
  } catch (error) {
    return classifyEscape(error);
  }
}

/** The host's stack ends in native recursion the engine does not count; anything else is the engine giving up. */
function classifyEscape(error: unknown): Ended<never> {
  if (error instanceof Stop) return { ok: false, cause: error.cause_, escaped: false };
  return { ok: false, cause: error instanceof RangeError ? "stack" : "engine", escaped: true };
}

/** The value; throws the cause that the engine's error represents. */
export function taken(guest: Guest, result: EngineResult, phase: Phase): QuickJSHandle {
  if (result.error !== undefined) stop(causeOfThrown(guest, result.error, phase));
  return guest.keep(result.value);
}

/** The thrown value may be anything, and reading its fields may run code: that is bounded like the rest. */
export function causeOfThrown(guest: Guest, thrown: QuickJSHandle, phase: Phase): SandboxCause {
  guest.keep(thrown);
  return causeOf(textField(guest, thrown, "name"), textField(guest, thrown, "message"), phase);
}

function textField({ context, keep }: Guest, thrown: QuickJSHandle, field: string): string {
  if (context.typeof(thrown) !== "object" || context.eq(thrown, context.null)) return "";
  const handle = keep(context.getProp(thrown, field));
  return context.typeof(handle) === "string" ? context.getString(handle) : "";
}

interface Watch {
  isOver(): boolean;
  wasOver(): boolean;
}

function createWatch(clock: Clock, timeoutMs: number): Watch {
  const startedAt = steadyNow(clock);
  let over = false;
  return {
    isOver() {
      over ||= steadyNow(clock) - startedAt >= timeoutMs;
      return over;
    },
    wasOver: () => over,
  };
}

// Makes the engine look at the clock often. QuickJS asks its interrupt handler once in 10,000 calls or loop rounds, and a round may
// cost a millisecond (a stack overflow with its trace, a copy of a large text): then a limit of one second is found to be over after
// ten. The counter is a field of the engine's context, reset just before the handler is asked, so the handler can shorten it.

/** What the engine sets its counter to (JS_INTERRUPT_COUNTER_INIT). */
const ENGINE_ROUNDS = 10_000;
/** What we make of it: a look costs about as much as fifty empty rounds. */
const OUR_ROUNDS = 100;
/** The context's fields are looked through this far, in 32-bit words. */
const WORDS = 128;

/** The counter's offset in a context of this engine, in words; null when it was not found. */
const places = new WeakMap<QuickJSWASMModule, number | null>();

/** Call it only in the interrupt handler. Without the counter it does nothing: then the engine polls rarely. */
function createPolling(module: QuickJSWASMModule, context: QuickJSContext): () => void {
  const start = contextStart(context);
  if (start === null) return () => undefined;
  return () => {
    const words = new Int32Array(memoryOf(module).buffer, start, WORDS);
    let place = places.get(module);
    if (place === undefined) places.set(module, (place = findCounter(words)));
    // Only a counter that was set just now is touched, so a wrong guess could never write into anything else.
    if (place !== null && words[place] === ENGINE_ROUNDS) words[place] = OUR_ROUNDS;
  };
}

function findCounter(words: Int32Array): number | null {
  const first = words.indexOf(ENGINE_ROUNDS);
  return first !== -1 && first === words.lastIndexOf(ENGINE_ROUNDS) ? first : null;
}

/** The library keeps the address to itself, so it may be gone in another version. */
function contextStart(context: QuickJSContext): number | null {
  const lifetime = readField(context, "ctx");
  const start = typeof lifetime === "object" && lifetime !== null ? readField(lifetime, "value") : null;
  return typeof start === "number" && start > 0 && start % 4 === 0 ? start : null;
}
