// What the memory of past incidents says: for how long a failure counts, and that it is never for good.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MIN_REST_MS, lastTries, MAX_REST_MS } from "../../../src/core/decide/decide.ts";
import type { Incident } from "../../../src/core/decide/situation.ts";
import { noteIncident } from "../../../src/runtime/target/incidents.ts";

const POLICY = { learnsAfter: 5 };
const SECOND_MS = 1_000;

const tries = (times: readonly number[], worked = false, recourse: Incident["recourse"] = "retry"): Incident[] =>
  times.map((at) => ({ recourse, worked, at }));
const said = (incidents: readonly Incident[], now: number, policy = POLICY): ReturnType<typeof lastTries> =>
  lastTries("retry", { incidents, now }, policy);

describe("a recourse that failed so many times in a row", () => {
  it("at one moment is left alone for a little while", () => {
    const burst = tries([0, 0, 0, 0, 0]);
    expect(said(burst, 0)).toBe("failed");
    expect(said(burst, MIN_REST_MS - 1)).toBe("failed");
    expect(said(burst, MIN_REST_MS)).toBeNull();
  });

  it("is left alone for as long as it has been failing", () => {
    const run = tries([40, 30, 20, 10, 0].map((seconds) => seconds * SECOND_MS));
    expect(said(run, 79_999)).toBe("failed");
    expect(said(run, 80_000)).toBeNull();
  });

  it("is left alone for a minute at most", () => {
    const hour = tries([3_600_000, 2_000_000, 1_000_000, 500_000, 0]);
    expect(said(hour, 3_600_000 + MAX_REST_MS - 1)).toBe("failed");
    expect(said(hour, 3_600_000 + MAX_REST_MS)).toBeNull();
  });

  it("counts all of the run, not only the tries that were needed to learn from it", () => {
    const run = tries([50_000, 50_000, 50_000, 50_000, 50_000, 0]);
    expect(said(run, 99_999)).toBe("failed");
    expect(said(run, 100_000)).toBeNull();
  });

  it("begins with the first failure after a success", () => {
    const run = [...tries([50_000, 50_000, 50_000, 50_000, 50_000]), ...tries([25_000], true), ...tries([0])];
    expect(said(run, 50_000 + MIN_REST_MS - 1)).toBe("failed");
    expect(said(run, 50_000 + MIN_REST_MS)).toBeNull();
  });

  it("is tried when the clock was set back, because its age is unknown", () => {
    expect(said(tries([5, 5, 5, 5, 5]), 4)).toBeNull();
  });
});

describe("a rest", () => {
  it("takes ten seconds at least and a minute at most", () => {
    expect([MIN_REST_MS, MAX_REST_MS]).toEqual([10_000, 60_000]);
  });
});

describe("a policy that learns from one try", () => {
  it("believes the newest, whatever came before it", () => {
    const once = { learnsAfter: 1 };
    expect(said([...tries([9], true), ...tries([1, 0])], 10, once)).toBe("worked");
    expect(said([...tries([9]), ...tries([1, 0], true)], 10, once)).toBe("failed");
    expect(said([], 10, once)).toBeNull();
  });
});

describe("nothing is said", () => {
  it("by too few tries, by tries of which some worked, by those of another recourse, or by a policy that learns nothing", () => {
    expect(said(tries([0, 0, 0, 0]), 0)).toBeNull();
    expect(said([...tries([0], true), ...tries([0, 0, 0, 0, 0])], 0)).toBeNull();
    expect(said(tries([0, 0, 0, 0, 0], false, "fallback"), 0)).toBeNull();
    expect(said(tries([0, 0, 0, 0, 0]), 0, { learnsAfter: 0 })).toBeNull();
  });
});

it("a recourse that worked so many times in a row is known to work for as long as it is remembered", () => {
  expect(said(tries([0, 0, 0, 0, 0], true), 3_600_000)).toBe("worked");
});

it("an outage is held against a retry no longer than it lasted, within the bounds, however calls came and went", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 8 }), (gapsMs, learnsAfter) => {
      let now = 0;
      let incidents: readonly Incident[] = [];
      for (const gapMs of gapsMs) {
        if (said(incidents, now, { learnsAfter }) !== "failed") {
          incidents = noteIncident(incidents, { recourse: "retry", worked: false, at: now });
        }
        now += gapMs;
      }
      const heldForMs = Math.min(Math.max(now, MIN_REST_MS), MAX_REST_MS);
      expect(said(incidents, now + heldForMs, { learnsAfter })).toBeNull();
    }),
  );
});

it("while it fails it is tried ever less often, and never given up", () => {
  let incidents: readonly Incident[] = [];
  const triedAt: number[] = [];
  for (let now = 0; now < 3_600_000; now += SECOND_MS) {
    if (said(incidents, now) === "failed") continue;
    incidents = noteIncident(incidents, { recourse: "retry", worked: false, at: now });
    triedAt.push(now / SECOND_MS);
  }
  expect(triedAt.slice(0, 12)).toEqual([0, 1, 2, 3, 4, 14, 28, 56, 112, 172, 232, 292]);
  expect(triedAt).toHaveLength(67);
});
