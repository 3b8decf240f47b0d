// Lists of runs, newest first, page by page. A run keeps its place in the list, so pages miss nothing and repeat nothing while other runs
// start. Every filter has an index; a search with filters besides reads on, up to a limit, so its pages may be short.

import type { Journal, Timed } from "../../journal/journal.ts";
import { tagOf } from "../../journal/keep-kinds.ts";
import type { RunsFilter, RunsPage, RunsPlace, RunSummary } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { answeredOf } from "./run-reports.ts";

const PAGE = 200;
/** Runs that are read for one page, whatever the filter. */
const MOST_READ = 2_000;

export async function listRuns(home: RunsDeps, filter: RunsFilter): Promise<readonly RunSummary[]> {
  const { limit = Infinity } = filter;
  const found: RunSummary[] = [];
  for (let after = filter.after ?? null; found.length < limit;) {
    const rest = { ...filter, limit: limit - found.length, ...(after === null ? {} : { after }) };
    const { runs, next }: RunsPage = await pageOfRuns(home, rest, 0);
    found.push(...runs);
    if (next === null) break;
    after = next;
  }
  return found;
}

/** `ahead`: 1 to learn whether more runs follow. */
export async function pageOfRuns({ journal }: RunsDeps, filter: RunsFilter, ahead: 0 | 1 = 1): Promise<RunsPage> {
  const { runs, next } = await readPage(journal, filter, ahead);
  return { runs: await Promise.all(runs.map((run) => withOpenQuestions(journal, run))), next };
}

/** Removes answered questions, even if the run has not read the answers yet. */
async function withOpenQuestions(journal: Journal, summary: RunSummary): Promise<RunSummary> {
  if (summary.questions.length === 0) return summary;
  const answered = await answeredOf(journal, summary.questions);
  const questions = summary.questions.filter((id) => !answered.has(id));
  // `wakeAt` is when its questions expire, so it goes with them.
  return { ...summary, questions, wakeAt: questions.length === 0 ? null : summary.wakeAt };
}

async function readPage(journal: Journal, filter: RunsFilter, ahead: 0 | 1): Promise<RunsPage> {
  const { limit = PAGE } = filter;
  const read = filter.text === undefined ? byTime : bySearch;
  const found: RunSummary[] = [];
  let last: RunsPlace | null = filter.after ?? null;
  for (let count = 0; count < MOST_READ && found.length < limit + ahead;) {
    const size = isNarrow(filter) ? PAGE : Math.min(PAGE, limit - found.length + ahead);
    const page: readonly Row[] = await read(journal, filter, last, size);
    for (const { run, place } of page) {
      if (found.length === limit) return { runs: found, next: last };
      if (fits(run, filter)) found.push(run);
      last = place;
    }
    if (page.length < size) return { runs: found, next: null };
    count += page.length;
  }
  return { runs: found, next: last };
}

interface Row {
  readonly run: RunSummary;
  readonly place: RunsPlace;
}

async function byTime(
  journal: Journal,
  filter: RunsFilter,
  after: RunsPlace | null,
  limit: number,
): Promise<readonly Row[]> {
  const page: readonly Timed[] = await journal.keptByTime("run", {
    order: "newest",
    limit,
    tags: TAGS.flatMap((name) => (filter[name] === undefined ? [] : [tagOf(name, filter[name])])),
    ...(after === null ? {} : { after: { at: after.startedAt, key: after.run } }),
  });
  return page.map(({ value, at, key }) => ({ run: value as RunSummary, place: { run: key, startedAt: at } }));
}

/** The rarest first: that is the one that is looked up. */
const TAGS = ["code", "target", "workflow", "status"] as const;

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

/** Some of what is read does not fit. */
function isNarrow(filter: RunsFilter): boolean {
  return filter.text !== undefined && TAGS.some((name) => filter[name] !== undefined);
}

function fits(run: RunSummary, filter: RunsFilter): boolean {
  return TAGS.every((name) => filter[name] === undefined || filter[name] === run[name]);
}

/** The runs that a live process is advancing right now. */
export async function heldRuns({ journal, clock, worker }: RunsDeps): Promise<ReadonlySet<string>> {
  const now = clock.now();
  const holds = await journal.holds();
  return new Set(holds.flatMap(({ key, owner, until }) => (until > now && !worker.isGone(owner) ? [key] : [])));
}
