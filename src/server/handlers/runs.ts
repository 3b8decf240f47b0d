// Runs: reading them, what they can be filtered by, and acting on them.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { runsQuery } from "../../api/runs.ts";
import type { Question } from "../../core/flow/interaction.ts";
import { isEnded, keyOf, type RunStatus } from "../../core/flow/run-state.ts";
import { RUN_STANDINGS, STANDING_WORDS, standingOf, type Surroundings } from "../../core/flow/run-standing.ts";
import type { Span } from "../../core/record/timeline.ts";
import { asItStands, visitWithOutput } from "../../workflow/report/export-run.ts";
import type { RunReport, RunsFilter, RunSummary } from "../../workflow/runs-api.ts";
import type { HandlersOf, Sender } from "../handler.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import { isRun, type ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import { eventFor, matching, runFor, runLineFor } from "../run-views.ts";
import { attemptFor, attemptsIn } from "../span-views.ts";
import type { Reader } from "../views.ts";
import { codesWithCause, FAULT_CAUSES, FAULT_CODES, traitsOf } from "../../core/fault/catalogue.ts";
import { pillOf } from "../../core/fault/words/pills.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import { createHash } from "node:crypto";

type Names =
  | "listRuns"
  | "showRun"
  | "listRunEvents"
  | "listAttempts"
  | "showOutput"
  | "exportRun"
  | "reportOnRun"
  | "listFiles"
  | "showFile";

const runsPlace = z.strictObject({ run: z.string(), startedAt: z.number(), position: z.number().optional() });
const attemptPlace = z.strictObject({ after: z.number().int().min(0) });

export function runHandlers(parts: ServerParts): HandlersOf<Names> {
  const { workflows, clock, drives: isDriven } = parts;
  const { runs } = workflows;
  return {
    async listRuns({ locale, query }) {
      const held = await runs.held();
      const now = clock.now();
      const around = ({ run }: RunSummary): Surroundings => ({ now, isDriven, isHeld: held.has(run) });
      const filter = filterOf(query);
      const { state } = query;
      // A state that a run keeps once it is over has an index; all others depend on the time and on who holds the run.
      const isIndexed = state === undefined || state === "open" || (isOver(state) && filter.status === undefined);
      const fits = isIndexed ? undefined : (run: RunSummary): boolean => standingOf(run, around(run)) === state;
      const status = state !== undefined && isOver(state) ? { status: state } : {};
      const { runs: found, next } = await runs.page({ ...status, ...filter }, fits);
      const asked = await Promise.all(found.map((run) => askedBy(parts, run)));
      return {
        items: found.map((run, index) => runLineFor({ locale }, run, around(run), asked[index] ?? null)),
        next: next === null ? null : toCursor({ ...next }),
      };
    },
    async showRun({ who, locale, params: { run } }) {
      const found = await reportOf(parts, run, { locale });
      const isHeld = (await runs.held()).has(run);
      const outline = await runs.outlineOf(found.summary);
      const reader = { who, locale, redactor: await runs.redactorOf(run) };
      const line = await workflows.timeline(run);
      const now = clock.now();
      const outputs = new Map(
        line.spans.flatMap(({ place, output }) => (place === null || output === null ? [] : [[keyOf(place), output]])),
      );
      const around = { now, isHeld, isDriven, outline, outputs, times: line.times(now), moves: line.moves };
      return runFor(reader, asItStands(found, isHeld), around);
    },
    async listRunEvents({ who, locale, params: { run }, query: { limit, after, ...filter } }) {
      await refuseUnknown(parts, run);
      const all = matching(await workflows.events(run, locale), filter, who.role);
      return {
        items: all.slice(after, after + limit).map((event) => eventFor(who.role, event)),
        total: all.length,
        next: all.length > after + limit ? after + limit : null,
      };
    },
    async listAttempts({ who, locale, params: { run }, query: { node, order, limit, cursor } }) {
      const reader = await readerOf(parts, run, { who, locale });
      const place = fromCursor(cursor, attemptPlace) ?? null;
      const line = await workflows.timeline(run);
      const all = attemptsIn(line, node ?? null);
      const isBehind = ({ id }: Span): boolean =>
        place === null || (order === "newest" ? Number(id) < place.after : Number(id) > place.after);
      const behind = (order === "newest" ? all.toReversed() : all).filter(isBehind);
      const page = behind.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map((span) => attemptFor(reader, line, span)),
        next: behind.length > limit && last !== undefined ? toCursor({ after: Number(last.id) }) : null,
      };
    },
    async showOutput({ locale, params: { run }, query: { node } }) {
      const { state } = await reportOf(parts, run, { locale });
      const visit = visitWithOutput(state, node ?? null);
      const output = visit === undefined ? undefined : await runs.output(run, visit);
      if (visit === undefined || output === undefined) throw new Refused("no-output");
      return { run, node: visit.node, execution: visit.execution, output };
    },
    async exportRun({ locale, params: { run }, query: { format } }) {
      await refuseUnknown(parts, run);
      const lines = runs.export(run, format, locale);
      return new Response(ReadableStream.from(bytesOf(lines)), {
        headers: {
          "content-type": "application/x-ndjson; charset=utf-8",
          "content-disposition": `attachment; filename="${run.replaceAll(/[^\w.-]/g, "_")}.${format}.jsonl"`,
        },
      });
    },
    async reportOnRun({ locale, params: { run } }) {
      await refuseUnknown(parts, run);
      const { markdown } = await runs.report(run, { locale });
      return new Response(markdown, { headers: { "content-type": "text/markdown; charset=utf-8" } });
    },
    async listFiles({ locale, params: { run } }) {
      const { files } = await reportOf(parts, run, { locale });
      return { items: files.map((name) => ({ name })) };
    },
    async showFile({ params: { run, file } }) {
      await refuseUnknown(parts, run);
      const bytes = await runs.file(run, file);
      if (bytes === null) throw new Refused("not-there");
      return new Response(new Uint8Array(bytes), { headers: { "content-type": "text/plain; charset=utf-8" } });
    },
  };
}

