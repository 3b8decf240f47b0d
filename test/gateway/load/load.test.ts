// A short campaign with every run of the tests. `npm run test:gateway-load` runs long ones.

import { expect, it } from "vitest";
import { samples, shareOf } from "../../support/grid.ts";
import { runLoad } from "./load-campaign.ts";

const CALLS = samples(150, 300);

it.each(shareOf([1, 2], 2, 0))(
  "keeps its promises while upstreams fail, cut streams and die (seed %i)",
  async (seed) => {
    const report = await runLoad({ seed, calls: CALLS, side: 24 });
    expect(report).toMatchObject({ truncated: [], doubled: [], leaks: [], overspent: [], unledgered: 0 });
    expect(report.whole).toBeGreaterThan(CALLS / 3);
    expect(report.told).toBeGreaterThan(0);
    expect(report.overBudget).toBeGreaterThan(0);
    expect(report.deaths).toBeGreaterThan(0);
    expect(report.hedges).toBeGreaterThan(0);
  },
);
