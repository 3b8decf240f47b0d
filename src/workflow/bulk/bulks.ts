// Bulk actions: what an operator would do to each run of a group of failures, shown first, then done to all of them at a careful pace.

import { type Fault, fault, FaultError, isFault } from "../../core/fault/fault.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { checkActionParams } from "../../core/flow/action-params.ts";
import { ACTION_IDS, type ActionId, focusOf, type OfferedAction } from "../../core/flow/action.ts";
import type { FaultGroup } from "../../core/record/fault-index.ts";
import {
  anything,
  checkOptions,
  listOf,
  mapOf,
  oneOf,
  required,
  shape,
  text,
  whole,
} from "../../options/check-options.ts";
import { audited } from "../../journal/audit.ts";
import { RunHolds } from "../advance/held-run.ts";
import type { RunReport } from "../runs-api.ts";
import { DEFAULT_BY, type RunsDeps } from "../runs-options.ts";
import type { WorkflowRuns } from "../runs.ts";
import { digestOf } from "../../runtime/session/session-core.ts";
import { BulkDriver, type BulkDriverOptions, settledStep } from "./bulk-driver.ts";
import {
  beginBulk,
  type Bulk,
  type BulkReport,
  type BulksQuery,
  concernOf,
  DEFAULT_PACE,
  listBulks,
  offerOf,
  readBulk,
  runsOf,
  type WhyPassedOver,
  wishAbort,
} from "./bulk.ts";

/** Options of `bulks.preview`. */
export interface BulkPreviewOptions {
  /** Default: the one that most runs offer first and that needs nothing. */
  readonly action?: ActionId;
  readonly locale?: Locale;
}

/** Options of `bulks.start`. */
export interface BulkOptions {
  readonly action: ActionId;
  /** What the action needs, the same for every run. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The sizes of the first waves; the last one holds for all that follow. Default: 1, 5, 20. */
  readonly pace?: readonly number[];
  /** The same key starts it once. */
  readonly key?: string;
  /** Who acts, for the record. */
  readonly by?: string;
}

/** One run in a preview. */
export interface PreviewedRun {
  readonly report: RunReport;
  /** The action it would get; null when it is passed over or does not offer it. */
  readonly offered: OfferedAction | null;
  readonly passedOver: WhyPassedOver | null;
}

/** What a bulk action would do. */
export interface BulkPreview {
  readonly group: FaultGroup;
  /** null when no run of the group offers anything. */
  readonly action: ActionId | null;
  /** Which actions the runs offer, and how many runs each. */
  readonly choices: readonly { readonly offered: OfferedAction; readonly runs: number }[];
  readonly runs: readonly PreviewedRun[];
  /** What the stages that would run again have cost so far, all attempts together: about what to expect. */
  readonly spentMicrocents: number;
  /** The longest that one of them took. */
  readonly longestMs: number;
}

const BULK_OPTIONS = shape<BulkOptions>({
  action: required(oneOf(ACTION_IDS)),
  params: mapOf(anything),
  pace: listOf(whole(1)),
  key: text,
  by: text,
});

/** What continues a run. Answers and cancellations are about one run each. */
const EFFECTS: ReadonlySet<OfferedAction["effect"]> = new Set(["instruct", "successor", "resume"]);

/** Bulk actions on the runs of a journal. */
export class Bulks {
  readonly #deps: RunsDeps;
  readonly #runs: WorkflowRuns;
  readonly #drivers = new Set<BulkDriver>();

  constructor(deps: RunsDeps, runs: WorkflowRuns) {
    this.#deps = deps;
    this.#runs = runs;
  }

  /** What an action would do to each run that a group of failures concerns. Rejects when there is no such group. */
  async preview(fingerprint: string, { action, locale }: BulkPreviewOptions = {}): Promise<BulkPreview> {
    const { journal } = this.#deps;
    const group = await journal.faultGroup(fingerprint);
    if (group === null) throw new FaultError(noGroup(fingerprint));
    const reports: RunReport[] = [];
    for (const run of await runsOf(journal, fingerprint)) {
      const report = await this.#runs.show(run, locale);
      if (report !== null) reports.push(report);
    }
    const choices = choicesOf(reports.filter((report) => concernOf(report, group.code) === null));
    const chosen = action ?? choices.find(({ offered }) => offered.needs === "nothing")?.offered.id ?? null;
    const runs = reports.map((report) => previewed(report, group.code, chosen));
    const visits = runs.flatMap(({ report, offered }) => (offered === null ? [] : (focusOf(report.state) ?? [])));
    return {
      group,
      action: chosen,
      choices,
      runs,
      spentMicrocents: visits.reduce((sum, { spentMicrocents }) => sum + spentMicrocents, 0),
      longestMs: Math.max(0, ...visits.map(({ startedAt, endedAt }) => endedAt - startedAt)),
    };
  }

