// The rows as tables of a page: what the tests check.

import type { Row, Seen } from "./row.ts";
import { AREAS } from "./rows/all.ts";
import { REFUSALS } from "./rows/refusals.ts";

export function outcomeTables(): string {
  const areas = AREAS.flatMap(({ title, rows }) => [`### ${title}`, table(HEAD, rows.map(cellsOf))]);
  const refusals = REFUSALS.map(({ name, injected, seed, refusedAt, with: codes }) => [
    `${name}<br>*${injected}*`,
    seed,
    refusedAt,
    codes.map((code) => `\`${code}\``).join(", "),
  ]);
  const refused = table(["what is wrong", "from", "refused when", "with"], refusals);
  return [...areas, "### Refused before anything happens", refused].join("\n\n");
}

const HEAD = [
  "what comes of it<br>*what fails*",
  "from",
  "the run",
  "fault",
  "done again",
  "asked",
  "way",
  "files about",
  "the operator may",
  "the operator reads",
];

function cellsOf({ name, injected, seed, expected }: Row): readonly string[] {
  const { status, outcome, fault, asked, way, files, actions, says, pauses } = expected;
  const ended = outcome === "" ? status : `${status}: \`${outcome}\``;
  return [
    `${name}<br>*${injected}*`,
    seed,
    [ended, ...pauses.map((pause) => `put away: ${pause}`)].join("<br>"),
    fault === null ? "–" : `\`${fault}\``,
    againOf(expected),
    listed(Object.entries(asked).map(([who, count]) => `${who} ×${count}`)),
    way.join(" → ") || "–",
    listed(files),
    listed(actions.map((action) => `\`${action}\``)),
    says.en === "" ? "–" : `${says.en}<br>${says.zh}`,
  ];
}

/** `stage 0, call 2: 1 · 2 s ±20 %` */
function againOf({ retries: { workflow, transport }, waitsMs, jitter }: Seen): string {
  if (workflow === 0 && transport === 0 && waitsMs.length === 0) return "–";
  const spread = jitter === 0 ? "" : ` ±${jitter * 100} %`;
  const waits = waitsMs.length === 0 ? "" : `<br>after ${waitsMs.map((ms) => ms / 1_000).join(" · ")} s${spread}`;
  return `stage ${workflow}, call ${transport}${waits}`;
}

function listed(words: readonly string[]): string {
  return words.join(", ") || "–";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
