// The files about failed stages of a run: raw output, events, and what they mean. When they are written, and which there are.
// F1  Writing again gives the same files: after a crash, and when nothing has changed.
// F2  Nothing is written that has not passed the redactor.

import { classify } from "../../core/classify/classify.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import { suppressed } from "../../core/fault/fault.ts";
import { turnOf, type Visit } from "../../core/flow/visit.ts";
import { fileNameOf } from "../../journal/files/artefact-names.ts";
import { fit } from "../../journal/files/artefacts.ts";
import type { FileStore, JournalFiles } from "../../journal/files/file-store.ts";
import type { Journal, NewEntry } from "../../journal/journal.ts";
import { storeError } from "../../journal/store-errors.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { VisitEnd } from "../advance/run-visit.ts";
import type { RunsDeps } from "../runs-options.ts";
import {
  type AttemptRecord,
  failedAttempts,
  StageMemory,
  type StageRecord,
  type StageRecords,
} from "./stage-file-records.ts";
import type { Workflow } from "../../workflow-model/stage.ts";
import { pillOf } from "../../core/fault/words/pills.ts";
import { viewFor } from "../../core/fault/view.ts";
import { type Locale, LOCALES } from "../../core/fault/words/words.ts";
import { type ActionSituation, actionsOn } from "../../core/flow/action.ts";
import { actionWords } from "../../core/flow/action-words.ts";
import { type RunState, visitOf } from "../../core/flow/run-state.ts";
import { knownCode } from "../../core/record/fault-index.ts";

/** Writes the files about failed attempts of one run. It reads each entry of the run once. */
export class RunFiles {
  readonly #deps: Pick<RunsDeps, "journal" | "clock">;
  readonly #session: Session;
  readonly #workflow: Workflow;
  readonly #memory: StageMemory;

  constructor(deps: Pick<RunsDeps, "journal" | "clock">, session: Session, workflow: Workflow) {
    this.#deps = deps;
    this.#session = session;
    this.#workflow = workflow;
    this.#memory = new StageMemory((node) => workflow.stages.get(node)?.role ?? null);
  }

