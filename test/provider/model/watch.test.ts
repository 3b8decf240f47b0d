// The limits of one attempt at a model, whatever happens in it and in which order: each limit ends the attempt when it is over, not earlier and not
// later, and only the time counts in which the caller waits.

import fc from "fast-check";
import { expect, it } from "vitest";
import { type Fault, isFaultError } from "../../../src/core/fault/fault.ts";
import { modelTimeouts, Speed, type Timeouts, Watch } from "../../../src/provider/model/watch.ts";
import type { RunContext } from "../../../src/runtime/tool/tool.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { samples } from "../../support/grid.ts";

const LIMITS = { headers: "headersMs", firstToken: "firstTokenMs", idle: "idleMs", thinking: "thinkingMs" } as const;

type Step = "headers" | "progress" | "thinking" | "hold" | "wait" | number;

/** What the limits mean: a phase, and how much of its time is left. */
class Expected {
  readonly #timeouts: Timeouts;
  #phase: keyof typeof LIMITS;
  #leftMs: number;
  #isWaiting = true;
  #passedMs = 0;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
    this.#phase = timeouts.firstTokenMs < timeouts.headersMs ? "firstToken" : "headers";
    this.#leftMs = Math.min(timeouts.firstTokenMs, timeouts.headersMs);
  }

  /** When and in which phase the attempt ends; null while it goes on. */
  take(step: Step): readonly [at: number, phase: string] | null {
    if (typeof step === "number") return this.#pass(step);
    if (step === "hold" || step === "wait") this.#isWaiting = step === "wait";
    else if (step === "headers") {
      this.#phase = "firstToken";
      this.#leftMs = this.#timeouts.firstTokenMs - this.#passedMs;
      this.#isWaiting = true;
    } else {
      this.#phase = step === "thinking" ? "thinking" : "idle";
      this.#leftMs = this.#timeouts[LIMITS[this.#phase]];
      this.#isWaiting = false;
    }
    return null;
  }

  #pass(ms: number): readonly [number, string] | null {
    if (this.#isWaiting && this.#leftMs <= ms) return [this.#passedMs + Math.max(0, this.#leftMs), this.#phase];
    if (this.#isWaiting) this.#leftMs -= ms;
    this.#passedMs += ms;
    return null;
  }
}

const STEPS: Readonly<Record<Exclude<Step, number>, (watch: Watch) => void>> = {
  headers: (watch) => watch.headers(),
  progress: (watch) => watch.progress(false),
  thinking: (watch) => watch.progress(true),
  hold: (watch) => watch.hold(),
  wait: (watch) => watch.wait(),
};

