// What went through the gateway: one line for each call, with what was decided about it and what it cost. No prompt and no answer.
// L1  Lines are written in pages, a few times a second: a durable write for each call would cost more than the call.
// L2  What a key has spent is added to what other processes have written, so that all of them keep one budget. A process spends only what it
//     has set aside in the journal (`spend-share.ts`): a tenth of the rest, so that a call asks the journal only near a limit.
// L3  A page that could not be written is written again before any later line, under the same number: nothing is counted twice, even if
//     the journal had written it and only its answer was lost. Entries about failed calls, prompts and answers wait in the same way.
// L4  The ledger reports a journal that cannot be written at once, and until it can be written again. Once a call has waited for it in vain,
//     no other call waits until then: each relies on what this process knows of the spending.

import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal, NewEntry } from "../../journal/journal.ts";
import { type KeyAccount, WINDOW_NAMES, type WindowRequest, windowStart } from "../key/key-account.ts";
import { HELD_MS, SHARE_MS, sharedSpend, takeShare } from "../key/spend-share.ts";
import type { LedgerLine, LedgerPage } from "./ledger-line.ts";
import { FailedCalls } from "./failed-calls.ts";
import type { KeepRule } from "../config/settings.ts";
import { type Transcript, Transcripts } from "./transcripts.ts";
import { addUsage } from "./usage.ts";
import { type JournalNews, type Unwritten, WriteTrouble } from "./write-trouble.ts";

interface LedgerDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  readonly suppress: (fault: Fault, reason: string) => void;
  /** Removes secrets. */
  readonly scrub: (text: string) => string;
  /** Called when the journal cannot be written, again with each attempt, and when it can. */
  readonly onJournal: (news: JournalNews) => void;
}

/** Lines that are written together, or again. */
interface NumberedPage {
  readonly number: number;
  readonly lines: readonly LedgerLine[];
}

/** What is kept of a call, and how. */
export interface KeptCall {
  readonly rule: KeepRule;
  readonly transcript: Transcript;
}

const FLUSH_MS = 250;
/** How long to wait after a failed write. */
const RETRY_MS = 2_000;
/** How long to wait after a failed write of a gateway that stops. */
const LAST_RETRY_MS = 100;
/** The most lines of one page. Lines that wait for long move to V8's old space, where only a full collection frees them. */
const MOST_LINES = 1_000;
/** How many lines wait for a journal that cannot be written. Later ones are dropped, and counted. */
const MOST_WAITING = 10_000;
/** How long a call waits for the journal: without it, each of several gateways would count on the same rest of a limit. */
const PATIENCE_MS = 10_000;
/** How long to wait before a call asks a journal again that is busy. */
const ASK_AGAIN_MS = 100;

const WITHOUT_TRANSCRIPTS = "the gateway continues without these prompts and answers in the journal";

