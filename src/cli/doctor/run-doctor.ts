// `faultline doctor`: examines the agent CLIs, this machine, and the named journal and workflow. Prints its findings and the next
// thing to do, and exits 1 if something the user named cannot be used.

import { type CliHealth, type CliRemedy, examineClis, isUsable, nextStep } from "../../agent/doctor/cli-health.ts";
import { EXAMINED_KINDS, type ExaminedKind } from "../../agent/doctor/login-evidence.ts";
import {
  checkNode,
  checkSqlite,
  type MachineCheck,
  obstacleToMaking,
  obstacleToWriting,
} from "../../agent/doctor/machine.ts";
import { AGENT_CLIS } from "../../agent/verdict/cli-table.ts";
import { nearest } from "../../options/nearest.ts";
import type { Cli } from "../cli.ts";
import { variableOf } from "../config/settings.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import { UsageError } from "../io.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { plainLines, screenLines, type Findings, type WorkflowNeeds } from "./doctor-lines.ts";
import { DOCTOR_WORDS, type DoctorWords } from "../render/words/doctor-words.ts";
import type { Locale } from "../../core/index.ts";
import { isPostgresAddress, shownPlace } from "../../journal/journal-place.ts";
import { isThere, lookAtJournal } from "../journal/with-journal.ts";
import { createWorkflows } from "../../workflow/workflows.ts";
import { MISTAKES } from "../../workflow-file/codes.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface DoctorOptions {
  /** As typed; none means all. */
  readonly names: readonly string[];
  readonly journal: string | null;
  readonly workflow: string | null;
  readonly timeoutMs: number;
}

export async function runDoctor(options: DoctorOptions, cli: Cli): Promise<void> {
  const { json, locale } = cli;
  const words = DOCTOR_WORDS[locale];
  const findings = await examine(options, cli);
  const isOk = isAllThatWasAskedFor(findings);
  if (!isOk) cli.exit("failed");
  const last = exitAdvice(findings, locale);
  if (json) return cli.stdout.write(`${safeJson({ ok: isOk, ...jsonOf(findings), next: last })}\n`);
  // Logs are searched line by line, so they get plain lines instead of columns.
  const isScreen = cli.stdout.isTTY && variableOf("live", cli.env) !== "never";
  const lines = isScreen ? screenLines(findings, cli) : plainLines(findings, locale);
  await cli.stdout.write([...lines, lastLine(last, words), ""].join("\n"));
}

async function examine({ names, journal, workflow, timeoutMs }: DoctorOptions, cli: Cli): Promise<Findings> {
  const kinds = kindsOf(names, cli);
  // The journal code imports SQLite, so it must not be loaded where SQLite is missing.
  const sqlite = await checkSqlite(process.versions);
  const checked = workflow === null ? null : await checkWorkflowFile(workflow, cli);
  const machine = [
    checkNode(process.versions),
    sqlite,
    ...(journal === null ? [] : [await checkJournal(journal, sqlite.ok, cli)]),
    ...(checked === null ? [] : [checked.check]),
  ];
  const translated = <T extends { readonly detail: string | null }>(one: T): T => ({
    ...one,
    detail: one.detail === null ? null : messageIn(cli.locale, one.detail),
  });
  const clis = await examineClis(kinds, { env: cli.env, clock: cli.clock, timeoutMs });
  return {
    clis: clis.map(translated),
    machine: machine.map(translated),
    areAsked: names.length > 0,
    needs: checked?.needs ?? null,
  };
}

function kindsOf(names: readonly string[], { locale }: Cli): readonly ExaminedKind[] {
  if (names.length === 0) return EXAMINED_KINDS;
  return [...new Set(names.map((name) => kindOf(name, locale)))];
}

