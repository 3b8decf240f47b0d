// A run for other programs: its entries or its events as lines of text with secrets masked, the visit whose output people mean, and the
// run as it stands now.

import type { Locale } from "../../core/fault/words/words.ts";
import { escapeUnsafe, safeJson } from "../../core/json-text.ts";
import { toCloudEvent } from "../../core/record/cloud-event.ts";
import { createRunStream } from "../../core/record/run-stream.ts";
import { exportSession } from "../../journal/files/transfer.ts";
import type { RunsDeps } from "../runs-options.ts";
import { redactorOf } from "./run-reports.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import { readOutput } from "../advance/summary.ts";
import type { RunReport } from "../runs-api.ts";

export const EXPORT_FORMATS = ["jsonl", "cloudevents"] as const;
/** jsonl: a file that `faultline journal import` reads. cloudevents: one event per line. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Lines = (deps: RunsDeps, run: string, locale: Locale) => AsyncIterable<string>;

const LINES: Readonly<Record<ExportFormat, Lines>> = { jsonl: entryLines, cloudevents: eventLines };

export function exportRun(
  deps: RunsDeps,
  run: string,
  format: ExportFormat,
  locale: Locale = deps.locale,
): AsyncIterable<string> {
  return LINES[format](deps, run, locale);
}

async function* entryLines(deps: RunsDeps, run: string): AsyncGenerator<string> {
  const redactor = await redactorOf(deps, run);
  for await (const line of exportSession(deps.journal, run, { redactor, includeResults: false }))
    yield escapeUnsafe(line);
}

async function* eventLines({ journal }: RunsDeps, run: string, locale: Locale): AsyncGenerator<string> {
  const stream = createRunStream(run, { locale });
  for await (const entry of journal.read(run)) {
    for (const event of stream.feed(entry)) yield safeJson(toCloudEvent(event));
  }
}

// What the nodes of a run have left, for people.

/** The newest visit of a node; without a node, the visit that completed last. undefined when there is none. */
export function visitWithOutput({ visits }: Pick<RunState, "visits">, node: string | null): Visit | undefined {
  if (node !== null) return visits.findLast((visit) => visit.node === node);
  const completed = visits.filter((visit) => visit.state === "completed");
  return completed.toSorted((a, b) => a.endedAt - b.endedAt).at(-1);
}

export async function keptOutput(
  deps: RunsDeps,
  run: string,
  visit: Pick<Visit, "node" | "execution">,
): Promise<unknown> {
  const kept = await readOutput(deps.journal, run, visit);
  return kept === undefined ? undefined : (await redactorOf(deps, run)).value(kept);
}

// A run's report corrected by what is known about processes.

/** When no process works on the run, a visit that the journal shows as running was interrupted by the death of its process. */
export function asItStands(report: RunReport, isHeld: boolean): RunReport {
  if (isHeld) return report;
  const stopped: Pick<Visit, "state" | "pause"> = {
    state: "paused",
    pause: { why: "stopped", wakeAt: null, questions: [] },
  };
  const visits = report.state.visits.map((visit) =>
    visit.state === "running" && visit.pause === null ? { ...visit, ...stopped } : visit,
  );
  return { ...report, state: { ...report.state, visits } };
}
