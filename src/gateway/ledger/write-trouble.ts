// Reports that the journal cannot be written. The gateway keeps answering meanwhile, so operators would not notice otherwise.

import type { Fault } from "../../core/fault/fault.ts";

/** What a gateway reports about the journal it writes to. */
export type JournalNews =
  | {
      readonly state: "unwritten";
      /** When the journal was last asked and did not write. */
      readonly at: number;
      /** When the trouble began. */
      readonly since: number;
      readonly fault: Fault;
      /** How many lines of the ledger wait in memory. */
      readonly lines: number;
      /** How many lines were dropped because there was no room. */
      readonly lostLines: number;
    }
  | {
      readonly state: "written";
      readonly at: number;
      readonly since: number;
      readonly lostLines: number;
    };

export type Unwritten = Extract<JournalNews, { readonly state: "unwritten" }>;

export class WriteTrouble {
  readonly #tell: (news: JournalNews) => void;
  #last: Unwritten | null = null;

  constructor(tell: (news: JournalNews) => void) {
    this.#tell = tell;
  }

  /** null: the journal could be written when it was last asked. */
  get current(): Unwritten | null {
    return this.#last;
  }

  failed(seen: Omit<Unwritten, "state" | "since">): void {
    this.#last = { state: "unwritten", since: this.#last?.since ?? seen.at, ...seen };
    this.#tell(this.#last);
  }

  ended(at: number, lostLines: number): void {
    if (this.#last === null) return;
    const { since } = this.#last;
    this.#last = null;
    this.#tell({ state: "written", at, since, lostLines });
  }
}