function kindOf(name: string, locale: Locale): ExaminedKind {
  const kind = EXAMINED_KINDS.find((known) => known === name.toLowerCase());
  if (kind !== undefined) return kind;
  throw new UsageError(
    DOCTOR_WORDS[locale].noSuchCli(
      oneLine(name, 60),
      nearest(name, EXAMINED_KINDS),
      EXAMINED_KINDS.join(PUNCTUATION[locale].comma),
    ),
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

/** Opens a journal that exists read-only; for one that does not exist, examines its folder. Changes neither. */
async function checkJournal(file: string, hasSqlite: boolean, cli: Cli): Promise<MachineCheck> {
  const value = oneLine(shownPlace(file));
  const { locale } = cli;
  const words = DOCTOR_WORDS[locale];
  if (!hasSqlite) return { check: "journal", value, ok: false, detail: words.needsSqlite };
  try {
    if (await isThere(file, cli)) {
      await lookAtJournal(file, cli, () => Promise.resolve());
      const locked = isPostgresAddress(file) ? null : obstacleToWriting(file);
      return { check: "journal", value, ok: locked === null, detail: locked === null ? null : words.obstacles[locked] };
    }
  } catch (error) {
    // Every known problem of a journal arrives as a UsageError.
    if (!(error instanceof UsageError)) throw error;
    return { check: "journal", value, ok: false, detail: oneLine(error.in(locale)) };
  }
  const obstacle = isPostgresAddress(file) ? null : obstacleToMaking(file);
  return {
    check: "journal",
    value,
    ok: obstacle === null,
    detail: obstacle === null ? words.madeLater : words.obstacles[obstacle],
  };
}

/** Mistakes that a workflow can run with: targets that fail together, and keys that are not set. */
const WARNINGS: ReadonlySet<string> = new Set([MISTAKES["shared-domain"].code, MISTAKES["variable-not-set"].code]);

interface CheckedWorkflow {
  readonly check: MachineCheck;
  readonly needs: WorkflowNeeds | null;
}

/** Checks the file without running it. Warnings are reported; the file still counts as usable. */
async function checkWorkflowFile(file: string, cli: Cli): Promise<CheckedWorkflow> {
  const value = oneLine(file);
  const unusable = (detail: string): CheckedWorkflow => ({
    check: { check: "workflow", value, ok: false, detail },
    needs: null,
  });
  const { clock, env, locale } = cli;
  const workflows = createWorkflows({ clock, env, locale });
  try {
    await cli.readFile(file);
    const { workflow, diagnostics } = await workflows.file(file);
    if (workflow === null) return unusable(DOCTOR_WORDS[locale].wrongWorkflow(value));
    const warned = diagnostics.filter(({ code }) => WARNINGS.has(code));
    const { colon, sentence, gap } = PUNCTUATION[locale];
    const detail = warned
      .map(({ line, message, help }) => `${value}:${line}${colon}${sentence(message)}${gap}${help}`)
      .join(gap);
    const unset = warned.filter(({ code }) => code === MISTAKES["variable-not-set"].code);
    const targets = [...workflow.stages.keys()].flatMap((node) => workflow.targetsOf(node));
    return {
      check: { check: "workflow", value, ok: true, detail: detail === "" ? null : detail },
      needs: {
        file: value,
        clis: EXAMINED_KINDS.filter((kind) => targets.includes(kind)),
        unset: unset.map(({ message }) => message),
      },
    };
  } catch (error) {
    // A file that cannot be read arrives as a UsageError.
    if (!(error instanceof UsageError)) throw error;
    return unusable(oneLine(error.in(locale)));
  } finally {
    await workflows.close();
  }
}

interface ExitAdvice {
  /** `nothing`: all is well. `machine`: fix this machine first. */
  readonly do: CliRemedy | "machine" | "nothing";
  readonly cli: CliHealth["kind"] | null;
  readonly text: string;
}

/** A workflow needs its own CLIs and keys, and no other. */
function exitAdvice({ clis, machine, areAsked, needs }: Findings, locale: Locale): ExitAdvice {
  const words = DOCTOR_WORDS[locale];
  const broken = machine.find(({ ok }) => !ok);
  if (broken !== undefined)
    return {
      do: "machine",
      cli: null,
      text: `${words.machine[broken.check]}${PUNCTUATION[locale].colon}${broken.detail ?? ""}`,
    };
  if (needs !== null && needs.unset.length > 0)
    return { do: "machine", cli: null, text: words.keysUnset(needs.unset, needs.file) };
  const needed = needs === null || areAsked ? clis : clis.filter(({ kind }) => needs.clis.some((one) => one === kind));
  const step = nextStep(needed, areAsked || needs !== null);
  if (step === null) return { do: "nothing", cli: null, text: words.allWell };
  const { kind, remedy } = step;
  return { do: remedy, cli: kind, text: words.remedies[remedy](AGENT_CLIS[kind]) };
}

function lastLine({ do: what, text }: ExitAdvice, words: DoctorWords): string {
  return what === "nothing" ? text : `${words.next}${text}`;
}
