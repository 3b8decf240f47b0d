// `faultline chaos --list`: every fault with its parameters and the code it is classified as.

import { CHAOS_FAULTS, type ChaosFault, faultTable } from "../../chaos/faults.ts";
import type { Io } from "../io.ts";
import { paintFor } from "../render/paint.ts";
import type { GlobalOptions } from "../options.ts";
import { tableLines, wrapped } from "../render/table.ts";

export async function listFaults(io: Io, { json, color }: GlobalOptions): Promise<void> {
  if (json) return io.stdout.write(`${JSON.stringify(faultTable())}\n`);
  const paint = paintFor(io.stdout, io.env, color);
  const [head = "", ...lines] = tableLines(
    [{ title: "fault" }, { title: "classified as" }, { title: "parameters" }],
    CHAOS_FAULTS.map((row) => [row.id, codesOf(row), toldOf(row)]),
  );
  await io.stdout.write(`${paint("bold", head)}\n`);
  for (const [index, line] of lines.entries()) {
    const { about = "", needs = "any" } = CHAOS_FAULTS[index] ?? {};
    const text = needs === "stream" ? `${about} Streams only.` : about;
    const told = wrapped(text, io.stdout.columns - INDENT.length).map((part) => paint("dim", `${INDENT}${part}`));
    await io.stdout.write(`${line}\n${told.join("\n")}\n`);
  }
}

const INDENT = "    ";

function codesOf({ means }: ChaosFault): string {
  if (means === null) return "–";
  return typeof means === "string" ? means : [...new Set(Object.values(means))].join(" or ");
}

function toldOf({ params }: ChaosFault): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
