// The limits of one attempt at a model, whatever happens in it and in which order: each limit ends the attempt when it is over, not earlier and not
// later, and only the time counts in which the caller waits.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { Fault } from "../../../src/core/fault/fault.ts";
import { type Timeouts, Watch } from "../../../src/provider/model/watch.ts";
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
