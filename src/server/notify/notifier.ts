// Notifies people who are not looking at the dashboard. The journal is the source, and keeps the position up to which notices were sent.
// N1  A notice is delivered at least once, in order, also when the server dies. A repeated notice has the same id.
// N2  Of several servers on one journal, one delivers.
// N3  A failing channel delays neither the others nor the server: after its retries the notice is dropped, with a warning.

import { classify } from "../../core/classify/classify.ts";
import type { Faultline } from "../../faultline.ts";
import type { Clock } from "../../host/clock.ts";
import type { Worker } from "../../host/worker.ts";
import type { Journal } from "../../journal/journal.ts";
import { warn } from "../../journal/warnings.ts";
import type { Tool } from "../../runtime/tool/tool.ts";
import { type Notification, type NoticeKind, noticeOf } from "./notice.ts";

export interface NotifierOptions {
  readonly journal: Journal;
  readonly faultline: Faultline;
  readonly clock: Clock;
  readonly worker: Worker;
  readonly channels: readonly Tool<Notification, null>[];
  readonly kinds: readonly NoticeKind[];
}

export interface Notifier {
  stop(): Promise<void>;
}

const PAGE = 256;
const HOLD_MS = 60_000;
/** While another server delivers: how often to check whether it still does. */
const LOOK_EVERY_MS = 20_000;

/** From the moment it resolves, no event is missed. */
export async function startNotifier(options: NotifierOptions): Promise<Notifier> {
  const loops = options.channels.map((channel) => new ChannelLoop(options, channel));
  for (const loop of loops) await loop.start();
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

class ChannelLoop {
  readonly #options: NotifierOptions;
  readonly #channel: Tool<Notification, null>;
  #isStopped = false;
  #isPoked = false;
  readonly #stopping = new AbortController();
  #wake: () => void = () => undefined;
  #done: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => undefined;

  constructor(options: NotifierOptions, channel: Tool<Notification, null>) {
    this.#options = options;
    this.#channel = channel;
  }

  async start(): Promise<void> {
    const { journal } = this.#options;
    this.#unsubscribe = journal.subscribe(() => this.#poke());
    // A new channel begins with what happens from now on.
    const { last } = await journal.position();
    await journal.keepFirst({ kind: "follower", key: this.#channel.id, value: last });
    this.#done = this.#run();
  }

  /** An entry was written; it may arrive while the loop is busy. */
  #poke(): void {
    this.#isPoked = true;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#stopping.abort();
    this.#poke();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { journal, worker } = this.#options;
    while (!this.#isStopped) {
      this.#isPoked = false;
      try {
        if (await this.#isMine()) while (await this.#deliverPage());
      } catch (error) {
        warn(classify({ surface: "store", error }), `delivering notices (${this.#channel.id}); trying again soon`);
      }
      await this.#pause();
    }
    await journal.release(this.#channel.id, worker.name);
  }

  /** Holds the channel for this process, if no other one that lives has it. */
  async #isMine(): Promise<boolean> {
    const { journal, clock, worker } = this.#options;
    const now = clock.now();
    const held = await journal.hold(this.#channel.id, worker.name, now + HOLD_MS, now);
    if (held.granted || !worker.isGone(held.owner)) return held.granted;
    return (await journal.takeFrom(this.#channel.id, held.owner, worker.name, now + HOLD_MS)).granted;
  }

  /** True when there may be more. */
  async #deliverPage(): Promise<boolean> {
    const { journal, kinds } = this.#options;
    const kept = await journal.kept("follower", this.#channel.id);
    const { first } = await journal.position();
    const after = Math.max(typeof kept === "number" ? kept : 0, first);
    const page = await journal.readFrom(after, { limit: PAGE });
    for (const { entry, position } of page) {
      const notice = noticeOf(entry, `${journal.storeId}.${position}`);
      const isWanted = notice !== null && kinds.some((kind) => notice.type.endsWith(`.${kind}`));
      if (isWanted && !(await this.#deliver(notice))) return false;
      if (isWanted) await this.#keep(position);
    }
    const last = page.at(-1);
    if (last !== undefined) await this.#keep(last.position);
    return page.length === PAGE;
  }

  async #keep(position: number): Promise<void> {
    await this.#options.journal.keep([{ kind: "follower", key: this.#channel.id, value: position }]);
  }

  /** False when the server stops meanwhile: the next one delivers it. */
  async #deliver(notice: Notification): Promise<boolean> {
    const { faultline } = this.#options;
    const outcome = await faultline.protect(this.#channel, notice, { signal: this.#stopping.signal });
    if (outcome.status === "cancelled") return false;
    if (outcome.status !== "done" && "fault" in outcome) {
      warn(
        outcome.fault,
        `${this.#channel.id} could not deliver ${notice.type} about ${notice.subject}; the notice is dropped`,
      );
    }
    return true;
  }

  #pause(): Promise<void> {
    if (this.#isPoked) return Promise.resolve();
    return new Promise((resolve) => {
      const disarm = this.#options.clock.after(LOOK_EVERY_MS, resolve);
      this.#wake = () => {
        disarm();
        resolve();
      };
    });
  }
}
