// `faultline runs export`: writes a run as journal lines, as CloudEvents, or as a folder with all its files. Secrets are masked.

import { cp } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { storeError } from "../../journal/store-errors.ts";
import { type ExportFormat, EXPORT_FORMATS as LINE_FORMATS } from "../../workflow/report/export-run.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import type { WorkflowSource } from "../../workflow-model/stage.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { shown } from "../render/values.ts";
import { printLines, withEnds } from "../lines.ts";
import { escapeUnsafe, safeJson } from "../render/safe-text.ts";
import { findRun, reportOn } from "./find-run.ts";
import { type JournalOption, type RunCommandDeps, withRuns } from "./run-deps.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";
import { reportJson } from "./show-run.ts";
import { makeFolder } from "../../journal/files/file-store.ts";
import { refusedFile } from "../system-refusal.ts";

export const EXPORT_FORMATS = [...LINE_FORMATS, "bundle"] as const;

export interface RunExportOptions extends JournalOption {
  readonly format: (typeof EXPORT_FORMATS)[number];
  readonly out?: string;
}

export async function exportRun(given: string, options: RunExportOptions, cli: Cli): Promise<void> {
  const { format, out } = options;
  const words = RUNS_WORDS[cli.locale];
  if (format === "bundle" && out === undefined) throw new UsageError(words.bundleNeedsOut);
  await withRuns({ ...options, look: true }, cli, async (deps) => {
    const { run } = await findRun(deps, given);
    if (format === "bundle") await writeBundle(deps, run, out ?? "");
    else if (out === undefined || out === "-") return printLines(linesIn(deps, run, format), cli);
    else await cli.writeNewFile(out, withEnds(linesIn(deps, run, format)));
    const done = `${cli.paint("green", "✓")} ${words.exported(shown(run), shown(out, 2_000))}`;
    await cli.stdout.write(cli.json ? `${safeJson({ run, format, out })}\n` : `${done}\n`);
  });
}

function linesIn({ workflows, locale }: RunCommandDeps, run: string, format: ExportFormat): AsyncIterable<string> {
  return workflows.runs.export(run, format, locale);
}

/** Wraps a text as an async iterable. */
function linesOf(text: string): AsyncIterable<string> {
  return Readable.from([text]);
}

async function writeBundle(deps: RunCommandDeps, run: string, folder: string): Promise<void> {
  const { workflows } = deps;
  const report = await reportOn(deps, run);
  if (await isThere(deps, folder))
    throw new UsageError({
      "en": `Cannot write ${folder}: it already exists; name another folder.`,
      "zh-CN": `无法写入 ${folder}：它已存在；请换一个文件夹。`,
    });
  await makeOutFolder(folder);
  await deps.writeNewFile(
    join(folder, "run.json"),
    linesOf(`${escapeUnsafe(JSON.stringify(reportJson(deps, report, false), null, 2))}\n`),
  );
  await deps.writeNewFile(join(folder, "entries.jsonl"), withEnds(linesIn(deps, run, "jsonl")));
  await deps.writeNewFile(join(folder, "events.jsonl"), withEnds(linesIn(deps, run, "cloudevents")));
  const source = (await workflows.journal.kept("definition", report.summary.digest)) as WorkflowSource | null;
  if (source !== null) await deps.writeNewFile(join(folder, "workflow.yaml"), linesOf(source.text));
  await copyFiles(report, folder);
}

async function copyFiles({ files, folder: from }: RunReport, folder: string): Promise<void> {
  if (from === null || files.length === 0) return;
  try {
    await cp(from, join(folder, "files"), { recursive: true, errorOnExist: true, force: false });
  } catch (error) {
    throw storeError(error, {});
  }
}

async function makeOutFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, { mode: 0o700 });
  } catch (error) {
    throw refusedFile("folder", folder, error);
  }
}

/** `fileBytes` rejects a folder, which therefore counts as existing. */
async function isThere(cli: Cli, path: string): Promise<boolean> {
  try {
    return (await cli.fileBytes(path)) !== null;
  } catch (error) {
    if (error instanceof UsageError) return true;
    throw error;
  }
}
