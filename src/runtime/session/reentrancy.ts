// Knows whether code runs within a turn or call of a session: waiting there for the session to become idle would wait for itself.

import { AsyncLocalStorage } from "node:async_hooks";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";

interface Inside {
  readonly session: string;
  /** `turn t1`, `call c1` */
  readonly what: string;
  /** The turn or call has ended. Code that it started may still run, and then counts as outside. */
  isOver: boolean;
  readonly around: Inside | null;
}

const here = new AsyncLocalStorage<Inside>();

export async function inside<T>(session: string, what: string, run: () => Promise<T>): Promise<T> {
  // Keeps only what still runs: a program may continue for long inside the async context of a finished turn.
  const entered: Inside = { session, what, isOver: false, around: stillRunning(here.getStore() ?? null) };
  try {
    return await here.run(entered, run);
  } finally {
    entered.isOver = true;
  }
}

/** Throws when `wish` is asked for within the session it is about. */
export function refuseInside(session: string, wish: keyof typeof INSTEAD): void {
  for (let at = stillRunning(here.getStore() ?? null); at !== null; at = stillRunning(at.around)) {
    if (at.session !== session) continue;
    const message = `session.${wish}() would wait for ${at.what} of session ${session}, from within which it was called; ${INSTEAD[wish]}`;
    throw new FaultError(fault("EngineState", { message, context: { session, within: at.what } }));
  }
}

const INSTEAD = {
  end: "end the session after it, or stop everything now with session.cancel()",
  leave: "leave the session after it",
  turn: "make the calls with the current turn, or run this turn beside it with { beside: true }",
} as const;

function stillRunning(from: Inside | null): Inside | null {
  let at = from;
  while (at?.isOver === true) at = at.around;
  return at;
}
