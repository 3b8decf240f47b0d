// Runs the sixteen failover scenarios through a gateway, for every pair of dialects, and writes the scorecard into docs/GATEWAY.md.

import { readFileSync, writeFileSync } from "node:fs";
import { DIALECTS } from "../test/gateway/dialect-clients.ts";
import { type Scenario, SCENARIOS, type Verdict } from "../test/gateway/scenarios/scenarios.ts";

const PAGE = new URL("../docs/GATEWAY.md", import.meta.url);
const MARKS = /(<!-- scorecard -->\n)[\s\S]*?(<!-- \/scorecard -->)/;

interface Count {
  rescued: number;
  clean: number;
  readonly failed: string[];
}

async function count(scenario: Scenario, streaming: boolean): Promise<Count> {
  const found: Count = { rescued: 0, clean: 0, failed: [] };
  for (const client of DIALECTS) {
    for (const target of DIALECTS) {
      const verdict: Verdict = await scenario.run({ client, target, streaming });
      if (verdict === "rescued" || verdict === "clean") found[verdict] += 1;
      else found.failed.push(`${client} → ${target}: ${verdict}`);
    }
  }
  return found;
}

function shown({ rescued, clean, failed }: Count): string {
  const parts = [
    ...(rescued > 0 ? [`${rescued} answered`] : []),
    ...(clean > 0 ? [`${clean} told cleanly`] : []),
    ...(failed.length > 0 ? [`**${failed.length} failed**`] : []),
  ];
  return parts.join(", ");
}

const rows: string[] = [];
let failures = 0;
for (const scenario of SCENARIOS) {
  const whole = scenario.streamsOnly === true ? null : await count(scenario, false);
  const streamed = await count(scenario, true);
  for (const line of [...(whole?.failed ?? []), ...streamed.failed]) console.error(`${scenario.id} ${line}`);
  failures += (whole?.failed.length ?? 0) + streamed.failed.length;
  rows.push(`| ${scenario.id} | ${scenario.name} | ${whole === null ? "–" : shown(whole)} | ${shown(streamed)} |`);
}
const table = ["| | scenario | whole answers | streams |", "|---|---|---|---|", ...rows, ""].join("\n");
writeFileSync(
  PAGE,
  readFileSync(PAGE, "utf8").replace(MARKS, (_all, open: string, close: string) => `${open}\n${table}\n${close}`),
);
console.log(table);
process.exitCode = failures === 0 ? 0 : 1;
