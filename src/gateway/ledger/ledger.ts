// What went through the gateway: one line for each call, with what was decided about it and what it cost. No prompt and no answer.
// L1  Lines are written in pages, a few times a second: a durable write for each call would cost more than the call.
// L2  What a key has spent is added to what other processes have written, so that all of them share one budget. When a call begins, the
//     figure of the others is at most a second old. Near a limit it is read before each call, and written after each.

import type { JournalEvent } from "../../core/record/event.ts";
import { classify } from "../../core/classify/classify.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { countOf, objectOf } from "../../core/json-fields.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import type { Journal, NewEntry } from "../../journal/journal.ts";
import { type KeyAccount, WINDOW_NAMES, windowStart } from "../key/key-account.ts";
import type { LedgerDecision, LedgerLine, LedgerPage } from "./ledger-line.ts";
import { FailedCalls } from "./failed-calls.ts";
import { addUsage } from "./usage.ts";

interface LedgerDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  readonly suppress: (fault: Fault, reason: string) => void;
}

const FLUSH_MS = 250;
/** How long to wait after a failed write. */
const RETRY_MS = 2_000;
/** How long the figure of other processes' spending stays valid. */
const FRESH_MS = 1_000;
const MOST_LINES = 1_000;

export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #failed: FailedCalls;
  #lines: LedgerLine[] = [];
  readonly #spenders = new Set<KeyAccount>();
  /** When the spending of an account was last read or written, in steady time. */
  readonly #knownAt = new WeakMap<KeyAccount, number>();
  readonly #loading = new Map<KeyAccount, Promise<void>>();
  #disarm: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  #pages = 0;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#failed = new FailedCalls(deps.journal, deps.owner);
  }

  /** `entries`: what happened in the call. */
  add(line: LedgerLine, account: KeyAccount, entries: readonly NewEntry[] = []): void {
    this.#lines.push(line);
    this.#failed.add(entries);
    if (line.microcents > 0) this.#spenders.add(account);
    if (this.#lines.length >= MOST_LINES || (account.isBounded && account.isNearLimit)) void this.flush();
    else this.#disarm ??= this.#deps.clock.after(FLUSH_MS, () => void this.flush());
  }

  /** Resolves when everything so far is on disk. */
  flush(): Promise<void> {
    this.#disarm?.();
    this.#disarm = null;
    const lines = this.#lines;
    const spenders = [...this.#spenders];
    this.#lines = [];
    this.#spenders.clear();
    if (lines.length > 0 || spenders.length > 0) this.#writing = this.#writing.then(() => this.#write(lines, spenders));
    return this.#writing;
  }

  /** Reads what all processes have spent on an account that has a limit. null: the last figure is fresh enough. */
  refresh(account: KeyAccount): Promise<void> | null {
    const knownMs = steadyNow(this.#deps.clock) - (this.#knownAt.get(account) ?? -Infinity);
    return knownMs < FRESH_MS && !account.isNearLimit ? null : this.#read(account);
  }

  async #read(account: KeyAccount): Promise<void> {
    // Calls that begin while it is read share the answer.
    const loading = this.#loading.get(account) ?? this.load(account).finally(() => this.#loading.delete(account));
    this.#loading.set(account, loading);
    try {
      await loading;
    } catch (error) {
      this.#suppress(error, "the gateway continues with what it knows of this client's spending");
    }
  }

  /** Reads what a key has spent in the windows that are open now. */
  async load(account: KeyAccount): Promise<void> {
    const now = this.#deps.clock.now();
    this.#knownAt.set(account, steadyNow(this.#deps.clock));
    for (const name of WINDOW_NAMES) {
      const start = windowStart(name, now);
      const kept = await this.#deps.journal.kept("spend", spendKey(account.name, name, start));
      account.learn(name, start, spentIn(kept));
    }
  }

  async #write(lines: readonly LedgerLine[], spenders: readonly KeyAccount[]): Promise<void> {
    // Started together, they share one commit. We wait for all of them, so that no write overlaps with its own retry.
    const [written, failed, ...added] = await Promise.allSettled([
      this.#addLines(lines),
      this.#failed.write(this.#deps.clock.now()),
      ...spenders.map((account) => this.#addSpending(account)),
    ]);
    if (written.status === "rejected")
      this.#suppress(written.reason, "the gateway continues without these lines in its ledger");
    if (failed.status === "rejected")
      this.#suppress(failed.reason, "the gateway continues without these failures in the journal's index");
    const [lost] = added.filter((one) => one.status === "rejected");
    if (lost === undefined) return;
    spenders.forEach((account, index) => added[index]?.status === "rejected" && this.#spenders.add(account));
    this.#disarm ??= this.#deps.clock.after(RETRY_MS, () => void this.flush());
    this.#suppress(lost.reason, "the gateway writes what clients have spent again soon");
  }

  async #addLines(lines: readonly LedgerLine[]): Promise<void> {
    const [first] = lines;
    if (first === undefined) return;
    const { journal, owner } = this.#deps;
    const { at } = first;
    const key = `${String(at).padStart(14, "0")}/${owner}/${++this.#pages}`;
    const page = journal.keep([{ kind: "ledger", key, value: { at, lines } satisfies LedgerPage }]);
    await Promise.all([page, addUsage(journal, lines)]);
  }

  #suppress(error: unknown, reason: string): void {
    const { clock, suppress } = this.#deps;
    suppress(classify({ surface: "store", error, observedAt: clock.now() }), reason);
  }

  async #addSpending(account: KeyAccount): Promise<void> {
    const added = account.unwritten().map(async ({ name, start, microcents }) => {
      const change = (present: unknown): unknown => ({ at: start, microcents: spentIn(present) + microcents });
      const kept = await this.#deps.journal.changeKept("spend", spendKey(account.name, name, start), change);
      account.written(name, start, microcents, spentIn(kept));
    });
    const failed = (await Promise.allSettled(added)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    this.#knownAt.set(account, steadyNow(this.#deps.clock));
  }
}

function spendKey(client: string, window: string, start: number): string {
  return `${client}/${window}/${start}`;
}

function spentIn(kept: unknown): number {
  return countOf(objectOf(kept)?.["microcents"]);
}

export function decisionIn(event: JournalEvent): LedgerDecision | null {
  if (event.type === "call-failed") {
    const { tool, attempt, fault, decision } = event;
    return { target: tool, attempt, code: fault.code, recourse: decision.recourse };
  }
  // A hedge is recorded under the target that was silent.
  if (event.type === "call-admitted" && event.hedge !== undefined)
    return { target: event.hedge.beside, attempt: event.attempt, code: null, recourse: "hedge" };
  return null;
}