/** The first question that a run asks; null for one that asks nothing. */
async function askedBy({ journal }: Pick<ServerParts, "journal">, run: RunSummary): Promise<Question | null> {
  const [first] = isEnded(run) ? [] : run.questions;
  return first === undefined
    ? null
    : (((await journal.kept("question", first)) as Question | null | undefined) ?? null);
}

type RunsQuery = Shaped<typeof runsQuery>;

function filterOf({ state, q: text, cursor, superseded, ...others }: RunsQuery): RunsFilter {
  const place = fromCursor(cursor, runsPlace);
  const after = place === undefined ? undefined : defined(place);
  const isOpen = state === undefined || isOver(state) ? undefined : true;
  const isLatest = superseded === "hide" ? false : undefined;
  return defined({ ...others, text, after, isOpen, superseded: isLatest });
}

function isOver(state: string): state is RunStatus {
  return isEnded({ status: state as RunStatus });
}

/** Refused when there is no such run. */
async function reportOf(
  { workflows }: ServerParts,
  run: string,
  { locale }: Pick<Sender, "locale">,
): Promise<RunReport> {
  const report = await workflows.runs.show(run, locale);
  if (report === null) throw new Refused("not-there");
  return report;
}

/** For routes that only need to know that the run exists. */
async function refuseUnknown({ journal }: ServerParts, run: string): Promise<void> {
  if (!(await isRun(journal, run))) throw new Refused("not-there");
}

async function readerOf(parts: ServerParts, run: string, sender: Reader): Promise<Reader> {
  await refuseUnknown(parts, run);
  return { ...sender, redactor: await parts.workflows.runs.redactorOf(run) };
}

async function* bytesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(`${line}\n`);
}

// What runs can be filtered by, in the reader's language.

export function runFilterHandlers({ workflows, faultline }: ServerParts): HandlersOf<"showRunFilters"> {
  return {
    async showRunFilters({ locale }) {
      const known = (await workflows.known()).map(({ workflow }) => workflow);
      const targets = new Set([
        ...known.flatMap(({ outline }) => outline.nodes.flatMap((node) => node.targets)),
        ...faultline.targets().map(({ target }) => target),
      ]);
      return {
        states: RUN_STANDINGS.map((id) => ({ id, label: STANDING_WORDS[locale][id] })),
        causes: FAULT_CAUSES.flatMap((id) => {
          const [code] = codesWithCause(id);
          return code === undefined ? [] : [{ id, label: pillOf(code, locale) }];
        }),
        codes: FAULT_CODES.map((id) => ({ id, label: wordsFor(id, locale).title, cause: traitsOf(id).cause })),
        workflows: Array.from(new Set(known.map(({ id }) => id)), (id) => ({ id, label: id })),
        targets: Array.from(targets, (id) => ({ id, label: id })),
      };
    },
  };
}

// What operators do with runs.

export function runActHandlers({
  workflows,
  journal,
}: ServerParts): HandlersOf<"startRun" | "act" | "cancelRun" | "resumeRun"> {
  const { runs } = workflows;
  return {
    async startRun({ who, idempotencyKey, body: { workflow: id, inputs, run: given } }) {
      const known = await workflows.find(id);
      if (known?.canStart !== true) throw new Refused("cannot-start");
      const keyed = idempotencyKey === "" ? undefined : runOfKey(who.name, idempotencyKey);
      const run = given ?? keyed;
      // The server that took this request before died before it could answer.
      if (run !== undefined && run === keyed && (await isRun(journal, run))) return { run };
      const started = await runs.start(known.workflow, {
        by: who.name,
        ...defined({ inputs, run }),
      });
      return { run: started };
    },
    async act({ who, params: { run }, body: { action, params, key: given }, idempotencyKey, intend }) {
      // The offer that is meant is the one of now, also when the request is repeated after a crash.
      const key = given ?? (idempotencyKey === "" ? null : await intend(() => keyOfOffer(run, action)));
      return runs.act(run, action, {
        by: who.name,
        ...defined({ params }),
        ...(key === null ? {} : { key }),
      });
    },
    async cancelRun({ who, params: { run } }) {
      await runs.cancel(run, who.name);
      return { run, did: true };
    },
    async resumeRun({ who, params: { run } }) {
      await runs.resume(run, null, { by: who.name });
      return { run, did: true };
    },
  };

  /** null when the run does not offer it. */
  async function keyOfOffer(run: string, action: string): Promise<string | null> {
    return (await runs.show(run))?.actions.find(({ id }) => id === action)?.key ?? null;
  }
}

/** A repeated request finds the run that it has started. */
function runOfKey(by: string, key: string): string {
  return `run_${createHash("sha256").update(`${by}\0${key}`).digest("hex").slice(0, 20)}`;
}
