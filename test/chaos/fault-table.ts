// The fault table as the page about it shows it.

import { CHAOS_FAULTS, type ChaosFault } from "../../src/chaos/faults.ts";

export function faultTableLines(): readonly string[] {
  return ["| fault | is | parameters | what happens |", "|---|---|---|---|", ...CHAOS_FAULTS.map(lineOf)];
}

function lineOf({ id, means, params, about, needs }: ChaosFault): string {
  const codes =
    typeof means === "object" && means !== null ? [...new Set(Object.values(means))].join(" or ") : (means ?? "–");
  const told = Object.entries(params).map(([name, value]) => `\`${name}=${value}\``);
  return `| \`${id}\` | ${codes} | ${told.join(", ")} | ${about}${needs === "stream" ? " Streams only." : ""} |`;
}
