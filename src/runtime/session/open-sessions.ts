// The sessions a runtime has open: one handle each, because two on one session would fence each other off.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
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
      // Another caller may have reopened it meanwhile.
      if (this.#sessions.get(name) !== known) return this.get(name, open);
    }
    return this.#add(name, open);
  }

  /** A new handle, refused while the session is open here. */
  async begin(name: string, open: () => Promise<Session>): Promise<Session> {
    const known = this.#sessions.get(name);
    const isOpen = known !== undefined && (await isUsable(known));
    if (isOpen || this.#sessions.get(name) !== known) throw new FaultError(nameTaken(name));
    return this.#add(name, open);
  }

  #add(name: string, open: () => Promise<Session>): Promise<Session> {
    const opening = open();
    this.#sessions.set(name, opening);
    opening.catch((error: unknown) => {
      // This caller gets the error; the next one tries again.
      this.#sessions.delete(name);
      return classify({ surface: "store", error });
    });
    if (this.#sessions.size > MANY) this.#forgetOver(name);
    return opening;
  }

  /** Not awaited: a session that is slow to open, or cannot be opened, must not hold up the others. */
  #forgetOver(except: string): void {
    for (const [name, open] of this.#sessions) {
      if (name === except) continue;
      void isUsable(open).then((usable) => {
        if (!usable && this.#sessions.get(name) === open) this.#sessions.delete(name);
      });
    }
  }
}

/** False for a session that is over, and for one that could not be opened: the caller that opened it got the error. */
async function isUsable(opening: Promise<Session>): Promise<boolean> {
  const [settled] = await Promise.allSettled([opening]);
  return settled.status === "fulfilled" && !settled.value.isOver;
}

/** A name is given once: to a session, or to a run, which is a session too. */
export function nameTaken(id: string): Fault {
  const message = `the name ${id} is taken: there is a run or a session of that name in this journal; choose another one`;
  return fault("EngineState", { message, context: { session: id } });
}
