// The scorecard of a drill: as a table for terminals, as Markdown with a badge, and as data. Pure.

import type { Paint } from "../render/paint.ts";
import { tableLines } from "../render/table.ts";
import type { DrillWords } from "../render/words/drill-words.ts";
import { isGood, paidIn } from "./judge.ts";
import type { DrillResult } from "./run-drills.ts";

export interface Score {
  readonly good: number;
  /** The drills in which the agent met the fault. */
  readonly met: number;
}

export function scoreOf(results: readonly Pick<DrillResult, "verdict">[]): Score {
  const met = results.filter(({ verdict }) => verdict !== "not-met");
  return { good: met.filter(({ verdict }) => isGood(verdict)).length, met: met.length };
}

function cellsOf({ drill, verdict, seen }: DrillResult, words: DrillWords): readonly string[] {
  const requests = seen.requests.length + seen.rescued;
  const took = `${(seen.durationMs / 1000).toFixed(1)} s`;
  const said = words.verdicts[verdict];
  // One that hung was stopped here, so its exit says nothing.
  const ended = seen.exitCode === 0 || seen.timedOut ? said : words.ended(said, seen.exitCode);
  return [drill.id, ended, String(requests), String(paidIn(seen)), took];
}

export function textCard(results: readonly DrillResult[], words: DrillWords, paint: Paint): string {
  const columns = words.columns.map((title, index) => (index < 2 ? { title } : { title, right: true as const }));
  const [head = "", ...lines] = tableLines(
    columns,
    results.map((result) => cellsOf(result, words)),
  );
  const painted = lines.map((line, index) => paint(colourOf(results[index]), line));
  const { good, met } = scoreOf(results);
  return [paint("bold", head), ...painted, "", paint("bold", words.score(good, met))].join("\n");
}

function colourOf(result: DrillResult | undefined): "green" | "red" | "dim" {
  if (result === undefined || result.verdict === "not-met") return "dim";
  return isGood(result.verdict) ? "green" : "red";
}

export function markdownCard(results: readonly DrillResult[], words: DrillWords): string {
  const { good, met } = scoreOf(results);
  const colour = good === met ? "brightgreen" : good * 2 >= met ? "yellow" : "red";
  const label = words.badge(good, met);
  const badge = `![drill: ${label}](https://img.shields.io/badge/drill-${encodeURIComponent(label)}-${colour})`;
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    badge,
    "",
    line(words.columns),
    line(words.columns.map((_title, index) => (index < 2 ? "---" : "---:"))),
    ...results.map((result) => line(cellsOf(result, words))),
  ].join("\n");
}

export function dataCard(results: readonly DrillResult[], command: string, hasGateway: boolean): object {
  const { good, met } = scoreOf(results);
  return {
    command,
    gateway: hasGateway,
    handled: good,
    met,
    drills: results.map(({ drill, verdict, seen }) => ({
      id: drill.id,
      fault: drill.fault,
      lasts: drill.lasts,
      verdict,
      exitCode: seen.exitCode,
      requests: seen.requests.length,
      rescued: seen.rescued,
      paid: paidIn(seen),
      durationMs: Math.round(seen.durationMs),
    })),
  };
}
