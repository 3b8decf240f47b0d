// The part of a worker that Restate calls: an HTTP/2 endpoint with one virtual object per run.
// E1  Restate calls the object of a run one invocation at a time. The journal's hold and its numbering protect the run all the same:
//     a worker that Restate believes dead may still run.
// E2  An invocation is one slice. It never sleeps, so a new version of a worker never waits for an old one.
// E3  Restate may repeat an invocation at any time. That repeats no effect, because the journal has everything that was started.
// E4  An invocation that keeps failing is dropped, never paused: the sweep hands its run over again, to the newest workers.

import { once } from "node:events";
import { createServer, type ServerHttp2Session } from "node:http2";
import type { ObjectContext } from "@restatedev/restate-sdk";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { classify } from "../../core/classify/classify.ts";
import type { Clock } from "../../host/clock.ts";
import { lazyPart, orFail } from "../../host/lazy-part.ts";
import { listen } from "../../host/listen.ts";

export interface RestateEndpointDeps {
  readonly clock: Clock;
  readonly service: string;
  /** Advances the run if it is due. Resolves with the time at which it wants to be advanced next; null: not by itself. Never rejects. */
  readonly advance: (run: string) => Promise<number | null>;
}

export interface RestateEndpointOptions {
  readonly host: string;
  readonly port: number;
  /** Invocations per connection. Restate opens more connections when it needs them, and a load balancer spreads connections. */
  readonly maxStreams: number;
  /** Restate's public keys; requests that it did not sign are refused. Without keys, every request is accepted. */
  readonly identityKeys: readonly string[];
}

export interface RestateEndpoint {
  readonly port: number;
  /** Takes no more invocations; those that run may end. */
  leave(): void;
  close(): Promise<void>;
}

/** What an invocation is sent with: the time it was meant for, if it is a timer. */
interface WakeUp {
  readonly at?: number;
}

interface RunObject {
  readonly advance: (context: ObjectContext, wakeUp: WakeUp) => Promise<void>;
}

/** No node runs longer. A worker that is dead or cut off is noticed by its connection, so nothing waits for this. */
const LONGEST_SLICE = { days: 365 };
/** An invocation that reaches no worker is dropped after about ten seconds (E4). */
const RETRIES = {
  initialInterval: 200,
  exponentiationFactor: 2,
  maxInterval: 2_000,
  maxAttempts: 8,
  onMaxAttempts: "kill",
} as const;
const GRACE_MS = 2_000;
/** The time for which the newest timer of a run is set. */
const ARMED = "armed";

const sdk = lazyPart(async () => {
  try {
    return await import("@restatedev/restate-sdk").catch(orFail);
  } catch (error) {
    const message = "a worker on Restate needs @restatedev/restate-sdk; run `npm install @restatedev/restate-sdk`";
    const cause = classify({ surface: "node", error });
    throw new FaultError(fault("HostCapabilityMissing", { message, cause }));
  }
});

export async function openRestateEndpoint(
  deps: RestateEndpointDeps,
  { host, port, maxStreams, identityKeys }: RestateEndpointOptions,
): Promise<RestateEndpoint> {
  const { createEndpointHandler, handlers, object } = await sdk();
  const run = object({
    name: deps.service,
    // The result of an invocation is in the journal.
    options: { journalRetention: 0, idempotencyRetention: 0 },
    handlers: {
      advance: handlers.object.exclusive(
        { inactivityTimeout: LONGEST_SLICE, abortTimeout: LONGEST_SLICE, retryPolicy: RETRIES },
        (context: ObjectContext, wakeUp: WakeUp) => invoke(deps, context, wakeUp),
      ),
    },
  });
  const handler = createEndpointHandler({
    services: [run],
    ...(identityKeys.length === 0 ? {} : { identityKeys: [...identityKeys] }),
    // The driver reports what goes wrong.
    logger: () => undefined,
  });
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({ settings: { maxConcurrentStreams: maxStreams } }, handler);
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => void sessions.delete(session));
    // A connection that breaks costs its invocations, which Restate repeats.
    session.on("error", () => session.destroy());
  });
  const bound = await listen(server, host, port);
  const leave = (): void => {
    if (server.listening) server.close();
    for (const session of sessions) session.close();
  };
  return {
    port: bound,
    leave,
    async close() {
      leave();
      // The answers of the last invocations are still being sent.
      const closed = [...sessions].map((session) => once(session, "close"));
      const late = Promise.withResolvers<undefined>();
      const disarm = deps.clock.after(GRACE_MS, () => late.resolve(undefined));
      await Promise.race([Promise.allSettled(closed), late.promise]);
      disarm();
      for (const session of sessions) session.destroy();
    },
  };
}

async function invoke(
  { service, advance, clock }: RestateEndpointDeps,
  context: ObjectContext,
  { at }: WakeUp,
): Promise<void> {
  const { rpc } = await sdk();
  const next = await context.run("advance", () => advance(context.key));
  const armed = await context.get<number>(ARMED);
  // The timer that this invocation comes from is spent, also when it came a moment too early by the clock of this machine.
  const set = armed === at ? null : armed;
  if (next === null) return void context.clear(ARMED);
  if (next === set) return;
  const delay = Math.max(0, next - clock.now());
  context.objectSendClient<RunObject>({ name: service }, context.key).advance({ at: next }, rpc.sendOpts({ delay }));
  context.set(ARMED, next);
}
