// The grid as a page: the expected value of each cell, in a few symbols.

import { CHAOS_FAULTS, type ChaosFault } from "../../../src/chaos/faults.ts";
import { type Column, COLUMNS } from "./columns.ts";
import { EXCEPTIONS, exceptionFor } from "./exceptions.ts";
import { cellFor, type Expected, PLACES } from "./expected.ts";
import type { Price, Sight } from "./observe.ts";

export function conformancePage(): string {
  return `${[
    "# Conformance",
    `What each provider's package does when each fault of the [chaos server](CHAOS.md) hits it. \`npm run docs\` writes this page from what \`test/provider/grid/grid.test.ts\` expects: ${PLACES.length} cells, each run against a real server with the real package, ${CALLS} calls including retries, on a fake clock.`,
    "Three independent tables predict each cell. The server's fault table gives the code, the [default policy](POLICY.md) gives the reaction, and the position of the fault in the answer gives what the caller sees and pays. A cell that differs has a number, and its reason is below.",
    legend(),
    "## Through `fl.model`: packages of the AI SDK",
    tableOf(COLUMNS.filter(({ through }) => through === "model")),
    "## Through `fl.fetch`: the vendors' own packages",
    "One target only, so there is no fallback. Their own retries are off (`maxRetries: 0`).",
    tableOf(COLUMNS.filter(({ through }) => through === "fetch")),
    "## Why some cells differ",
    REASONS.map((why, index) => `${index + 1}. ${why}`).join("\n"),
  ].join("\n\n")}\n`;
}

const CALLS = PLACES.reduce((sum, place) => sum + (cellFor(place).inChain === null ? 1 : 2), 0);

/** The same reason has one number. */
const REASONS: readonly string[] = [...new Set(EXCEPTIONS.map(({ why }) => why))];

const SEES: Readonly<Record<Sight, string>> = { nothing: "✗", part: "◐", whole: "✓" };
const COSTS: Readonly<Record<Price, string>> = { free: "0", reported: "=", estimated: "≈", unpriced: "?" };

function legend(): string {
  return [
    "| sign | meaning |",
    "|---|---|",
    "| `Code` | the fault's code, if it differs from its row's |",
    "| `1` `3` `6` | requests on the wire before the call ends, including retries |",
    "| `↺2` | the second request asks the model again, because its answer was unusable |",
    "| ✗ | the caller gets a typed error and nothing else |",
    "| ◐ | the caller has seen part of the answer and then gets a typed error; nothing is retried unnoticed |",
    "| ✓ | the caller gets a whole answer |",
    "| `0` `=` `≈` | what the first failed attempt cost: nothing, as reported by the provider, or estimated |",
    "| `→ 2 ✓` | with a healthy fallback: it takes over after this many requests, and the caller gets its answer |",
    "| – | it cannot happen: it needs a stream |",
  ].join("\n");
}

function tableOf(columns: readonly Column[]): string {
  const head = ["fault", "code", ...columns.flatMap(({ name }) => [name, `${name}, streamed`])];
  const rows = CHAOS_FAULTS.map((row) => {
    const cells = columns.flatMap((column) => [false, true].map((streaming) => textOf(row, column, streaming)));
    return [`\`${row.id}\``, codesOf(row).join(", ") || "none", ...cells];
  });
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function textOf(row: ChaosFault, column: Column, streaming: boolean): string {
  const place = PLACES.find((each) => each.row === row && each.column === column && each.streaming === streaming);
  if (place === undefined) return "–";
  const exception = exceptionFor(place);
  const { alone, inChain } = cellFor(place);
  const [usual, ...others] = codesOf(row);
  const name = alone.code === null || (alone.code === usual && others.length === 0) ? "" : `${alone.code} `;
  const note = exception === null ? "" : ` [${REASONS.indexOf(exception.why) + 1}](#why-some-cells-differ)`;
  const over = inChain?.stoodIn === 1 ? ` → ${inChain.requests} ${SEES[inChain.sees]}` : "";
  return `${name}${inShort(alone)}${over}${note}`;
}

function inShort({ code, requests, decided, price, sees }: Expected): string {
  if (code === null) return SEES[sees];
  const count = decided.includes("regenerate") ? `↺${requests}` : String(requests);
  return [count, SEES[sees], price === null ? "" : COSTS[price]].join(" ").trim();
}

function codesOf({ means }: ChaosFault): readonly string[] {
  if (means === null) return [];
  return typeof means === "string" ? [means] : [...new Set(Object.values(means))].filter((code) => code !== null);
}
