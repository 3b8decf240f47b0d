// One action on many runs of a group of failures: previewed, started, watched, aborted.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { bulkPreview, bulkReport, bulkView } from "../../api/bulk.ts";
import { isFaultError } from "../../core/fault/fault.ts";
import { actionWords } from "../../core/flow/action-words.ts";
import { focusOf } from "../../core/flow/action.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { type Bulk, type BulkReport, DEFAULT_PACE, wavesOf } from "../../workflow/bulk/bulk.ts";
import { bulkWords } from "../../workflow/bulk/bulk-words.ts";
import type { BulkPreview } from "../../workflow/bulk/bulks.ts";
import type { HandlersOf } from "../handler.ts";
import { fromCursor, pageFrom } from "../cursor.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";

const behind = z.object({ id: z.string(), startedAt: z.number() });

export function bulkHandlers({
  workflows: { bulks },
}: ServerParts): HandlersOf<"previewBulk" | "startBulk" | "listBulks" | "showBulk" | "abortBulk"> {
  return {
    async previewBulk({ params: { fingerprint }, body: { action, pace = DEFAULT_PACE }, locale }) {
      const preview = await bulks.preview(fingerprint, { locale, ...defined({ action }) });
      return previewView(preview, pace, locale);
    },
    async startBulk({ params: { fingerprint }, body, who, idempotencyKey, locale }) {
      const { action, params, pace } = body;
      const options = {
        action,
        by: who.name,
        ...defined({ params, pace }),
        ...(idempotencyKey === "" ? {} : { key: idempotencyKey }),
      };
      try {
        return viewOf(await bulks.start(fingerprint, options), locale);
      } catch (error) {
        const isUnderWay = isFaultError(error) && error.fault.context["bulk"] !== undefined;
        throw isUnderWay ? new Refused("bulk-under-way") : error;
      }
    },
    async listBulks({ query: { limit, cursor, status, fingerprint }, locale }) {
      const after = fromCursor(cursor, behind);
      const found = await bulks.list({
        limit: limit + 1,
        ...defined({ status, fingerprint, after }),
      });
      return pageFrom(
        found,
        limit,
        (bulk) => viewOf(bulk, locale),
        ({ id, startedAt }) => ({ id, startedAt }),
      );
    },
    async showBulk({ params: { bulk }, locale }) {
      return reportView(await bulks.show(bulk), locale);
    },
    async abortBulk({ params: { bulk }, who, locale }) {
      return reportView(await bulks.abort(bulk, who.name), locale);
    },
  };
}

function viewOf(bulk: Bulk, locale: Locale): Shaped<typeof bulkView> {
  const { params: _params, pace, runs, action, status, ...facts } = bulk;
  const { label, says } = bulkWords(locale).status[status];
  return {
    ...facts,
    action,
    label: actionWords(action, locale).label,
    pace,
    runs: runs.length,
    status,
    statusLabel: label,
    says,
  };
}

function reportView(report: BulkReport | null, locale: Locale): Shaped<typeof bulkReport> {
  if (report === null) throw new Refused("not-there");
  const { bulk, steps } = report;
  const counts = { pending: 0, acting: 0, running: 0, completed: 0, failed: 0, waiting: 0, refused: 0 };
  for (const { state } of steps) counts[state]++;
  const { step: labels, untouched } = bulkWords(locale);
  const isOver = bulk.status !== "running";
  const waveOf = new Map(wavesOf(bulk).flatMap((wave, index) => wave.map((run) => [run, index + 1])));
  return {
    ...viewOf(bulk, locale),
    counts,
    steps: steps.map(({ run, state, now, code, at }) => ({
      run,
      state,
      label: isOver && state === "pending" ? untouched : labels[state],
      now,
      code,
      wave: waveOf.get(run) ?? 1,
      at: state === "pending" ? null : at,
    })),
  };
}

function previewView(preview: BulkPreview, pace: readonly number[], locale: Locale): Shaped<typeof bulkPreview> {
  const why = bulkWords(locale).passedOver;
  const { group, action, choices, runs, spentMicrocents, longestMs } = preview;
  const acted = runs.filter(({ offered }) => offered !== null).map(({ report }) => report.summary.run);
  return {
    fingerprint: group.fingerprint,
    action,
    choices: choices.map(({ offered, runs: count }) => ({ ...offered, runs: count })),
    runs: runs.map(({ report: { summary, state }, offered, passedOver }) => ({
      run: summary.run,
      workflow: summary.workflow,
      status: summary.status,
      node: focusOf(state)?.node ?? "",
      code: summary.code,
      action: offered,
      passedOver,
      says: passedOver === null ? "" : why[passedOver],
    })),
    estimate: {
      runs: acted.length,
      microcents: spentMicrocents,
      longestMs,
      pace,
      waves: wavesOf({ runs: acted, pace }).map((wave) => wave.length),
    },
  };
}