const limit = fc.integer({ min: 1, max: 200 });
const timeouts: fc.Arbitrary<Timeouts> = fc.record({
  ...{ headersMs: limit, firstTokenMs: limit, idleMs: limit, thinkingMs: limit },
  totalMs: fc.constant(Infinity),
});
const pass = fc.integer({ min: 0, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
  pass,
  fc.constantFrom("progress" as const, "thinking" as const, "hold" as const, "wait" as const),
);
/** The headers come once, before any content and while the caller waits. */
const steps = fc
  .tuple(fc.array(pass, { maxLength: 2 }), fc.boolean(), fc.array(step, { maxLength: 30 }))
  .map(([before, hasHeaders, after]): readonly Step[] => [
    ...before,
    ...(hasHeaders ? ["headers" as const] : []),
    ...after,
  ]);

it("ends an attempt exactly when the limit of its phase is over, whatever happens in which order", async () => {
  await fc.assert(
    fc.asyncProperty(timeouts, steps, async (limits, all) => {
      const clock = createFakeClock(1_700_000_000_000);
      const startedAt = clock.now();
      let cancel = (): void => undefined;
      const alarm: RunContext["alarm"] = (delayMs, ring) => {
        cancel();
        cancel = clock.after(delayMs, ring);
      };
      const ends: (readonly [number, Fault])[] = [];
      const watch = new Watch(clock, limits, { alarm } as RunContext, (why) =>
        ends.push([clock.now() - startedAt, why]),
      );
      const expected = new Expected(limits);
      for (const one of all) {
        const end = expected.take(one);
        if (typeof one === "number") await clock.advance(one);
        else STEPS[one](watch);
        const seen = ends.map(([at, { code, context }]) => [at, code, context]);
        expect(seen).toEqual(
          end === null ? [] : [[end[0], "NetworkTimeout", expect.objectContaining({ phase: end[1] })]],
        );
        if (end !== null) return;
      }
    }),
    { numRuns: samples(300, 2_000) },
  );
});

it.each<[string, readonly (readonly [ms: number, characters: number, isThinking?: boolean])[], string | null]>([
  [
    "at the minimum",
    [
      [0, 10],
      [10_000, 110],
    ],
    null,
  ],
  [
    "one character below it",
    [
      [0, 10],
      [10_000, 109],
    ],
    "9.9",
  ],
  [
    "barely below it",
    [
      [0, 10],
      [1_000_000, 10_009],
    ],
    "10.0",
  ],
  [
    "below it for less than ten seconds",
    [
      [0, 10],
      [9_999, 11],
    ],
    null,
  ],
  [
    "below it for ten seconds, in several waits",
    [
      [0, 10],
      [4_000, 11],
      [6_000, 12],
    ],
    "0.2",
  ],
  [
    "below it for longer than ten seconds",
    [
      [0, 10],
      [20_000, 200],
    ],
    "9.5",
  ],
  [
    "below it after ten good seconds",
    [
      [0, 10],
      [10_000, 200],
      [10_000, 201],
    ],
    "0.1",
  ],
  [
    "below it while it thinks",
    [
      [0, 10],
      [10_000, 11, true],
      [9_999, 12],
    ],
    null,
  ],
  [
    "below it after it thought",
    [
      [0, 10],
      [10_000, 11, true],
      [10_000, 12],
    ],
    "0.1",
  ],
  [
    "below it until its first content",
    [
      [60_000, 10],
      [10_000, 110],
    ],
    null,
  ],
])("the speed of a stream %s", async (_what, pieces, told) => {
  const clock = createFakeClock(1_000);
  const speed = new Speed(clock, 10);
  const came = async (): Promise<void> => {
    for (const [ms, characters, isThinking = false] of pieces) {
      speed.waits();
      await clock.advance(ms);
      speed.came(characters, isThinking);
      // A slow reader.
      await clock.advance(50_000);
    }
  };
  const seen = await came().then(
    () => null,
    (error: unknown) => (isFaultError(error) ? error.fault.message : error),
  );
  expect(seen).toBe(told === null ? null : `the stream sent ${told} characters per second; the minimum is 10`);
});

it.each<[string, Partial<Timeouts>, number, Partial<Timeouts>, Partial<Timeouts>]>([
  [
    "without any",
    {},
    30_000,
    { headersMs: 30_000, firstTokenMs: 30_000, idleMs: 60_000, thinkingMs: 30_000, totalMs: 600_000 },
    { headersMs: 300_000, firstTokenMs: 300_000 },
  ],
  [
    "of a model that is quiet for long",
    {},
    400_000,
    { headersMs: 400_000, firstTokenMs: 400_000, thinkingMs: 400_000, totalMs: 800_000 },
    { headersMs: 400_000, firstTokenMs: 400_000 },
  ],
  [
    "with one for headers",
    { headersMs: 5 },
    30_000,
    { headersMs: 5, firstTokenMs: 30_000 },
    { headersMs: 5, firstTokenMs: 5 },
  ],
  [
    "with one for the first token",
    { firstTokenMs: 6 },
    30_000,
    { headersMs: 30_000, firstTokenMs: 6 },
    { headersMs: 6, firstTokenMs: 6 },
  ],
  [
    "with both",
    { headersMs: 7, firstTokenMs: 6 },
    30_000,
    { headersMs: 7, firstTokenMs: 6 },
    { headersMs: 6, firstTokenMs: 6 },
  ],
  ["with one for pauses", { idleMs: 8 }, 30_000, { idleMs: 8, thinkingMs: 8 }, { headersMs: 300_000 }],
  ["with one for thinking", { idleMs: 8, thinkingMs: 9 }, 30_000, { idleMs: 8, thinkingMs: 9 }, { headersMs: 300_000 }],
  ["with one for all of it", { totalMs: 10 }, 400_000, { totalMs: 10 }, { totalMs: 10, headersMs: 400_000 }],
])("the limits %s", (_what, given, quietMs, stream, whole) => {
  expect(modelTimeouts(given, { quietMs })).toMatchObject({ stream, whole });
});
