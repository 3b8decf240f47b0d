// Lists of runs, newest first, page by page. A run keeps its place in the list, so pages miss nothing and repeat nothing while other runs
// start. Every filter has an index; a search with filters besides, and what no filter names, reads on up to a limit, so pages may be short.

import { codesWithCause } from "../../core/fault/catalogue.ts";
import type { RunStatus } from "../../core/flow/run-state.ts";
import type { Journal, Timed } from "../../journal/journal.ts";
import { LATEST, tagOf } from "../../journal/keep-kinds.ts";
import { compareKeys } from "../../journal/encode.ts";
import type { RunsFilter, RunsPage, RunsPlace, RunSummary } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { answeredOf } from "./run-reports.ts";

const PAGE = 200;
/** Runs that are read for one page, whatever the filter. */
const MAX_READ = 2_000;

export async function listRuns(deps: RunsDeps, filter: RunsFilter): Promise<readonly RunSummary[]> {
  const { limit = Infinity } = filter;
  const found: RunSummary[] = [];
  for (let after = filter.after ?? null; found.length < limit;) {
    const rest = { ...filter, limit: limit - found.length, ...(after === null ? {} : { after }) };
    const { runs, next }: RunsPage = await pageOfRuns(deps, rest, { ahead: 0 });
    found.push(...runs);
    if (next === null) break;
    after = next;
  }
  return found;
}

interface PageOptions {
  /** 1 to learn whether more runs follow. */
  readonly ahead?: 0 | 1;
  readonly fits?: ((run: RunSummary) => boolean) | undefined;
}

export async function pageOfRuns(
  { journal }: RunsDeps,
  filter: RunsFilter,
  { ahead = 1, fits }: PageOptions = {},
): Promise<RunsPage> {
  const { limit = PAGE, since = 0 } = filter;
  const isSearch = filter.text !== undefined;
  const read = isSearch ? bySearch : byTime;
  const isNarrow = fits !== undefined || (isSearch && Object.keys(filter).some((name) => !WIDE.has(name)));
  const found: RunSummary[] = [];
  let last: RunsPlace | null = filter.after ?? null;
  for (let count = 0; count < MAX_READ && found.length < limit + ahead;) {
    const size = isNarrow ? PAGE : Math.min(PAGE, limit - found.length + ahead);
    const page: readonly Row[] = await read(journal, filter, last, size);
    for (const { run: line, place } of page) {
      if (!isSearch && place.startedAt < since) return { runs: found, next: null };
      const run = await withOpenQuestions(journal, line);
      const isShown = (fits?.(run) ?? true) && (!isSearch || isAskedFor(run, filter));
      if (isShown && found.length === limit) return { runs: found, next: last };
      if (isShown) found.push(run);
      last = place;
    }
    if (page.length < size) return { runs: found, next: null };
    count += page.length;
  }
  return { runs: found, next: last };
}

/** Parts of a filter that leave nothing out of what a search has found. */
const WIDE: ReadonlySet<string> = new Set(["text", "limit", "after"]);

/** Removes answered questions, even if the run has not read the answers yet. */
async function withOpenQuestions(journal: Journal, summary: RunSummary): Promise<RunSummary> {
  if (summary.questions.length === 0) return summary;
  const answered = await answeredOf(journal, summary.questions);
  const questions = summary.questions.filter((id) => !answered.has(id));
  // `wakeAt` is when its questions expire, so it goes with them.
  return { ...summary, questions, wakeAt: questions.length === 0 ? null : summary.wakeAt };
}

interface Row {
  readonly run: RunSummary;
  readonly place: RunsPlace;
}

/** The lists of all choices, merged: each has an index of its own. */
async function byTime(
  journal: Journal,
  filter: RunsFilter,
  after: RunsPlace | null,
  limit: number,
): Promise<readonly Row[]> {
  const { until } = filter;
  const start =
    after !== null
      ? { after: { at: after.startedAt, key: after.run } }
      : until === undefined
        ? {}
        : { after: { at: until, key: LAST_KEY } };
  const pages: readonly (readonly Timed[])[] = await Promise.all(
    tagLists(filter).map((tags) => journal.keptByTime("run", { order: "newest", limit, tags, ...start })),
  );
  const merged = pages.length === 1 ? (pages[0] ?? []) : pages.flat().toSorted(newestFirst).slice(0, limit);
  return merged.map(({ value, at, key }) => ({ run: value as RunSummary, place: { run: key, startedAt: at } }));
}

/** Behind every other key. */
const LAST_KEY = "\u{10ffff}";

function newestFirst(a: Timed, b: Timed): number {
  return b.at - a.at || compareKeys(b.key, a.key);
}

/** One list for each code and status that a run may have. The rarest tag comes first: that is the one that is looked up. */
function tagLists(filter: RunsFilter): readonly (readonly string[])[] {
  const { target, workflow, superseded } = filter;
  const common = [
    ...(target === undefined ? [] : [tagOf("target", target)]),
    ...(workflow === undefined ? [] : [tagOf("workflow", workflow)]),
  ];
  const last = superseded === false ? [LATEST] : [];
  const codes = codesOf(filter)?.map((code) => [tagOf("code", code)]) ?? [[]];
  const statuses = statusesOf(filter)?.map((status) => [tagOf("status", status)]) ?? [[]];
  return codes.flatMap((code) => statuses.map((status) => [...code, ...common, ...status, ...last]));
}

/** null: no filter. */
function codesOf({ code, cause }: RunsFilter): readonly string[] | null {
  const ofCause: readonly string[] | null = cause === undefined ? null : codesWithCause(cause);
  if (code === undefined) return ofCause;
  return ofCause === null || ofCause.includes(code) ? [code] : [];
}

function statusesOf({ status, isOpen }: RunsFilter): readonly RunStatus[] | null {
  const open = isOpen === true ? OPEN : null;
  if (status === undefined) return open;
  return open === null || open.includes(status) ? [status] : [];
}

const OPEN: readonly RunStatus[] = ["running", "paused"];

async function bySearch(
  journal: Journal,
  { text = "" }: RunsFilter,
  after: RunsPlace | null,
  limit: number,
): Promise<readonly Row[]> {
  const from = after?.position === undefined ? {} : { after: { position: after.position } };
  const page = await journal.search(text, { kinds: ["run"], limit, ...from });
  return page.flatMap((found) => {
    if (found.kind !== "run") return [];
    const run = found.value as RunSummary;
    return [{ run, place: { run: found.run, startedAt: run.startedAt, position: found.position } }];
  });
}

/** What a search found does not have to fit the filters besides. */
function isAskedFor({ workflow, target, code, status, successor, startedAt }: RunSummary, filter: RunsFilter): boolean {
  const { since = 0, until = Infinity } = filter;
  return (
    (filter.workflow ?? workflow) === workflow &&
    (filter.target ?? target) === target &&
    (codesOf(filter)?.includes(code ?? "") ?? true) &&
    (statusesOf(filter)?.includes(status) ?? true) &&
    (filter.superseded !== false || successor === null) &&
    since <= startedAt &&
    startedAt <= until
  );
}

/** The runs that a live process is advancing right now. */
export async function heldRuns({ journal, clock, worker }: RunsDeps): Promise<ReadonlySet<string>> {
  const now = clock.now();
  const holds = await journal.holds();
  return new Set(holds.flatMap(({ key, owner, until }) => (until > now && !worker.isGone(owner) ? [key] : [])));
}
