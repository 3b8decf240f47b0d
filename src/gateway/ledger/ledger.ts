// What went through the gateway: one line for each call, with what was decided about it and what it cost. No prompt and no answer.
// L1  Lines are written in pages, a few times a second: a durable write for each call would cost more than the call.
// L2  What a key has spent is added to what other processes have written, so that all of them keep one budget.

import type { JournalEvent } from "../../core/record/event.ts";
import { classify } from "../../core/classify/classify.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { countOf, objectOf } from "../../core/json-fields.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import { type KeyAccount, WINDOW_NAMES, windowStart } from "../key/key-account.ts";
import type { LedgerDecision, LedgerLine, LedgerPage } from "./ledger-line.ts";
import { addUsage } from "./usage.ts";

interface LedgerDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  readonly suppress: (fault: Fault, reason: string) => void;
}

const FLUSH_MS = 250;
const MOST_LINES = 1_000;

export class Ledger {
  readonly #deps: LedgerDeps;
  #lines: LedgerLine[] = [];
  readonly #spenders = new Set<KeyAccount>();
  #disarm: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  #pages = 0;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
  }

  add(line: LedgerLine, account: KeyAccount): void {
    this.#lines.push(line);
    if (line.microcents > 0) this.#spenders.add(account);
    if (this.#lines.length >= MOST_LINES) void this.flush();
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
    if (lines.length > 0) this.#writing = this.#writing.then(() => this.#write(lines, spenders));
    return this.#writing;
  }

  /** Reads what a key has spent in the windows that are open now. */
  async load(account: KeyAccount): Promise<void> {
    const now = this.#deps.clock.now();
    for (const name of WINDOW_NAMES) {
      const start = windowStart(name, now);
      const kept = await this.#deps.journal.kept("spend", spendKey(account.name, name, start));
      account.learn(name, start, spentIn(kept));
    }
  }

  async #write(lines: readonly LedgerLine[], spenders: readonly KeyAccount[]): Promise<void> {
    const { journal, owner, clock, suppress } = this.#deps;
    const at = lines[0]?.at ?? clock.now();
    try {
      const key = `${String(at).padStart(14, "0")}/${owner}/${++this.#pages}`;
      // Asked for together, they are on disk with one commit.
      await Promise.all([
        journal.keep([{ kind: "ledger", key, value: { at, lines } satisfies LedgerPage }]),
        addUsage(journal, lines),
        ...spenders.map((account) => this.#addSpending(account)),
      ]);
    } catch (error) {
      const seen = classify({ surface: "store", error, observedAt: clock.now() });
      suppress(seen, "the gateway continues without these lines in its ledger");
    }
  }

  async #addSpending(account: KeyAccount): Promise<void> {
    const added = account.takeUnwritten().map(async ({ name, start, microcents }) => {
      const change = (present: unknown): unknown => ({ at: start, microcents: spentIn(present) + microcents });
      const kept = await this.#deps.journal.changeKept("spend", spendKey(account.name, name, start), change);
      account.learn(name, start, spentIn(kept));
    });
    await Promise.all(added);
  }
}

function spendKey(client: string, window: string, start: number): string {
  return `${client}/${window}/${start}`;
}

function spentIn(kept: unknown): number {
  return countOf(objectOf(kept)?.["microcents"]);
}

export function decisionIn(event: JournalEvent): LedgerDecision | null {
  if (event.type !== "call-failed") return null;
  const { tool, attempt, fault, decision } = event;
  return { target: tool, attempt, code: fault.code, recourse: decision.recourse };
}
