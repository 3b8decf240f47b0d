// Runs the sixteen failover scenarios through a gateway, for every pair of dialects, and writes the scorecard into docs/GATEWAY.md. Then the
// same for Portkey's open gateway, for the pairs that it serves.

import { readFileSync, writeFileSync } from "node:fs";
import { DIALECTS } from "../test/gateway/dialect-clients.ts";
import { Portkey } from "../test/gateway/scenarios/portkey.ts";
import { type Pair, type Scenario, SCENARIOS, type Verdict } from "../test/gateway/scenarios/scenarios.ts";

const PAGE = new URL("../docs/GATEWAY.md", import.meta.url);
const MARKS = /(<!-- scorecard -->\n)[\s\S]*?(<!-- \/scorecard -->)/;
const NOTHING = "–";

const pairsOf = (streaming: boolean): readonly Pair[] =>
  DIALECTS.flatMap((client) => DIALECTS.map((target) => ({ client, target, streaming })));

interface Count {
  readonly rescued: number;
  readonly clean: number;
  readonly failed: readonly string[];
}

function counted(pairs: readonly Pair[], verdicts: readonly Verdict[]): Count {
  const times = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length;
  const failed = pairs.flatMap(({ client, target }, index) => {
    const verdict = verdicts[index] ?? "";
    return verdict.startsWith("failed") ? [`${client} → ${target}: ${verdict}`] : [];
  });
  return { rescued: times("rescued"), clean: times("clean"), failed };
}

async function own(scenario: Scenario, streaming: boolean): Promise<Count> {
  const pairs = pairsOf(streaming);
  const verdicts: Verdict[] = [];
  for (const pair of pairs) verdicts.push(await scenario.run(pair));
  return counted(pairs, verdicts);
}

function shown({ rescued, clean, failed }: Count): string {
  const parts = [
    ...(rescued > 0 ? [`${rescued} answered`] : []),
    ...(clean > 0 ? [`${clean} told cleanly`] : []),
    ...(failed.length > 0 ? [`**${failed.length} failed**`] : []),
  ];
  return parts.join(", ");
}

/** How Portkey did, for each scenario, by the pairs that work when nothing fails. */
async function portkeyColumn(): Promise<{ readonly served: number; readonly cells: readonly string[] }> {
  const portkey = await Portkey.start((line) => console.error(line));
  try {
    const all = [...pairsOf(false), ...pairsOf(true)];
    const works = await Promise.all(all.map((pair) => portkey.serves(pair)));
    const served = all.filter((_pair, index) => works[index]);
    const cells: string[] = [];
    for (const { id, name, elsewhere, streamsOnly } of SCENARIOS) {
      const pairs = served.filter(({ streaming }) => streaming || streamsOnly !== true);
      const found =
        elsewhere === null
          ? null
          : counted(pairs, await Promise.all(pairs.map((pair) => portkey.run(pair, elsewhere))));
      for (const line of found?.failed ?? []) console.error(`Portkey ${id} ${name}: ${line}`);
      cells.push(found === null ? NOTHING : shown(found));
    }
    return { served: served.length, cells };
  } finally {
    await portkey.stop();
  }
}

const rows: string[][] = [];
let failures = 0;
for (const scenario of SCENARIOS) {
  const whole = scenario.streamsOnly === true ? null : await own(scenario, false);
  const streamed = await own(scenario, true);
  for (const line of [...(whole?.failed ?? []), ...streamed.failed]) console.error(`${scenario.id} ${line}`);
  failures += (whole?.failed.length ?? 0) + streamed.failed.length;
  rows.push([scenario.id, scenario.name, whole === null ? NOTHING : shown(whole), shown(streamed)]);
}
const { served, cells } = await portkeyColumn();
const heads = ["", "scenario", "whole answers", "streams", `Portkey 1.15.2, ${served} pairs`];
const lines = [heads, heads.map(() => "---"), ...rows.map((row, index) => [...row, cells[index] ?? NOTHING])];
const table = [...lines.map((cells) => `| ${cells.join(" | ")} |`), ""].join("\n");
writeFileSync(
  PAGE,
  readFileSync(PAGE, "utf8").replace(MARKS, (_all, open: string, close: string) => `${open}\n${table}\n${close}`),
);
console.log(table);
process.exitCode = failures === 0 ? 0 : 1;