export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #failed: FailedCalls;
  readonly #transcripts: Transcripts;
  #lines: LedgerLine[] = [];
  /** The page that is being written, or has to be written again. */
  #page: NumberedPage | null = null;
  /** How many lines were dropped because there was no room. */
  #dropped = 0;
  readonly #spenders = new Set<KeyAccount>();
  /** The last write about each account: one at a time, so that nothing is booked twice. */
  readonly #sharing = new WeakMap<KeyAccount, Promise<unknown>>();
  /** Ends the next renewal of what is set aside for calls that run. */
  readonly #renewals = new Map<KeyAccount, () => void>();
  #disarm: (() => void) | null = null;
  readonly #trouble: WriteTrouble;
  /** A call has waited for the journal in vain: until it is written again, no other call waits. */
  #isAway = false;
  #writing: Promise<void> = Promise.resolve();
  #pages = 0;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#trouble = new WriteTrouble(deps.onJournal);
    this.#failed = new FailedCalls(deps.journal, deps.owner, deps.scrub);
    this.#transcripts = new Transcripts(deps.journal, deps.scrub);
  }

  /** `entries`: what happened in the call. `kept`: what its owner wants to keep of it. */
  add(line: LedgerLine, account: KeyAccount, entries: readonly NewEntry[] = [], kept: KeptCall | null = null): void {
    if (this.#waiting < MOST_WAITING) this.#lines.push(line);
    else this.#dropped += 1;
    if (kept !== null) this.#transcripts.add(line.call, line.at, kept.rule, kept.transcript);
    this.#failed.add(entries);
    // A call that cost nothing may have set something aside.
    if (line.microcents > 0 || account.holdsMore) this.#spenders.add(account);
    if (this.#lines.length === MOST_LINES) void this.flush();
    else this.#disarm ??= this.#deps.clock.after(FLUSH_MS, () => void this.flush());
  }

  /** Resolves when everything so far is on disk, or could not be written. */
  flush(): Promise<void> {
    this.#disarm?.();
    this.#disarm = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes what there is, and tries again until this moment. Rejects if something is still not written then. */
  async close(until: number): Promise<void> {
    const { clock } = this.#deps;
    await this.flush();
    while (this.#hasMore && clock.now() < until) {
      await new Promise<void>((resolve) => void clock.after(LAST_RETRY_MS, resolve));
      await this.flush();
    }
    this.#disarm?.();
    for (const disarm of [...this.#renewals.values()]) disarm();
    if (!this.#hasMore) return;
    const lines = this.#waiting + this.#dropped;
    const message = `the gateway has stopped before the journal had everything. Missing lines of the ledger: ${lines}; clients' spending: ${this.#spenders.size}; failed calls: ${this.#failed.waiting}; kept prompts and answers: ${this.#transcripts.waiting}`;
    throw new FaultError(fault("StoreUnavailable", { message }));
  }

  get #hasMore(): boolean {
    return this.#waiting + this.#spenders.size + this.#failed.waiting + this.#transcripts.waiting > 0;
  }

  /** How many lines are not written. */
  get #waiting(): number {
    return this.#lines.length + (this.#page?.lines.length ?? 0);
  }

  /** Sets something aside for a call. False: there is not enough left, or the journal does not answer. Waits a moment at most. */
  readonly cover = async (account: KeyAccount, estimate: number): Promise<boolean> => {
    const { clock } = this.#deps;
    if (this.#isAway) return false;
    const now = clock.now();
    const late = Promise.withResolvers<boolean>();
    const disarm = this.#unlessAnswered(now, () => {
      this.#isAway = true;
      late.resolve(false);
    });
    const isCovered = await Promise.race([this.#askFor(account, estimate, now + PATIENCE_MS), late.promise]);
    disarm();
    return isCovered;
  };

  /** What the journal cannot write at present; null if it can write everything. */
  get unwritten(): Unwritten | null {
    return this.#trouble.current;
  }

  async #askFor(account: KeyAccount, estimate: number, until: number): Promise<boolean> {
    const { clock } = this.#deps;
    const under = this.#sharing.get(account);
    try {
      // Calls that begin together are often covered by what the first of them sets aside.
      if (under !== undefined) await under;
      if (!account.covers(estimate)) await this.#share(account, estimate);
      if (!this.#hasMore) this.#tellWritten(this.#dropped);
      // Another call may have taken what was set aside: then this one asks again, unless the journal is too slow for what it answers to count.
      return account.covers(estimate) || (account.isCurrent && !account.exceeds(estimate));
    } catch (error) {
      const seen = this.#tellUnwritten(error);
      if (traitsOf(seen.code).retryable && clock.now() + ASK_AGAIN_MS < until) {
        await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS, resolve));
        return this.#askFor(account, estimate, until);
      }
      this.#isAway = true;
      this.#deps.suppress(seen, "the gateway continues with what it knows of this client's spending");
      return false;
    }
  }

  /** Reads what a key has spent in the windows that are open now. */
  async load(account: KeyAccount): Promise<void> {
    const now = this.#deps.clock.now();
    for (const name of WINDOW_NAMES) {
      const start = windowStart(name, now);
      const kept = await this.#deps.journal.kept("spend", spendKey(account.name, name, start));
      account.learn(name, start, sharedSpend(kept).microcents);
    }
  }

  async #write(): Promise<void> {
    if (!this.#hasMore) return;
    // Started together, they share one commit. We wait for all of them, so that no write overlaps with its own retry.
    const now = this.#deps.clock.now();
    const spenders = [...this.#spenders];
    this.#spenders.clear();
    const disarm = this.#unlessAnswered(now, () => undefined);
    const [written, failed, kept, ...added] = await Promise.allSettled([
      this.#writeLines(),
      this.#failed.write(now),
      this.#transcripts.write(now),
      ...spenders.map((account) => this.#share(account, 0)),
    ]);
    disarm();
    if (this.#isRefused(failed)) {
      this.#failed.giveUp();
      this.#suppress(failed.reason, "the gateway continues without these failures in the journal's index");
    }
    if (this.#isRefused(kept)) {
      this.#transcripts.drop();
      this.#suppress(kept.reason, WITHOUT_TRANSCRIPTS);
    }
    const lostLines = this.#dropped;
    this.#tellDropped();
    spenders.forEach((account, index) => added[index]?.status === "rejected" && this.#spenders.add(account));
    const again = [failed, kept].filter((one) => !this.#isRefused(one));
    const late = [written, ...again, ...added].find((one) => one.status === "rejected");
    if (late === undefined) return void this.#tellWritten(lostLines);
    this.#disarm ??= this.#deps.clock.after(RETRY_MS, () => void this.flush());
    const seen = this.#tellUnwritten(late.reason);
    this.#deps.suppress(seen, "the gateway writes its ledger and what clients have spent again soon");
  }

  /** Reports a journal that has not answered since then. Returns a function that stops the wait. */
  #unlessAnswered(since: number, then: () => void): () => void {
    return this.#deps.clock.after(PATIENCE_MS, () => {
      this.#tellUnwritten(new Error(`the journal has not answered for ${PATIENCE_MS / 1_000} seconds`), since);
      then();
    });
  }

  #tellWritten(lostLines: number): void {
    this.#isAway = false;
    this.#trouble.ended(this.#deps.clock.now(), lostLines);
  }

  /** Reports what the journal could not write. `at`: when it was asked. */
  #tellUnwritten(error: unknown, at = this.#deps.clock.now()): Fault {
    const seen = this.#faultOf(error);
    this.#trouble.failed({ at, fault: seen, lines: this.#waiting, lostLines: this.#dropped });
    return seen;
  }

  /** Rejects when the journal cannot be written now: then the page stays. One that the journal refuses for good is left out. */
  async #writeLines(): Promise<void> {
    // Lines that come meanwhile wait for the next write.
    let due = this.#waiting;
    while (due > 0) {
      const page = (this.#page ??= this.#nextPage(due));
      try {
        await this.#writePage(page);
      } catch (error) {
        if (!this.#isFinal(error)) throw error;
        this.#suppress(error, `the gateway continues without ${page.lines.length} lines in its ledger`);
      }
      this.#page = null;
      due -= page.lines.length;
    }
  }

  /** Reports the lines and transcripts that were dropped, once there is room again. */
  #tellDropped(): void {
    const tooLong = fault("StoreUnavailable", { message: "the journal could not be written for too long" });
    if (this.#dropped > 0 && this.#waiting < MOST_WAITING) {
      this.#deps.suppress(tooLong, `the gateway continues without ${this.#dropped} lines in its ledger`);
      this.#dropped = 0;
    }
    if (this.#transcripts.dropped > 0 && this.#transcripts.waiting === 0) {
      this.#deps.suppress(tooLong, WITHOUT_TRANSCRIPTS);
      this.#transcripts.dropped = 0;
    }
  }

  #isRefused(end: PromiseSettledResult<unknown>): end is PromiseRejectedResult {
    return end.status === "rejected" && this.#isFinal(end.reason);
  }

  /** The journal refuses what it was given, and would refuse it again. Anything else may pass, also a file that an operator has to put back. */
  #isFinal(error: unknown): boolean {
    const { retryable, cause } = traitsOf(this.#faultOf(error).code);
    return !retryable && cause !== "store-error";
  }

  #nextPage(due: number): NumberedPage {
    return { number: ++this.#pages, lines: this.#lines.splice(0, Math.min(due, MOST_LINES)) };
  }

  async #writePage({ number, lines }: NumberedPage): Promise<void> {
    const { journal, owner } = this.#deps;
    const at = lines[0]?.at ?? 0;
    const key = `${String(at).padStart(14, "0")}/${owner}/${String(number).padStart(8, "0")}`;
    const page = journal.keep([{ kind: "ledger", key, value: { at, lines } satisfies LedgerPage }]);
    // Both are over before the page is written again.
    const ends = await Promise.allSettled([page, addUsage(journal, lines, { owner, number })]);
    const failed = ends.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #faultOf(error: unknown): Fault {
    return classify({ surface: "store", error, observedAt: this.#deps.clock.now() });
  }

  #suppress(error: unknown, reason: string): void {
    this.#deps.suppress(this.#faultOf(error), reason);
  }

  /** Books what an account has spent, and sets something aside for a call that may cost `estimate`; 0 when no call asks. */
  #share(account: KeyAccount, estimate: number): Promise<void> {
    const sharing = Promise.allSettled([this.#sharing.get(account)]).then(() => this.#shareNow(account, estimate));
    const ended = Promise.allSettled([sharing]).then(() => {
      if (this.#sharing.get(account) === ended) this.#sharing.delete(account);
    });
    this.#sharing.set(account, ended);
    return sharing;
  }

  async #shareNow(account: KeyAccount, estimate: number): Promise<void> {
    const { journal, owner } = this.#deps;
    const written = account.requests(owner, estimate).map(async (request) => {
      const key = spendKey(account.name, request.name, request.start);
      const kept = await journal.changeKept("spend", key, (present) => takeShare(present, request));
      const all = sharedSpend(kept);
      await this.#shareAhead(account.name, request, all.held[owner]?.microcents ?? 0);
      account.written(request, all);
    });
    const failed = (await Promise.allSettled(written)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    this.#renewLater(account);
  }

  /** A call that runs when the next window begins is booked there, so what it may cost is set aside there before. */
  async #shareAhead(client: string, request: WindowRequest, running: number): Promise<void> {
    const { name, end, now } = request;
    if (running === 0 || end - now > HELD_MS) return;
    const next = { ...request, start: end, spent: 0, kept: 0, running, needed: running, isIdle: false };
    await this.#deps.journal.changeKept("spend", spendKey(client, name, end), (present) => takeShare(present, next));
  }

  /** What is set aside for calls that run longer than it lasts. A call that it covers begins without asking, as long as it lasts. */
  #renewLater(account: KeyAccount): void {
    this.#renewals.get(account)?.();
    if (!account.isBounded) return;
    const disarm = this.#deps.clock.after(SHARE_MS / 2, () => void this.#renew(account));
    this.#renewals.set(account, () => {
      this.#renewals.delete(account);
      disarm();
    });
  }

  async #renew(account: KeyAccount): Promise<void> {
    if (account.reservedMicrocents === 0) {
      this.#renewals.delete(account);
      if (account.isCurrent) this.#renewLater(account);
      return;
    }
    try {
      await this.#share(account, 0);
    } catch (error) {
      this.#deps.suppress(
        this.#tellUnwritten(error),
        "the gateway soon sets aside again what this client's calls may cost",
      );
      this.#renewLater(account);
    }
  }
}

function spendKey(client: string, window: string, start: number): string {
  return `${client}/${window}/${start}`;
}
