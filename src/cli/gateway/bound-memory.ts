// Keeps a gateway's process small. A gateway within `faultline serve` leaves V8 as it is: the server has other work, too.
// B1  V8 lets the space for new objects grow to 64 MB. The calls of a gateway are short, so it needs less: 16 MB, and more only when
//     many calls are open at once.
// B2  V8 lets the old space grow to several times what is alive there. A gateway keeps little for long, so a full collection is short.
// B3  V8 wakes several threads to collect new objects. Few of a gateway's objects are alive then, so that one thread has copied them before the
//     others have found their work.
// B4  V8 optimizes functions on several threads. The compiler's memory stays with the allocator of each thread, up to 40 MB in all. One thread
//     gives it back after each function. Maglev, the quick compiler, always has threads of its own, so the gateway does without it: it takes
//     a few seconds of CPU time longer to become fast, and is as fast then.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const ENOUGH_BYTES = 16 * 1_048_576;
/**
 * Room for the objects of an open connection, of which a call has two. With less, V8 moves objects of calls that are still open to where only
 * a full collection finds them.
 */
const CONNECTION_BYTES = 64 * 1024;

/** Call it before the gateway is loaded: V8 never makes the space smaller while a program is busy. */
export function boundMemory(): void {
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--no-concurrent-recompilation");
  setFlagsFromString("--no-maglev");
  let growthFactor = 1;
  const follow = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    const enough = Math.max(ENOUGH_BYTES, process.getActiveResourcesInfo().length * CONNECTION_BYTES);
    // After an idle time V8 makes the space smaller, and it has to grow again.
    const wanted = young === undefined || young.space_size >= enough ? 1 : 2;
    if (wanted !== growthFactor) setFlagsFromString(`--semi-space-growth-factor=${(growthFactor = wanted)}`);
  };
  setFlagsFromString(`--semi-space-growth-factor=${growthFactor}`);
  new PerformanceObserver(follow).observe({ entryTypes: ["gc"] });
}
