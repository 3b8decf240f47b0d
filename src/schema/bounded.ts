// Runs synchronous code that others have influenced, and ends it when its time is up. A schema can make a check endless in many ways:
// a pattern that backtracks (`^(a+)+$`), references that double at each level, `uniqueItems` over many objects. Looking for each of them
// would miss some, and a linear regular expression engine would refuse patterns that are harmless. A time limit covers all of them.
//
// It costs about 0.1 ms a call, because Node starts a watchdog thread for it.

import { createContext, Script } from "node:vm";
import { readField } from "../core/try-read.ts";

export class OutOfTime extends Error {}

const box = createContext({ work: (): void => undefined }) as { work: () => void };
const script = new Script("work()", { filename: "bounded-check" });

/** Throws OutOfTime after `limitMs`. What `work` throws is thrown on. */
export function boundedTime<T>(limitMs: number, work: () => T): T {
  let result: { readonly value: T } | undefined;
  box.work = () => void (result = { value: work() });
  try {
    script.runInContext(box, { timeout: limitMs });
  } catch (error) {
    const code = typeof error === "object" && error !== null ? readField(error, "code") : undefined;
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new OutOfTime(`was not done after ${limitMs} ms`) : error;
  } finally {
    box.work = () => undefined;
  }
  return (result as { readonly value: T }).value;
}
