// A session's metrics per tool, as text.

import { dollars } from "../../core/flow/money.ts";
import { countEntries, type Entry, metricsOf, type ToolMetrics } from "../../core/index.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { JournalWords } from "../render/words/journal-words.ts";
import { factLines, tableLines } from "../render/table.ts";
import { shown } from "../render/values.ts";

export function toolMetrics(entries: readonly Entry[]): Readonly<Record<string, ToolMetrics>> {
  return Object.fromEntries(Array.from(countEntries(entries), ([tool, counters]) => [tool, metricsOf(counters)]));
}

const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["call_count", "success_count", "error_count"]);

/** A table without all-zero columns, or a list where the table does not fit. */
export function metricsLines(
  metrics: Readonly<Record<string, ToolMetrics>>,
  words: JournalWords,
  columns: number,
): readonly string[] {
  const tools = Object.entries(metrics);
  const names = (Object.keys(words.counts) as (keyof ToolMetrics)[]).filter(
    (name) => ALWAYS_SHOWN.has(name) || tools.some(([, counted]) => isAny(counted[name])),
  );
  const lines = tableLines(
    [{ title: words.tool }, ...names.map((name) => ({ title: words.counts[name], right: true as const }))],
    tools.map(([tool, counted]) => [shown(tool, 60), ...names.map((name) => cellOf(name, counted))]),
  );
  if (lines.every((line) => columnsOf(line) <= columns)) return lines;
  return tools.flatMap(([tool, counted]) => {
    const some = names.filter((name) => ALWAYS_SHOWN.has(name) || isAny(counted[name]));
    const facts = some.map((name) => `${words.counts[name]} ${cellOf(name, counted)}`);
    return [shown(tool, 60), ...factLines(facts, columns - 2).map((line) => `  ${line}`)];
  });
}

function isAny(value: number | null): boolean {
  return value !== null && value !== 0;
}

function cellOf(name: keyof ToolMetrics, counted: ToolMetrics): string {
  const value = counted[name];
  if (value === null) return "–";
  return CELLS[name]?.(value) ?? String(value);
}

const CELLS: Readonly<Partial<Record<keyof ToolMetrics, (value: number) => string>>> = {
  retry_success_rate: (rate) => `${Math.round(rate * 100)} %`,
  cost_microcents: dollars,
};
