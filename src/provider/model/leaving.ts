// Giving an upstream up, at whatever point it is: before it has begun to answer, or while a read of it hangs.

import type { Fault } from "../../core/fault/fault.ts";
import { isA } from "../../core/try-read.ts";

const nothing = (): void => undefined;

export class UpstreamAbort<Answer> {
  private readonly stop = new AbortController();
  private reject: (reason: unknown) => void = nothing;
  /** Told when it is given up. */
  whenLeft: (reason: Error) => void = nothing;
  /** Why the clock gave it up; null when it did not. */
  late: Fault | null = null;
  error: Error | null = null;

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** What it answers, unless it is given up first. */
  orLeave(answer: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      answer.then(resolve, reject);
    });
  }

  leave(late: Fault | null, reason: unknown): void {
    if (this.stop.signal.aborted) return;
    this.late = late;
    this.error = isA(reason, Error) ? reason : new Error("given up", { cause: reason });
    this.stop.abort(reason);
    this.reject(reason);
    this.whenLeft(this.error);
  }
}
