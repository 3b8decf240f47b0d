// The body of a turn, run until it ends; or, if it hangs, until its time is up or somebody cancels it.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Scope } from "../scope.ts";
import type { SessionCore } from "./session-core.ts";
import type { LiveTurn, Turn } from "./turn.ts";

export type TurnBody<T> = (turn: Turn) => Promise<T>;

export async function runBody(
  core: SessionCore,
  live: LiveTurn,
  body: TurnBody<unknown>,
  scope: Scope,
): Promise<{ value: unknown; thrown: Fault | null; deadline: Fault | null }> {
  // A body may throw before it returns a promise.
  const run = async (): Promise<unknown> => body(live);
  const ended = new Promise<{ value: unknown; thrown: Fault | null; deadline: null }>((resolve) => {
    run().then(
      (value) => resolve({ value, thrown: null, deadline: null }),
      (error: unknown) => {
        const seen = classify({ surface: "node", error, observedAt: core.clock.now() });
        const message = `the body of turn ${live.id} threw`;
        resolve({ value: undefined, thrown: fault("Uncaught", { message, cause: seen }), deadline: null });
      },
    );
  });
  // A body that hangs on something of its own is left behind at the deadline, or when it is cancelled, once no call runs.
  let disarm: () => void = () => undefined;
  const left = new Promise<{ value: undefined; thrown: null; deadline: Fault | null }>((resolve) => {
    const leave = (why: Fault | null): void => {
      const answer = (): void => resolve({ value: undefined, thrown: null, deadline: why });
      void core.idleIn(live.id).then(() => core.clock.soon(answer));
    };
    const late = fault(live.deadlineCode, { message: `turn ${live.id} was not finished in time` });
    if (Number.isFinite(live.deadlineAt)) {
      disarm = core.clock.after(live.deadlineAt - core.clock.now(), () => leave(late));
    }
    scope.add({ cancel: () => leave(null) });
  });
  const result = await Promise.race([ended, left]);
  disarm();
  return result;
}
