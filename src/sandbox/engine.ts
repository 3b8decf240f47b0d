// QuickJS as WebAssembly, loaded on first use and kept for the process. The package with the WebAssembly inside its JavaScript is
// used, because a bundler leaves a separate .wasm file behind. These hold:
// E1  an engine that an exception of the host tore through, or that could not clean up, is never used again: the next use loads a new one.
// E2  the memory of an engine never grows beyond what the running evaluation may use: QuickJS's own limit sees single allocations only.
// E3  memory never shrinks, so an engine that grew is not used again: the next evaluation would have what it was not given.

import type { Intrinsics, QuickJSWASMModule, Scope } from "quickjs-emscripten-core";
import { fault, FaultError } from "../core/index.ts";
import { lazyPart } from "../host/lazy-part.ts";

export interface QuickJsEngine {
  readonly module: QuickJSWASMModule;
  /** Holds handles until they are given back together. */
  readonly newScope: () => Scope;
  /** What the language has of its own when nothing is taken away. */
  readonly allIntrinsics: Intrinsics;
  /** How large its memory may become, all included. */
  capBytes: number;
  /** Whether growth was refused since this was last set to false. */
  wasRefused: boolean;
  isBroken: boolean;
}

/** What the engine starts with; less cannot be asked for. */
export const MIN_MEMORY_BYTES = 16 * 2 ** 20;
const PAGE_BYTES = 65_536;

/** The part of WebAssembly.Memory that is used here. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

let loading: Promise<QuickJsEngine> | null = null;

export async function sharedEngine(): Promise<QuickJsEngine> {
  for (;;) {
    const current = (loading ??= lazyPart(load)());
    const engine = await current;
    if (!engine.isBroken) return engine;
    // Another caller that waited may have replaced it already.
    if (loading === current) loading = null;
  }
}

async function load(): Promise<QuickJsEngine> {
  try {
    const [{ default: variant }, quickJs] = await Promise.all([
      import("@jitl/quickjs-singlefile-mjs-release-sync"),
      import("quickjs-emscripten-core"),
    ]);
    // The engine would print when it gives up; we report instead.
    const silent = quickJs.newVariant(variant, { emscriptenModule: { print: drop, printErr: drop } as object });
    return withCap({
      module: await quickJs.newQuickJSWASMModuleFromVariant(silent),
      newScope: () => new quickJs.Scope(),
      allIntrinsics: quickJs.DefaultIntrinsics,
      capBytes: MIN_MEMORY_BYTES,
      wasRefused: false,
      isBroken: false,
    });
  } catch (error) {
    loading = null;
    const message = "the engine for expressions could not be loaded. Reinstall the package with its dependencies.";
    throw new FaultError(fault("DependencyMissing", { message }), { cause: error });
  }
}

function drop(): void {
  // Nothing to tell: what matters arrives as an exception.
}

/** The engine asks this object for memory, and takes an exception for "there is none". */
function withCap(engine: QuickJsEngine): QuickJsEngine {
  const memory = memoryOf(engine.module);
  const grow = memory.grow.bind(memory);
  Object.defineProperty(memory, "grow", {
    value: (pages: number) => {
      if (memory.buffer.byteLength + pages * PAGE_BYTES > engine.capBytes) {
        engine.wasRefused = true;
        throw new RangeError("the memory of the sandbox is used up");
      }
      return grow(pages);
    },
  });
  return engine;
}

export function startEvaluation(engine: QuickJsEngine, memoryBytes: number): void {
  engine.capBytes = memoryBytes;
  engine.wasRefused = false;
}

export function hasGrown(engine: QuickJsEngine): boolean {
  return memoryOf(engine.module).buffer.byteLength > MIN_MEMORY_BYTES;
}

export function memoryOf(module: QuickJSWASMModule): WasmMemory {
  const memory: unknown = module.getWasmMemory();
  return memory as WasmMemory;
}
