// A run as lines of text for other programs: the entries of the journal, or the run's events as CloudEvents. Secrets are masked.

import type { Locale } from "../../core/fault/words/words.ts";
import { escapeUnsafe, safeJson } from "../../core/json-text.ts";
import { toCloudEvent } from "../../core/record/cloud-event.ts";
import { createRunStream } from "../../core/record/run-stream.ts";
import { exportSession } from "../../journal/files/transfer.ts";
import type { RunsDeps } from "../runs-options.ts";
import { redactorOf } from "./run-reports.ts";

export const EXPORT_FORMATS = ["jsonl", "cloudevents"] as const;
/** jsonl: a file that `faultline journal import` reads. cloudevents: one event per line. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Lines = (home: RunsDeps, run: string, locale: Locale) => AsyncIterable<string>;

const LINES: Readonly<Record<ExportFormat, Lines>> = { jsonl: entryLines, cloudevents: eventLines };

export function exportRun(
  home: RunsDeps,
  run: string,
  format: ExportFormat,
  locale: Locale = home.locale,
): AsyncIterable<string> {
  return LINES[format](home, run, locale);
}

async function* entryLines(home: RunsDeps, run: string): AsyncGenerator<string> {
  const redactor = await redactorOf(home, run);
  for await (const line of exportSession(home.journal, run, { redactor, includeResults: false }))
    yield escapeUnsafe(line);
}

async function* eventLines({ journal }: RunsDeps, run: string, locale: Locale): AsyncGenerator<string> {
  const stream = createRunStream(run, { locale });
  for await (const entry of journal.read(run)) {
    for (const event of stream.feed(entry)) yield safeJson(toCloudEvent(event));
  }
}
