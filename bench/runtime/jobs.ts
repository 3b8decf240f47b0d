// What a subject's process is asked to do, and what it answers. Both ends of the pipe share these types.

/** What the protected work does. */
export type Path =
  | "success" //       returns at once
  | "same-error" //    throws one and the same Error twice, then returns
  | "unlike-errors" // throws twice, never the same message twice in a row, then returns
  | "fresh-errors" //  throws a new Error twice, then returns
  | "refused" //       the breaker is open, the work is never run
  | "mixed"; //        returns, but fails twice in one call of a thousand

export type Job =
  /** Does it protect calls at all? */
  | { readonly kind: "check" }
  /** Makes `calls` calls, one after the other. */
  | { readonly kind: "time"; readonly path: Path; readonly calls: number }
  /** Starts `calls` calls that all wait, `batches` times. */
  | { readonly kind: "launch"; readonly calls: number; readonly batches: number }
  /** Makes `calls` calls, then measures the heap after garbage collection. */
  | { readonly kind: "heap"; readonly calls: number };

export interface Replies {
  readonly check: { readonly problems: readonly string[] };
  readonly time: { readonly cpuMicros: number };
  readonly launch: {
    /** Of the launch alone, for one batch: the median. */
    readonly cpuMicros: number;
    /** Heap added by the calls in flight, of the last batch. */
    readonly heldBytes: number;
    /** Heap still held when all had ended, of the last batch. */
    readonly leftBytes: number;
  };
  readonly heap: { readonly bytes: number };
}

export type Reply =
  | { readonly ok: true; readonly value: Replies[keyof Replies] }
  | { readonly ok: false; readonly message: string };

export type JobKind = Job["kind"];
export type JobOf<K extends JobKind> = Extract<Job, { kind: K }>;
