// The same request with the same `Idempotency-Key` is done once: a client that got no answer sends it again and gets the first one's.
// I1  The key is taken in the journal before the work begins, by one process only.
// I2  The same key with another request is refused.
// I3  A key whose process has died is taken over: the library's own keys keep the work from being done twice.

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
}

export interface IdempotencyParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly worker: Worker;
}

const MAX_KEY = 200;

/** `work` returns what is answered. Repeated requests get it again. */
export async function onceFor<T>(
  { journal, clock, worker }: IdempotencyParts,
  { scope, key: given, content }: KeyedRequest,
  work: () => Promise<T>,
): Promise<{ readonly body: T; readonly isReplayed: boolean }> {
  if (given.length > MAX_KEY) throw new Refused("bad-request");
  const key = `${scope}/${digestOf(given)}`;
  const digest = digestOf(content);
  const running: KeptRequest = { at: clock.now(), digest, worker: worker.name, status: 0, body: null };
  const isFirst = await journal.keepFirst({ kind: "request", key, value: running });
  if (!isFirst) {
    const before = (await journal.kept("request", key)) as KeptRequest | null;
    if (before !== null && before.digest !== digest) throw new Refused("key-reused");
    if (before?.worker === null) return { body: before.body as T, isReplayed: true };
    if (before !== null && !worker.isGone(before.worker)) {
      throw new Refused("in-progress", { headers: { "retry-after": "1" } });
    }
    await journal.keep([{ kind: "request", key, value: running }]);
  }
  try {
    const body = await work();
    await journal.keep([{ kind: "request", key, value: { ...running, worker: null, status: 200, body } }]);
    return { body, isReplayed: false };
  } catch (error) {
    // What was refused may be sent again once it is put right.
    await journal.keep([{ kind: "request", key, value: null }]);
    throw error;
  }
}

/** Keys come from outside; a digest has no slashes and no endless length. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
