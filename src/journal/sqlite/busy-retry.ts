// Waits for another process that holds the store: a limited number of times, each reported.

import { classify } from "../../core/classify/classify.ts";
import { type FaultError, withContext } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import { isBusy, storeError } from "../store-errors.ts";
import type { OnWarning } from "../warnings.ts";

/** How long SQLite itself waits for a lock. It blocks the event loop meanwhile. */
export const BUSY_TIMEOUT_MS = 50;
const WAITS = 5;
const WAIT_STEP_MS = 25;

/** Runs `work` at once, and again while another process holds the store; then calls `done` or `reject`. `what` names the work in warnings. */
export type BusyRetry = <T>(
  what: string,
  work: () => T,
  done: (value: T) => void,
  reject: (error: FaultError) => void,
) => void;

export function createBusyRetry(clock: Clock, warn: OnWarning): BusyRetry {
  function attempt<T>(
    number: number,
    what: string,
    work: () => T,
    done: (value: T) => void,
    reject: (error: FaultError) => void,
  ): void {
    let value: T;
    try {
      value = work();
    } catch (error) {
      if (!isBusy(error) || number > WAITS) {
        reject(storeError(error, { attempts: number }));
        return;
      }
      const fault = withContext(classify({ surface: "store", error }), { attempts: number });
      warn(fault, `${what}; another process holds the journal, trying again`);
      clock.after(number * WAIT_STEP_MS, () => attempt(number + 1, what, work, done, reject));
      return;
    }
    done(value);
  }

  return (what, work, done, reject) => attempt(1, what, work, done, reject);
}

export function retryWhileBusy<T>(busyRetry: BusyRetry, what: string, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => busyRetry(what, work, resolve, reject));
}
