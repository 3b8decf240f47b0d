// Sessions, their entries, traces and artefacts.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { sessionLine, sessionView } from "../../api/sessions.ts";
import { entryEvent } from "../../api/entry-event.ts";
import type { Entry } from "../../core/record/event.ts";
import { type Redactor, SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { STANDING_WORDS, standingOf } from "../../core/flow/run-standing.ts";
import { sessionPill, statusPill } from "../../core/record/span-words.ts";
import type { Timeline } from "../../core/record/timeline.ts";
import { isArtefactRef, readArtefact } from "../../journal/files/artefacts.ts";
import type { SessionSummary } from "../../journal/journal.ts";
import { questionsPage } from "../../journal/open-questions.ts";
import { ENDED } from "../../journal/encode.ts";
import type { HandlersOf } from "../handler.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import { isRun, type ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import type { RunSummary } from "../../workflow/runs-api.ts";
import { traceFor } from "../span-views.ts";
import { faultFor, questionFor, type Reader } from "../views.ts";

type Names = "listSessions" | "showSession" | "endSession" | "listEntries" | "traceSession" | "showArtefact";

const place = z.strictObject({ session: z.string(), startedAt: z.number() });
const MAX_QUESTIONS = 100;
/** The most pages of the journal that are read to fill one page of a filtered list. */
const MAX_PAGES_READ = 20;

export function sessionHandlers(parts: ServerParts): HandlersOf<Names> {
  const { journal, workflows, faultline, clock, drives: isDriven } = parts;
  return {
    async listSessions({ locale, query: { limit, cursor, status, kind } }) {
      const items: Shaped<typeof sessionLine>[] = [];
      const held = await workflows.runs.held();
      let after = fromCursor(cursor, place);
      // The journal does not know what is a run, so the others are read, too; a page may be short because of that.
      for (let read = 0; read < MAX_PAGES_READ; read++) {
        const found = await journal.sessions({
          limit: limit + 1,
          ...defined({ status, after }),
        });
        const lines = await Promise.all(found.slice(0, limit).map((summary) => lineOf(summary, held, locale)));
        for (const [index, line] of lines.entries()) {
          after = { session: line.session, startedAt: line.startedAt };
          if (kind === undefined || line.isRun === (kind === "run")) items.push(line);
          if (items.length === limit && index + 1 < found.length) return { items, next: toCursor(after) };
        }
        if (found.length <= limit) return { items, next: null };
      }
      return { items, next: after === undefined ? null : toCursor(after) };
    },
    async showSession({ who, locale, params: { session } }) {
      const summary = await sessionNamed(session);
      const reader = { who, locale };
      const { questions } = await questionsPage(journal, { session, limit: MAX_QUESTIONS });
      const line = await lineOf(summary, await workflows.runs.held(), locale);
      const timeline = await workflows.timeline(session);
      const { manifest, spending } = timeline.state;
      return {
        ...line,
        mode: manifest?.mode ?? null,
        labels: manifest?.labels ?? {},
        spending,
        turns: turnsOf(reader, timeline),
        questions: questions.filter(({ by }) => by === null).map((question) => questionFor(question, locale)),
      };
    },
    async endSession({ locale, params: { session }, body: { status } }) {
      await sessionNamed(session);
      await faultline.endReports(session, status);
      return lineOf(await sessionNamed(session), await workflows.runs.held(), locale);
    },
    async listEntries({ who, params: { session }, query: { limit, after } }) {
      await sessionNamed(session);
      const found: Entry[] = [];
      for await (const entry of journal.read(session, after)) {
        found.push(entry);
        if (found.length > limit) break;
      }
      const items = found.slice(0, limit);
      return {
        items: items.map((entry) => {
          return entryEvent(entry, `${session}/${entry.seq}`, who.role);
        }),
        next: found.length > limit ? (items.at(-1)?.seq ?? null) : null,
      };
    },
    async traceSession({ who, locale, params: { session }, query: { turn, limit } }) {
      await sessionNamed(session);
      const reader = { who, locale, redactor: await redactorFor(session) };
      return traceFor(reader, await workflows.timeline(session), { turn: turn ?? null, limit });
    },
    async showArtefact({ params: { ref } }) {
      const { files } = journal;
      const bytes = files !== null && isArtefactRef(ref) ? await readArtefact(files.artefacts, ref) : null;
      if (bytes === null) throw new Refused("not-there");
      return new Response(new Uint8Array(bytes), { headers: { "content-type": "text/plain; charset=utf-8" } });
    },
  };

  /** Only a run has secrets of its own: its inputs. */
  async function redactorFor(session: string): Promise<Redactor> {
    return (await isRun(journal, session)) ? workflows.runs.redactorOf(session) : SHAPE_REDACTOR;
  }

  async function sessionNamed(session: string): Promise<SessionSummary> {
    const found = await journal.session(session);
    if (found === null) throw new Refused("not-there");
    return found;
  }

  /** A run stands where the list of runs says; `held`: the runs that a live process advances. */
  async function lineOf(
    summary: SessionSummary,
    held: ReadonlySet<string>,
    locale: Locale,
  ): Promise<Shaped<typeof sessionLine>> {
    const { session, status } = summary;
    const run = ((await journal.kept("run", session)) ?? null) as RunSummary | null;
    if (run !== null) {
      const standing = standingOf(run, { now: clock.now(), isHeld: held.has(session), isDriven });
      return { ...summary, state: { id: standing, label: STANDING_WORDS[locale][standing] }, isRun: true };
    }
    const asked = ENDED.includes(status)
      ? []
      : (await questionsPage(journal, { session, limit: MAX_QUESTIONS })).questions;
    const isAsking = asked.some(({ by }) => by === null);
    return { ...summary, state: sessionPill(status, isAsking, locale), isRun: false };
  }
}

const MAX_TURNS = 500;

/** The newest turns, in the order in which they began. */
function turnsOf(reader: Reader, line: Timeline): Shaped<typeof sessionView>["turns"] {
  const { spans, state } = line;
  const counts = new Map<string, { calls: number; attempts: number }>();
  for (const { kind, parent } of spans) {
    if (kind !== "call" && kind !== "attempt") continue;
    const turn = kind === "call" ? parent : (line.spanOf(parent)?.parent ?? null);
    const { calls, attempts } = counts.get(turn ?? "") ?? NOTHING;
    const isCall = kind === "call";
    counts.set(turn ?? "", { calls: calls + (isCall ? 1 : 0), attempts: attempts + (isCall ? 0 : 1) });
  }
  return spans
    .filter(({ kind }) => kind === "turn")
    .slice(-MAX_TURNS)
    .map(({ id, name, status, startAt, endAt, deadlineAt, fault }) => ({
      state: statusPill(status, reader.locale),
      turn: name,
      status,
      startedAt: startAt,
      endedAt: endAt,
      deadlineAt,
      ...(counts.get(id) ?? NOTHING),
      fault: fault === null ? null : faultFor(reader, fault, `${state.session}/${name}`),
    }));
}

const NOTHING = { calls: 0, attempts: 0 };