  /** Called before the event that tells of the failure is written. A disk that takes no files does not end a run. */
  async keep(visit: Visit, { events, raw, output }: VisitEnd): Promise<void> {
    const { journal, clock } = this.#deps;
    const { id, redactor } = this.#session;
    if (journal.files === null) return;
    const at = clock.now();
    try {
      for await (const entry of journal.read(id, this.#memory.seq)) this.#memory.add(entry);
      await writeStageFiles(filesOfRun(journal.files, id), {
        run: id,
        memory: this.#memory,
        coming: events.map((event) => ({ at, event })),
        raw: new Map([[turnOf(visit), raw]]),
        knownOf: (node) => ({
          targets: this.#workflow.targetsOf(node),
          sendBackTo: this.#workflow.sendBackTo(node),
          hasPartialOutput: node === visit.node && output !== undefined && output !== null,
        }),
        redactor,
      });
    } catch (error) {
      const { type, fault, reason } = suppressed(
        classify({ surface: "store", error, observedAt: at }),
        `the files about node ${visit.node} could not be written; the run continues`,
        at,
      );
      await this.#session.record([{ type, fault, reason }]);
    }
  }
}

export async function filesOf(
  journal: Journal,
  run: string,
): Promise<{ readonly files: readonly string[]; readonly folder: string | null }> {
  if (journal.files === null) return { files: [], folder: null };
  const store = filesOfRun(journal.files, run);
  return { files: await store.list(), folder: store.folder };
}

/** The visit's files by name: `rounds/02/coder_raw.md`. */
export function filesOfVisit(
  { node, execution }: Pick<Visit, "node" | "execution">,
  files: readonly string[],
): readonly string[] {
  const round = `rounds/${String(execution).padStart(2, "0")}/`;
  return files.filter((file) => file.startsWith(`${round}${node}_`) || file.startsWith(`${round}${node}.`));
}

/** A file of the run, without following links; null when there is none of that name. Only names that `filesOf` lists are read. */
export async function readRunFile(journal: Journal, run: string, name: string): Promise<Uint8Array | null> {
  if (journal.files === null) return null;
  const store = filesOfRun(journal.files, run);
  return (await store.list()).includes(name) ? store.read(name) : null;
}

export interface StageFilesAbout {
  readonly run: string;
  /** What was read of the run. */
  readonly memory: StageMemory;
  /** What is about to be written: the event that tells of the failure comes after its files. */
  readonly coming: readonly NewEntry[];
  /** Raw output by turn (see `turnOf`), as far as it is at hand; what was written before stays. */
  readonly raw: ReadonlyMap<string, string>;
  readonly knownOf: (node: string) => KnownOfNode;
  readonly redactor: Redactor;
}

/** The files of one run. */
export function filesOfRun(files: JournalFiles, run: string): FileStore {
  return files.runs.within(fileNameOf(run));
}

/** Gives the names of the files that were written, relative to the folder of the run: those about failed stages that have changed. */
export async function writeStageFiles(store: FileStore, about: StageFilesAbout): Promise<readonly string[]> {
  const { run, memory, coming, raw, knownOf, redactor } = about;
  const records = memory.after(coming);
  try {
    const before = new Map<string, string>();
    for (const stage of records.changed.filter((one) => failedAttempts(one).length > 0)) {
      const name = rawNameOf(stage);
      before.set(name, Buffer.from((await store.read(name)) ?? []).toString("utf8"));
    }
    const files = stageFiles(records, { run, raw, before, knownOf, redactor });
    for (const { name, text } of files) await store.replace(name, text);
    memory.wrote(records);
    return files.map(({ name }) => name);
  } catch (error) {
    throw storeError(error, { run });
  }
}

// The content of the files about failed stages: pure. The run's entries decide which files there are; raw output that
// is not at hand any more is taken from the file that was written before.

/** What an action on a node depends on besides the state of the run. */
type KnownOfNode = Pick<ActionSituation, "targets" | "sendBackTo" | "hasPartialOutput">;

interface ContentOptions {
  readonly run: string;
  /** Raw output by turn, as far as it is at hand. */
  readonly raw: ReadonlyMap<string, string>;
  /** The raw files of before, by name. */
  readonly before: ReadonlyMap<string, string>;
  readonly knownOf: (node: string) => KnownOfNode;
  readonly redactor: Redactor;
}

interface StageFile {
  /** Relative to the folder of the run. */
  readonly name: string;
  readonly text: string;
}

/** The most that is kept of one attempt's raw output; a longer one loses its middle. */
const MAX_RAW_BYTES = 1024 * 1024;

/** The files about failed stages that have changed. */
function stageFiles({ changed, inRound, state }: StageRecords, options: ContentOptions): readonly StageFile[] {
  const failed = changed.filter((stage) => failedAttempts(stage).length > 0);
  const rounds = [...new Set(failed.map(({ execution }) => execution))];
  return [
    ...failed.flatMap((stage) => [
      { name: rawNameOf(stage), text: rawText(stage, options) },
      { name: `${pathOf(stage)}.events.jsonl`, text: eventLines(stage, options) },
      { name: `${pathOf(stage)}.meta.json`, text: jsonText(metaOf(stage, state, options), options) },
    ]),
    ...rounds.map((round) => ({
      name: `${roundOf(round)}/round.json`,
      text: jsonText(roundMeta(round, inRound(round), options), options),
    })),
  ];
}

function rawNameOf(stage: Pick<StageRecord, "node" | "execution">): string {
  return `${pathOf(stage)}_raw.md`;
}

function pathOf({ node, execution }: Pick<StageRecord, "node" | "execution">): string {
  return `${roundOf(execution)}/${fileNameOf(node)}`;
}

function roundOf(execution: number): string {
  return `rounds/${String(execution).padStart(2, "0")}`;
}

function rawText(stage: StageRecord, { raw, before, redactor }: ContentOptions): string {
  const { node, execution } = stage;
  const known = sectionsOf(before.get(rawNameOf(stage)) ?? "");
  const parts = failedAttempts(stage).map(({ attempt, fault, outcome }) => {
    const now = fitted(raw.get(turnOf({ node, execution, attempt })) ?? "", redactor);
    const then = fitted(known.get(attempt) ?? "", redactor);
    // After a crash, a repeated attempt is answered from the journal and produces less raw output. Keep the longer text.
    const text = then.length > now.length ? then : now;
    const what = fault === null ? "" : `${fault.class}/${fault.code}`;
    return `## Attempt ${attempt}: ${what} (${outcome ?? ""})\n\n${section(attempt, text)}`;
  });
  return [`# Raw output of ${node}, round ${execution}\n`, ...parts].join("\n");
}

function fitted(text: string, redactor: Redactor): string {
  return Buffer.from(fit(text, MAX_RAW_BYTES, redactor).bytes).toString("utf8");
}

/** With its length, so that nothing in the output can be taken for the beginning of another attempt. */
function section(attempt: number, text: string): string {
  if (text === "") return "There is no raw output of this attempt.\n";
  const ticks = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 3);
  const fence = "`".repeat(ticks + 1);
  return `<!-- raw: attempt=${attempt} chars=${text.length} -->\n${fence}text\n${text}\n${fence}\n`;
}

function sectionsOf(file: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const mark = /<!-- raw: attempt=(\d+) chars=(\d+) -->\n`{4,}text\n/g;
  for (let match = mark.exec(file); match !== null; match = mark.exec(file)) {
    const end = mark.lastIndex + Number(match[2]);
    found.set(Number(match[1]), file.slice(mark.lastIndex, end));
    mark.lastIndex = end;
  }
  return found;
}

function eventLines({ entries }: StageRecord, { run, redactor }: ContentOptions): string {
  return entries
    .map(({ seq, at, event }) => `${JSON.stringify({ session: run, seq, at, event: redactor.value(event) })}\n`)
    .join("");
}

function jsonText(value: unknown, { redactor }: ContentOptions): string {
  return `${JSON.stringify(redactor.value(value), null, 2)}\n`;
}

function metaOf(stage: StageRecord, state: RunState | null, options: ContentOptions): unknown {
  const { node, execution, attempts, then } = stage;
  const last = failedAttempts(stage).at(-1);
  if (last === undefined) return {};
  if (last.fault === null) return {};
  const fault = { ...last.fault, code: knownCode(last.fault) };
  const transport = attempts.reduce((sum, { callAttempts, calls }) => sum + callAttempts - calls.size, 0);
  const ids = [options.run, turnOf({ node, execution, attempt: last.attempt }), last.failedCall];
  const correlationId = ids.filter((id) => id !== "").join("/");
  const wordsIn = (locale: Locale): unknown => {
    const view = viewFor("operator", fault, { correlationId, locale, redactor: options.redactor });
    return { user: view.message, operator: view.hint, next: view.next };
  };
  return {
    node,
    execution,
    state: stage.state,
    attempts: attempts.map((attempt) => attemptMeta(attempt, options)),
    class: fault.class,
    code: fault.code,
    outcome: last.outcome,
    pill: pillOf(fault.code),
    retries: { workflow: attempts.length - 1, transport },
    then,
    nextAction: nextActionOf(stage, state, options),
    message: Object.fromEntries(LOCALES.map((locale) => [locale, wordsIn(locale)])),
    correlationId,
  };
}

function attemptMeta(record: AttemptRecord, { redactor }: ContentOptions): unknown {
  const { attempt, fault, outcome, startedAt, endedAt, callAttempts, spentMicrocents } = record;
  return {
    attempt,
    class: fault?.class ?? null,
    code: fault?.code ?? null,
    outcome,
    message: fault === null ? null : redactor.text(fault.message),
    startedAt,
    endedAt: endedAt === 0 ? null : endedAt,
    callAttempts,
    spentMicrocents,
  };
}

/** The action an operator is offered first; null where the run continues by itself. */
function nextActionOf(stage: StageRecord, state: RunState | null, { run, knownOf }: ContentOptions): unknown {
  const visit = state === null ? undefined : visitOf(state, stage);
  if (state === null || visit === undefined || stage.state === "completed" || stage.then.do === "go-on") return null;
  const [first] = actionsOn({ run, state, ...knownOf(stage.node), lastSeq: 0 }, visit, "en");
  if (first === undefined) return null;
  const labels = LOCALES.map((locale) => [locale, actionWords(first.id, locale).label]);
  return { id: first.id, label: Object.fromEntries(labels) as unknown };
}

function roundMeta(round: number, stages: readonly StageRecord[], options: ContentOptions): unknown {
  return {
    run: options.run,
    round,
    nodes: stages.map(({ node, state, attempts }) => ({
      node,
      state,
      attempts: attempts.map((attempt) => attemptMeta(attempt, options)),
    })),
  };
}