  /** Starts an action on every run that a group concerns and that offers it. Carried out by a driver, here or in another process. */
  async start(fingerprint: string, given: BulkOptions): Promise<Bulk> {
    const options = checkOptions("bulks.start", given, BULK_OPTIONS);
    const { journal, clock, chance } = this.#deps;
    const { action, key = "", by = DEFAULT_BY } = options;
    const deed = { what: "bulk.start", on: fingerprint, by, action, key };
    return audited({ journal, clock, newId: () => chance.newId("aud") }, deed, () => this.#start(fingerprint, options));
  }

  async #start(fingerprint: string, options: BulkOptions): Promise<Bulk> {
    const { action, params = {}, pace = DEFAULT_PACE, key, by = DEFAULT_BY } = options;
    const { journal, clock, chance } = this.#deps;
    const id = key === undefined ? chance.newId("bulk") : `bulk_${digestOf([fingerprint, key]).slice(0, 24)}`;
    const before = await readBulk(journal, id);
    if (before !== null) return before.bulk;
    for (const { id: other } of await listBulks(journal, { limit: 10, status: "running", fingerprint })) {
      // A driver may not have seen yet that it was aborted.
      const bulk = (await readBulk(journal, other))?.bulk;
      if (bulk?.status === "running") throw new FaultError(underWay(bulk));
    }
    const { group, runs } = await this.preview(fingerprint, { action });
    const chosen = runs.filter(({ offered }) => offered !== null);
    const [first] = chosen;
    if (first?.offered === undefined || first.offered === null) throw new FaultError(nothingToDo(action, group));
    const checked = checkActionParams(first.offered, params, first.report.questions);
    if (isFault(checked)) throw new FaultError(checked);
    const bulk: Bulk = {
      id,
      fingerprint,
      code: group.code,
      action,
      params,
      pace: pace.length === 0 ? DEFAULT_PACE : pace,
      runs: chosen.map(({ report }) => report.summary.run),
      by,
      startedAt: clock.now(),
      status: "running",
      endedAt: null,
      abortedBy: "",
    };
    await beginBulk(journal, bulk);
    this.#poke();
    return (await readBulk(journal, id))?.bulk ?? bulk;
  }

  /** A bulk action with each of its runs as it stands now; null when there is none of that id. */
  async show(id: string): Promise<BulkReport | null> {
    const { journal, clock } = this.#deps;
    const report = await readBulk(journal, id);
    if (report === null) return null;
    const now = clock.now();
    const steps = await Promise.all(report.steps.map((step) => settledStep(journal, step, now)));
    return { bulk: report.bulk, steps };
  }

  list(query: BulksQuery): Promise<readonly Bulk[]> {
    return listBulks(this.#deps.journal, query);
  }

  /** No further run is acted on; those that were continue. null when there is none of that id. */
  async abort(id: string, by = DEFAULT_BY): Promise<BulkReport | null> {
    const { journal, clock } = this.#deps;
    const report = await readBulk(journal, id);
    if (report?.bulk.status === "running") {
      await wishAbort(journal, id, { by, at: clock.now() });
      this.#poke();
    }
    return this.show(id);
  }

  /** A loop that carries bulk actions out; several processes may have one. */
  driver(options: BulkDriverOptions = {}): BulkDriver {
    const { journal, clock } = this.#deps;
    const driver = new BulkDriver({ journal, clock, holds: new RunHolds(this.#deps), runs: this.#runs }, options);
    this.#drivers.add(driver);
    return driver;
  }

  #poke(): void {
    for (const driver of this.#drivers) driver.poke();
  }
}

function previewed(report: RunReport, code: string, action: string | null): PreviewedRun {
  const passedOver = concernOf(report, code);
  const offered = passedOver === null && action !== null ? offerOf(report, action) : null;
  const isOffered = offered !== null && EFFECTS.has(offered.effect);
  return {
    report,
    offered: isOffered ? offered : null,
    passedOver: passedOver ?? (isOffered ? null : "not-offered"),
  };
}

/** The action that most runs offer comes first; of equals, the one that stands first in a run's own list. */
function choicesOf(reports: readonly RunReport[]): BulkPreview["choices"] {
  const found = new Map<string, { readonly offered: OfferedAction; runs: number }>();
  for (const { actions } of reports) {
    for (const offered of actions.filter(({ effect }) => EFFECTS.has(effect))) {
      const known = found.get(offered.id) ?? { offered, runs: 0 };
      known.runs++;
      found.set(offered.id, known);
    }
  }
  return [...found.values()].toSorted((a, b) => b.runs - a.runs);
}

/** Two bulk actions side by side would act on the same runs. */
function underWay({ id, by, action }: Bulk): Fault {
  const message = `bulk action ${id} (${action}, started by ${by}) still works on these failures; wait for it, or abort it first`;
  return fault("EngineState", { message, context: { bulk: id } });
}

function noGroup(fingerprint: string): ReturnType<typeof fault> {
  const message = `no failure has the fingerprint ${fingerprint}; list the groups of failures to see theirs`;
  return fault("NotFound", { message, context: { fingerprint } });
}

function nothingToDo(action: string, { fingerprint, code }: FaultGroup): ReturnType<typeof fault> {
  const message = `no run that stands because of ${code} offers ${action}; preview the group to see what its runs offer`;
  return fault("EngineState", { message, context: { fingerprint, action } });
}
