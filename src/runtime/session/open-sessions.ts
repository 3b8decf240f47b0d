// The sessions a runtime has open: one handle each, because two on one session would fence each other off.

import { classify } from "../../core/classify/classify.ts";
import type { Session } from "./session.ts";

/** From here on those that are over are looked for, so that a long life does not hold them all. */
const MANY = 100;

export class OpenSessions {
  readonly #sessions = new Map<string, Promise<Session>>();

  /** The handle there is, or a new one. */
  async get(name: string, open: () => Promise<Session>): Promise<Session> {
    const known = this.#sessions.get(name);
    if (known !== undefined) {
      if (!(await known).isOver) return known;
      // Somebody else may have opened it anew meanwhile.
      if (this.#sessions.get(name) !== known) return this.get(name, open);
    }
    const opening = open();
    this.#sessions.set(name, opening);
    opening.catch((error: unknown) => {
      // Whoever asked for it is told; the next one tries again.
      this.#sessions.delete(name);
      return classify({ surface: "store", error });
    });
    if (this.#sessions.size > MANY) this.#forgetOver(name);
    return opening;
  }

  /** Not waited for: one that is slow to open, or cannot be, is no business of the others. */
  #forgetOver(except: string): void {
    for (const [name, open] of this.#sessions) {
      if (name === except) continue;
      void open.then(
        ({ isOver }) => isOver && this.#sessions.get(name) === open && this.#sessions.delete(name),
        (error: unknown) => classify({ surface: "store", error }),
      );
    }
  }
}
