// The world of the grid: one server that fails on demand, one that never does, and time that jumps when all is quiet, so that
// minutes of waiting take no time.

import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSocketClock } from "../../support/socket-clock.ts";

export interface GridWorld {
  readonly clock: FakeClock;
  /** Where the requests of the package under test go. */
  readonly chaos: Chaos;
  /** Where a fallback always answers. */
  readonly healthy: Chaos;
  /** A `fetch` whose requests meet this fault; it also counts requests that no server receives. */
  afflicted(fault: string): Afflicted;
  close(): Promise<void>;
}

export interface Afflicted {
  readonly fetch: typeof fetch;
  readonly sent: () => number;
}

const STARTED_AT = 1_800_000_000_000;

export async function startGridWorld(): Promise<GridWorld> {
  const clock = createSocketClock(STARTED_AT);
  const chaos = await startChaos({ clock });
  const healthy = await startChaos({ clock });
  return {
    clock,
    chaos,
    healthy,
    afflicted(fault) {
      let sent = 0;
      return {
        sent: () => sent,
        fetch: async (input, init) => {
          sent += 1;
          const headers = new Headers(init?.headers);
          headers.set("x-chaos", fault);
          return eventByEvent(await fetch(input, { ...init, headers }));
        },
      };
    },
    close: async () => void (await Promise.all([chaos.close(), healthy.close()])),
  };
}

/** How many events arrive in one read is random; here each has its own read, as on a slow line. */
function eventByEvent(response: Response): Response {
  const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
  if (!isStream || response.body === null) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let held = Buffer.alloc(0);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const end = held.indexOf(END_OF_EVENT);
          if (end !== -1) {
            controller.enqueue(Uint8Array.from(held.subarray(0, end + END_OF_EVENT.length)));
            held = held.subarray(end + END_OF_EVENT.length);
            return;
          }
          const { done, value } = await reader.read();
          if (done) break;
          held = Buffer.concat([held, value]);
        }
        if (held.length > 0) controller.enqueue(Uint8Array.from(held));
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

const END_OF_EVENT = "\n\n";
