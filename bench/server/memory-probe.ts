// Loaded into the server's process by the benchmark: collects garbage and tells what is left, whenever it is asked.

import { writeHeapSnapshot } from "node:v8";

/** In megabytes, after a garbage collection. */
export interface MemoryLeft {
  readonly heap: number;
  /** Buffers outside the heap. */
  readonly external: number;
  /** What the operating system counts. */
  readonly resident: number;
}

process.on("message", (asked) => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const left: MemoryLeft = { heap: megabytes(heapUsed), external: megabytes(external), resident: megabytes(rss) };
  // A path: the whole heap is written there too, to be compared with an earlier one.
  if (typeof asked === "string" && asked !== "") writeHeapSnapshot(asked);
  process.send?.(left);
});
// Asking must not keep the server alive.
process.channel?.unref();

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
