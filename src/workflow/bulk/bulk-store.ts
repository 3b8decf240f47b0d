// Bulk actions in the journal: the bulk under its id, each of its runs under `id/run/…`, a wish to abort under `id/abort`.

import { tagOf } from "../../journal/keep-kinds.ts";
import type { Journal, Keep, Timed } from "../../journal/journal.ts";
import type { Bulk, BulkReport, BulkStatus, BulkStep } from "./bulk.ts";
import { pendingStep } from "./bulk.ts";

/** Bulk actions, the one that was started last first. */
export interface BulksQuery {
  readonly limit: number;
  readonly status?: BulkStatus;
  /** Only those on this group of failures. */
  readonly fingerprint?: string;
  /** Only those behind this one; the last of a page leads to the next. */
  readonly after?: Pick<Bulk, "id" | "startedAt">;
}

interface Wish {
  readonly by: string;
  readonly at: number;
}

/** False when there is a bulk of this id already. */
export function beginBulk(journal: Journal, bulk: Bulk): Promise<boolean> {
  return journal.keepFirst({ kind: "bulk", key: bulk.id, value: bulk });
}

export async function keepBulk(journal: Journal, bulk: Bulk): Promise<void> {
  await journal.keep([{ kind: "bulk", key: bulk.id, value: bulk }]);
}

export async function keepSteps(journal: Journal, id: string, steps: readonly BulkStep[]): Promise<void> {
  await journal.keep(steps.map((step): Keep => ({ kind: "bulk", key: `${id}/run/${step.run}`, value: step })));
}

/** The first wish counts. */
export async function wishAbort(journal: Journal, id: string, wish: Wish): Promise<void> {
  await journal.keepFirst({ kind: "bulk", key: `${id}/abort`, value: wish });
}

export async function abortWish(journal: Journal, id: string): Promise<Wish | null> {
  return (await journal.kept("bulk", `${id}/abort`)) as Wish | null;
}

/** null when there is none of that id. */
export async function readBulk(journal: Journal, id: string): Promise<BulkReport | null> {
  const kept = await journal.keptAll("bulk", id);
  const bulk = kept.find(({ key }) => key === id)?.value as Bulk | undefined;
  if (bulk === undefined) return null;
  const steps = new Map(
    kept
      .filter(({ key }) => key.startsWith(`${id}/run/`))
      .map(({ value }) => value as BulkStep)
      .map((step) => [step.run, step]),
  );
  const wish = kept.find(({ key }) => key === `${id}/abort`)?.value as Wish | undefined;
  return {
    bulk: aborted(bulk, wish ?? null),
    steps: bulk.runs.map((run) => steps.get(run) ?? pendingStep(run)),
  };
}

export async function listBulks(
  journal: Journal,
  { limit, status, fingerprint, after }: BulksQuery,
): Promise<readonly Bulk[]> {
  const tags = [
    ...(status === undefined ? [] : [tagOf("status", status)]),
    ...(fingerprint === undefined ? [] : [tagOf("fingerprint", fingerprint)]),
  ];
  const found: readonly Timed[] = await journal.keptByTime("bulk", {
    order: "newest",
    limit,
    ...(tags.length === 0 ? {} : { tags }),
    ...(after === undefined ? {} : { after: { at: after.startedAt, key: after.id } }),
  });
  return found.map(({ value }) => value as Bulk);
}

/** A wish counts at once, also while the process that acts has not seen it. */
function aborted(bulk: Bulk, wish: Wish | null): Bulk {
  if (wish === null || bulk.status !== "running") return bulk;
  return { ...bulk, status: "aborted", abortedBy: wish.by, endedAt: wish.at };
}
