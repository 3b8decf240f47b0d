// A request with an `Idempotency-Key` is carried out once: a client that got no answer sends it again and gets the first answer.
// I1  The key is taken in the journal before the work begins, by one process only.
// I2  The same key with another request is refused.
// I3  A key whose process has died is taken over, by one request only.
// I4  What the work is about to do is in the journal before it is done, under a key that the library carries out once. A request that
//     takes the key over repeats that same work, and no other.

import { defined } from "../core/defined.ts";
import { createHash } from "node:crypto";
import type { Clock } from "../host/clock.ts";
import type { Worker } from "../host/worker.ts";
import type { Journal } from "../journal/journal.ts";
import { Refused } from "./problems.ts";

export interface KeyedRequest {
  /** Who sent it, and where to. */
  readonly scope: string;
  readonly key: string;
  /** Everything that makes two requests the same. */
  readonly content: string;
}

interface KeptRequest {
  readonly at: number;
  readonly digest: string;
  /** The process that does it; null when it is done. */
  readonly worker: string | null;
  readonly status: number;
  readonly body: unknown;
  /** What it is about to do; absent until the handler calls `intend`. */
  readonly intent?: { readonly value: unknown };
}

/** Returns what the work is about to do: the intent that an earlier try of the same request recorded, else the result of `make`. */
export type Intend = <T>(make: () => Promise<T>) => Promise<T>;
/** For a request without a key: nothing is recorded. */
export const intendOnce: Intend = (make) => make();

export interface IdempotencyParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly worker: Worker;
}

const MAX_KEY = 200;

/** `work` returns the answer. Repeated requests get the same answer. */
export async function onceFor<T>(
  { journal, clock, worker }: IdempotencyParts,
  { scope, key: given, content }: KeyedRequest,
  work: (intend: Intend) => Promise<T>,
): Promise<{ readonly body: T; readonly isReplayed: boolean }> {
  if (given.length > MAX_KEY) throw new Refused("bad-request");
  const key = `${scope}/${digestOf(given)}`;
  const digest = digestOf(content);
  let running: KeptRequest = { at: clock.now(), digest, worker: worker.name, status: 0, body: null };
  if (!(await journal.keepFirst({ kind: "request", key, value: running }))) {
    const before = await takeOver(journal, key, running, (other) => worker.isGone(other));
    if (before !== null && before.digest !== digest) throw new Refused("key-reused");
    if (before?.worker === null) return { body: before.body as T, isReplayed: true };
    if (before !== null && !worker.isGone(before.worker)) {
      throw new Refused("in-progress", { headers: { "retry-after": "1" } });
    }
    running = { ...running, ...(before?.intent === undefined ? {} : { intent: before.intent }) };
  }
  const intend: Intend = async <Value>(make: () => Promise<Value>): Promise<Value> => {
    if (running.intent === undefined) {
      running = { ...running, intent: { value: await make() } };
      await journal.keep([{ kind: "request", key, value: running }]);
    }
    return running.intent?.value as Value;
  };
  try {
    const body = await work(intend);
    await journal.keep([{ kind: "request", key, value: { ...running, worker: null, status: 200, body } }]);
    return { body, isReplayed: false };
  } catch (error) {
    // A refused request may be sent again with the same key once the client has corrected it.
    await journal.keep([{ kind: "request", key, value: null }]);
    throw error;
  }
}

/** Takes the key over from a process that is gone, in one step. Returns what was there before. */
async function takeOver(
  journal: Journal,
  key: string,
  mine: KeptRequest,
  isGone: (worker: string) => boolean,
): Promise<KeptRequest | null> {
  let before: KeptRequest | null = null;
  await journal.changeKept("request", key, (there) => {
    before = there as KeptRequest | null;
    if (before === null) return mine;
    const { worker, digest, intent } = before;
    const isFree = worker !== null && isGone(worker) && digest === mine.digest;
    return isFree ? { ...mine, ...defined({ intent }) } : there;
  });
  return before;
}

/** Keys come from clients. A digest has no slashes and a fixed length. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
