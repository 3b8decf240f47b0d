// Every row of every policy that comes with Faultline, compared with a file per preset. A change that is meant shows as a difference of these
// files (`npx vitest run test/core/policy/reviewed.test.ts -u` writes them again).

import { expect, it } from "vitest";
import { FAULT_CODES, PRESET_NAMES, PRESETS } from "../../../src/core/index.ts";
import { codesOf, type Policy } from "../../../src/core/policy/policy.ts";
import { policyOfRuns } from "../../../src/core/policy/presets.ts";

function linesOf({ rows, ...rest }: Policy): readonly string[] {
  return [
    JSON.stringify(rest, null, 1),
    ...rows.map(({ match, retry, then, origin }) => {
      const { code: _code, ...others } = match;
      const codes = codesOf(match, FAULT_CODES).join(",");
      return [codes, JSON.stringify(others), JSON.stringify(retry), then.join(" "), origin.layer, origin.at].join(
        " | ",
      );
    }),
  ];
}

it.each(PRESET_NAMES)("the policy %s has the rows in its file, and so has its policy of runs", async (name) => {
  const lines = [...linesOf(PRESETS[name]), "", ...linesOf(policyOfRuns(name))];
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`reviewed/${name}.txt`);
});
