// `faultline chaos --list`: every fault with its parameters and the code it is classified as.

import { CHAOS_FAULTS, type ChaosFault, faultTable } from "../../chaos/faults.ts";
import type { Cli } from "../cli.ts";
import { tableLines, wrapped } from "../render/table.ts";
import { CHAOS_WORDS } from "../render/words/chaos-words.ts";

export async function listFaults(cli: Cli): Promise<void> {
  const { json, paint, locale } = cli;
  if (json) return cli.stdout.write(`${JSON.stringify(faultTable())}\n`);
  const words = CHAOS_WORDS[locale];
  const [head = "", ...lines] = tableLines(
    words.columns.map((title) => ({ title })),
    CHAOS_FAULTS.map((row) => [row.id, codesOf(row, words.or), toldOf(row)]),
  );
  await cli.stdout.write(`${paint("bold", head)}\n`);
  for (const [index, row] of CHAOS_FAULTS.entries()) {
    const text = `${words.fault(row)}${row.needs === "stream" ? words.streamsOnly : ""}`;
    const description = wrapped(text, cli.stdout.columns - INDENT.length).map((part) =>
      paint("dim", `${INDENT}${part}`),
    );
    await cli.stdout.write(`${lines[index] ?? ""}\n${description.join("\n")}\n`);
  }
}

const INDENT = "    ";

function codesOf({ means }: ChaosFault, or: string): string {
  if (means === null) return "–";
  return typeof means === "string" ? means : [...new Set(Object.values(means))].join(or);
}

function toldOf({ params }: ChaosFault): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
