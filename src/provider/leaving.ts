// A caller may leave in two ways: its own signal fires, or whoever reads the answer stops reading. Both are one signal here.

export interface Leaving {
  readonly signal: AbortSignal;
  /** The reader has gone. */
  leave(): void;
  /** All is over: the caller's signal is listened to no longer. */
  done(): void;
}

export function leavingWith(caller: AbortSignal | null | undefined): Leaving {
  const controller = new AbortController();
  const abort = (): void => controller.abort(caller?.reason);
  if (caller?.aborted === true) abort();
  else caller?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    leave: () => controller.abort(),
    done: () => caller?.removeEventListener("abort", abort),
  };
}
