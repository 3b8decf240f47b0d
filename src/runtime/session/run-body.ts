// Runs the body of a turn until it ends, its time is up, or it is cancelled.

import { classifyThrown } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Scope } from "../scope.ts";
import type { SessionCore } from "./session-core.ts";
import type { LiveTurn, Turn } from "./turn.ts";

/** A turn written as a function instead of a plan. */
export type TurnBody<T> = (turn: Turn) => Promise<T>;

export interface BodyEnd {
  readonly value: unknown;
  /** The fault of the error it threw; null when it threw nothing. */
  readonly thrown: Fault | null;
  /** The error it threw, unchanged. */
  readonly error: unknown;
  readonly deadline: Fault | null;
}

export async function runBody(
  core: SessionCore,
  live: LiveTurn,
  body: TurnBody<unknown>,
  scope: Scope,
): Promise<BodyEnd> {
  // A body may throw before it returns a promise.
  const run = async (): Promise<unknown> => body(live);
  const ended = new Promise<BodyEnd>((resolve) => {
    run().then(
      (value) => resolve({ value, thrown: null, error: undefined, deadline: null }),
      (error: unknown) => {
        const where = { message: `the body of turn ${live.id} threw`, context: { turn: live.id } };
        const thrown = classifyThrown(error, where, core.clock.now());
        resolve({ value: undefined, thrown, error, deadline: null });
      },
    );
  });
  // A body that hangs on something of its own is left behind at the deadline, or when it is cancelled, once no call runs.
  let disarm: () => void = () => undefined;
  const left = new Promise<BodyEnd>((resolve) => {
    const leave = (why: Fault | null): void => {
      const answer = (): void => resolve({ value: undefined, thrown: null, error: undefined, deadline: why });
      void core.idleIn(live.id).then(() => core.clock.soon(answer));
    };
    if (Number.isFinite(live.deadlineAt)) {
      disarm = core.clock.after(live.deadlineAt - core.clock.now(), () =>
        leave(fault(live.deadlineCode, { message: `turn ${live.id} was not finished in time` })),
      );
    }
    scope.add({ cancel: () => leave(null) });
  });
  const result = await Promise.race([ended, left]);
  disarm();
  return result;
}
