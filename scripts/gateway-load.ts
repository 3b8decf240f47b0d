// `npm run test:gateway-load -- [--seed n] [--seeds n] [--calls n] [--side n]`: clients of all dialects at one gateway while its upstreams
// fail, cut their streams and die. A failure names its seed.

import { parseArgs } from "node:util";
import { runLoad } from "../test/gateway/load/load-campaign.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    seeds: { type: "string", default: "10" },
    calls: { type: "string", default: "2000" },
    side: { type: "string", default: "64" },
  },
});

const [first, seeds, calls, side] = [values.seed, values.seeds, values.calls, values.side].map(Number) as [
  number,
  number,
  number,
  number,
];
const sum = { calls: 0, whole: 0, told: 0, overBudget: 0, attempts: 0, deaths: 0, broken: 0 };
for (let seed = first; seed < first + seeds; seed++) {
  const report = await runLoad({ seed, calls, side });
  const { whole, told, overBudget, attempts, deaths, truncated, doubled, leaks, overspent, unledgered, hedges } =
    report;
  const broken = [...truncated, ...doubled, ...leaks, ...overspent];
  console.log(
    `seed ${seed}: ${calls} calls, ${side} at once: ${whole} whole, ${told} told cleanly, ${overBudget} over budget; ` +
      `${attempts} attempts, ${hedges} hedges, ${deaths} deaths of upstreams; ${truncated.length} truncated answers told as complete, ` +
      `${doubled.length} doubled tool calls, ${leaks.length} leaked keys, ${overspent.length} budgets passed, ` +
      `${unledgered} calls missing in the ledger`,
  );
  for (const line of broken.slice(0, 20)) console.error(`  ${line}`);
  sum.calls += calls;
  sum.whole += whole;
  sum.told += told;
  sum.overBudget += overBudget;
  sum.attempts += attempts;
  sum.deaths += deaths;
  sum.broken += broken.length + unledgered;
}
console.log(
  `${sum.calls} calls, ${sum.attempts} attempts, ${sum.deaths} deaths: ${sum.whole} whole, ${sum.told} told cleanly, ` +
    `${sum.overBudget} over budget, ${sum.broken} broken promises`,
);
process.exitCode = sum.broken === 0 ? 0 : 1;
