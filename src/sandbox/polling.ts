// Makes the engine look at the clock often. QuickJS asks its interrupt handler once in 10,000 calls or loop rounds, and a round may
// cost a millisecond (a stack overflow with its trace, a copy of a large text): then a limit of one second is found to be over after
// ten. The counter is a field of the engine's context, reset just before the handler is asked, so the handler can shorten it.

import type { QuickJSContext, QuickJSWASMModule } from "quickjs-emscripten-core";
import { readField } from "../core/try-read.ts";
import { memoryOf } from "./engine.ts";

/** What the engine sets its counter to (JS_INTERRUPT_COUNTER_INIT). */
const ENGINE_ROUNDS = 10_000;
/** What we make of it: a look costs about as much as fifty empty rounds. */
const OUR_ROUNDS = 100;
/** The context's fields are looked through this far, in 32-bit words. */
const WORDS = 128;

/** The counter's offset in a context of this engine, in words; null when it was not found. */
const places = new WeakMap<QuickJSWASMModule, number | null>();

/** To be called in the interrupt handler, and nowhere else. Without the counter it does nothing: the engine looks, but seldom. */
export function createPolling(module: QuickJSWASMModule, context: QuickJSContext): () => void {
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
