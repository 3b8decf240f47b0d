// Looks at everything `faultline doctor` was asked about, prints it, and says by the exit code whether it will do.

import { examineClis, isUsable } from "../../agent/doctor/cli-health.ts";
import { EXAMINED_KINDS, type ExaminedKind } from "../../agent/doctor/login-evidence.ts";
import { checkNode, checkSqlite } from "../../agent/doctor/machine.ts";
import { AGENT_CLIS } from "../../agent/verdict/cli-table.ts";
import { nearest } from "../../options/nearest.ts";
import { type Io, UsageError } from "../io.ts";
import { paintFor } from "../render/paint.ts";
import type { GlobalOptions } from "../options.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { checkJournal } from "./check-journal.ts";
import { checkWorkflowFile } from "./check-workflow-file.ts";
import { plainLines, screenLines } from "./doctor-lines.ts";
import { DOCTOR_WORDS } from "../render/words/doctor-words.ts";
import type { Findings } from "./findings.ts";
import { lastLine, exitAdvice } from "./exit-advice.ts";

export interface DoctorOptions {
  /** As typed; none means all. */
  readonly names: readonly string[];
  readonly journal: string | null;
  readonly workflow: string | null;
  readonly timeoutMs: number;
}

export async function runDoctor(options: DoctorOptions, io: Io, shared: GlobalOptions): Promise<void> {
  const { json, locale, color } = shared;
  const words = DOCTOR_WORDS[locale];
  const findings = await examine(options, io, shared);
  const isOk = isAllThatWasAskedFor(findings);
  if (!isOk) io.exit("failed");
  const last = exitAdvice(findings, words);
  if (json) return io.stdout.write(`${safeJson({ ok: isOk, ...jsonOf(findings), next: last })}\n`);
  // A log is read line by line and searched; columns are for people.
  const isScreen = io.stdout.isTTY && (io.env["CI"] ?? "") === "";
  const lines = isScreen
    ? screenLines(findings, words, io.stdout, paintFor(io.stdout, io.env, color))
    : plainLines(findings, words);
  await io.stdout.write([...lines, lastLine(last, words), ""].join("\n"));
}

async function examine(
  { names, journal, workflow, timeoutMs }: DoctorOptions,
  io: Io,
  shared: GlobalOptions,
): Promise<Findings> {
  const kinds = kindsOf(names, shared);
  // A journal needs SQLite, and what loads it must not load where it is missing.
  const sqlite = await checkSqlite(process.versions);
  const machine = [
    checkNode(process.versions),
    sqlite,
    ...(journal === null ? [] : [await checkJournal(journal, sqlite.ok, io, shared.locale)]),
    ...(workflow === null ? [] : [await checkWorkflowFile(workflow, io, shared.locale)]),
  ];
  return {
    clis: await examineClis(kinds, { env: io.env, clock: io.clock, timeoutMs }),
    machine,
    areAsked: names.length > 0,
  };
}

function kindsOf(names: readonly string[], { locale }: GlobalOptions): readonly ExaminedKind[] {
  if (names.length === 0) return EXAMINED_KINDS;
  return [...new Set(names.map((name) => kindOf(name, locale)))];
}

function kindOf(name: string, locale: GlobalOptions["locale"]): ExaminedKind {
  const kind = EXAMINED_KINDS.find((known) => known === name.toLowerCase());
  if (kind !== undefined) return kind;
  throw new UsageError(
    DOCTOR_WORDS[locale].noSuchCli(oneLine(name, 60), nearest(name, EXAMINED_KINDS), EXAMINED_KINDS.join(", ")),
  );
}

/** With no CLI named, missing CLIs are not reported as errors. A journal or a workflow that is named must be usable. */
function isAllThatWasAskedFor({ clis, machine, areAsked }: Findings): boolean {
  const areFilesOk = machine.every(({ check, ok }) => ok || (check !== "journal" && check !== "workflow"));
  return areFilesOk && (!areAsked || clis.every(isUsable));
}

function jsonOf({ clis, machine }: Findings): object {
  return {
    clis: clis.map((cli) => ({
      cli: cli.kind,
      name: AGENT_CLIS[cli.kind].name,
      status: cli.status,
      version: cli.version,
      detail: cli.detail,
      login: cli.login.state,
      evidence: [...cli.login.variables, ...(cli.login.byFile ? ["file"] : [])],
      usable: isUsable(cli),
    })),
    machine,
  };
}
