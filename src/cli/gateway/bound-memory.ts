// Keeps a gateway's process small. A gateway within `faultline serve` leaves V8 as it is: the server has other work, too.
// B1  V8 lets the space for new objects grow to 64 MB. The calls of a gateway are short, so it does with less.
// B2  The compilers of V8 take memory for each function with all that they inline, and the process never gives it back. With less inlining a
//     warm gateway is as fast, and 30 MB smaller.
// B3  V8 lets the old space grow to several times what is alive there. A gateway keeps little for long, so a full collection is short.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Most objects of a call die in a space of this size. In a smaller one, V8 moves many to where only a full collection finds them. */
const ENOUGH_BYTES = 16 * 1_048_576;

const FLAGS = ["--no-maglev-inlining", "--max-inlined-bytecode-size-cumulative=460", "--heap-growing-percent=40"];

/** Call it before the gateway is loaded: V8 never makes the space smaller while a program is busy. */
export function boundMemory(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
  let growthFactor = 1;
  const follow = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    // After an idle time V8 makes the space smaller, and it has to grow again.
    const wanted = young === undefined || young.space_size >= ENOUGH_BYTES ? 1 : 2;
    if (wanted !== growthFactor) setFlagsFromString(`--semi-space-growth-factor=${(growthFactor = wanted)}`);
  };
  setFlagsFromString(`--semi-space-growth-factor=${growthFactor}`);
  new PerformanceObserver(follow).observe({ entryTypes: ["gc"] });
}
