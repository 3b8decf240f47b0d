// The figures of a target are those of its last 128 attempts, whatever came before.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentAttempts } from "../../../src/runtime/target/target.ts";

const attempt = fc.record({
  ok: fc.boolean(),
  durationMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: null }),
});

describe("the last attempts at a target", () => {
  it("are reported as counting and sorting them would find", () => {
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 400 }), (all) => {
        const recent = new RecentAttempts();
        for (const { ok, durationMs } of all) recent.note(ok, durationMs);
        const other = new RecentAttempts();
        const last = all.slice(-128);
        const sorted = last.flatMap(({ durationMs }) => durationMs ?? []).toSorted((a, b) => a - b);
        const share = (part: number): number | null => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
        const expected = {
          attempts: last.length,
          errorRate: last.filter(({ ok }) => !ok).length / last.length,
          p50Ms: share(0.5),
          p95Ms: share(0.95),
        };
        expect(RecentAttempts.report([other, recent])).toEqual(all.length === 0 ? null : expected);
      }),
    );
  });
});
