// Failures by their fingerprint: how often, since when, what helped.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { faultGroup, faultGroupReport, faultOccurrence } from "../../api/fault-groups.ts";
import { recourseWord } from "../../core/decide/explain.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import { type FaultGroup, type FaultOccurrence, knownCode, readFingerprint } from "../../core/record/fault-index.ts";
import type { FaultBucket, FaultGroupsQuery, Journal } from "../../journal/journal.ts";
import { contains, wordsOf } from "../../journal/search-text.ts";
import { actedOn, actedWords } from "../../workflow/report/acted-on.ts";
import type { HandlersOf } from "../handler.ts";
import { fromCursor, pageFrom } from "../cursor.ts";
import { isRun, type ServerParts } from "../parts.ts";
import type { Reader } from "../views.ts";
import { Refused } from "../problems.ts";
import { book, NOTHING_SPENT, type Spending } from "../../core/flow/money.ts";

const behindGroup = z.object({ lastAt: z.number(), fingerprint: z.string() });
const behindFault = z.object({ at: z.number(), position: z.number() });

/** A list shows the last day, hour by hour. */
const LIST_TREND = { trendMs: 86_400_000, bucketMs: 3_600_000 } as const;
const COSTED_FAULTS = 200;

export function faultGroupHandlers({
  journal,
  clock,
  workflows,
}: ServerParts): HandlersOf<"listFaultGroups" | "showFaultGroup" | "listFaults"> {
  /** Ends with the bucket that is not over yet, so that the answer changes only with the counts until the next one begins. */
  function trendOf(
    fingerprint: string,
    { trendMs, bucketMs }: { readonly trendMs: number; readonly bucketMs: number },
  ): Promise<readonly FaultBucket[]> {
    const until = (Math.floor(clock.now() / bucketMs) + 1) * bucketMs;
    const buckets = Math.ceil(trendMs / bucketMs);
    return journal.faultTrend(fingerprint, { since: until - buckets * bucketMs, until, bucketMs });
  }

  /** The first groups that fit. There are far fewer groups than failures, so they are read until enough were found. */
  async function groupsThat(
    fits: (group: FaultGroup) => boolean,
    query: FaultGroupsQuery,
  ): Promise<readonly FaultGroup[]> {
    const found: FaultGroup[] = [];
    for (let after = query.after; ;) {
      const page = await journal.faultGroups({ ...query, ...defined({ after }) });
      found.push(...page.filter(fits));
      after = page.at(-1);
      if (found.length >= query.limit || page.length < query.limit) return found.slice(0, query.limit);
    }
  }

  async function known(fingerprint: string): Promise<FaultGroup> {
    const group = await journal.faultGroup(fingerprint);
    if (group === null) throw new Refused("not-there");
    return group;
  }

  return {
    async listFaultGroups({ query: { limit, cursor, code, tool, q = "" }, who, locale }) {
      const after = fromCursor(cursor, behindGroup);
      const words = wordsOf(q);
      const found = await groupsThat((group) => contains(textOfGroup(group, { who, locale }), words), {
        limit: limit + 1,
        ...defined({ after, code, tool }),
      });
      const groups = await Promise.all(
        found.map(async (group) => ({ group, trend: await trendOf(group.fingerprint, LIST_TREND) })),
      );
      return pageFrom(
        groups,
        limit,
        ({ group, trend }) => groupView(group, trend, { who, locale }),
        ({ group: { lastAt, fingerprint } }) => ({ lastAt, fingerprint }),
      );
    },
    async showFaultGroup({ params: { fingerprint }, query, who, locale }) {
      const group = await known(fingerprint);
      const byPeople = await actedOn(journal, (run, take) => workflows.runs.readAll(run, take), group);
      const helped = [...(await journal.faultRecourses(fingerprint)), ...byPeople];
      const { operator } = wordsFor(codeOf(group), locale);
      const view: Shaped<typeof faultGroupReport> = {
        ...groupView(group, await trendOf(fingerprint, query), { who, locale }),
        helped: helped
          .map((tally) => ({
            ...tally,
            says: actedWords(tally.recourse, locale) ?? recourseWord(tally.recourse, locale),
          }))
          .toSorted((a, b) => b.worked - a.worked || a.failed - b.failed),
        cost: await faultCosts(journal, fingerprint, COSTED_FAULTS),
        shared: readFingerprint(fingerprint),
        ...(who.role === "operator" ? { operator } : {}),
      };
      return view;
    },
    async listFaults({ params: { fingerprint }, query: { limit, cursor }, who, locale }) {
      await known(fingerprint);
      const after = fromCursor(cursor, behindFault);
      const found = await journal.faultsOf(fingerprint, {
        limit: limit + 1,
        ...defined({ after }),
      });
      const runs = await runsAmong(found.map(({ session }) => session));
      return pageFrom(
        found,
        limit,
        (fault) => occurrenceView(fault, runs.has(fault.session), { who, locale }),
        ({ at, position }) => ({ at, position }),
      );
    },
  };

  async function runsAmong(sessions: readonly string[]): Promise<ReadonlySet<string>> {
    const names = [...new Set(sessions)];
    const areRuns = await Promise.all(names.map((name) => isRun(journal, name)));
    return new Set(names.filter((_name, index) => areRuns[index]));
  }
}

/** A viewer does not see messages of failures, so it cannot find out what they say by searching for it. */
function textOfGroup(group: FaultGroup, { who, locale }: Reader): string {
  const { fingerprint, code, tool, message } = group;
  const { title } = wordsFor(codeOf(group), locale);
  return [fingerprint, code, tool, title, ...(who.role === "operator" ? [message] : [])].join("\n");
}

function codeOf({ code }: Pick<FaultGroup, "code">): ReturnType<typeof knownCode> {
  return knownCode({ code: code as ReturnType<typeof knownCode> });
}

function groupView(
  group: FaultGroup,
  trend: readonly FaultBucket[],
  { who, locale }: Reader,
): Shaped<typeof faultGroup> {
  const { fingerprint, code, tool, count, sessions, firstAt, lastAt, message } = group;
  const known = codeOf(group);
  const { title, user, next } = wordsFor(known, locale);
  return {
    fingerprint,
    class: traitsOf(known).class,
    code,
    follows: traitsOf(known).follows,
    title,
    message: user,
    next,
    tool,
    count,
    sessions,
    firstAt,
    lastAt,
    trend,
    ...(who.role === "operator" ? { example: SHAPE_REDACTOR.text(message) } : {}),
  };
}

function occurrenceView(
  fault: FaultOccurrence,
  isRun: boolean,
  { who, locale }: Reader,
): Shaped<typeof faultOccurrence> {
  const { at, session, seq, call, recourse, worked, message } = fault;
  return {
    at,
    session,
    seq,
    call,
    isRun,
    recourse,
    says: recourseWord(recourse, locale),
    worked,
    ...(who.role === "operator" ? { message: SHAPE_REDACTOR.text(message) } : {}),
  };
}

// What failures of one kind have cost, read from their entries.

/** What the newest failures of a group cost together. */
interface FaultCosts extends Spending {
  /** How many failures were looked at. */
  readonly failures: number;
}

/** Adds up what the newest failures with this fingerprint cost, at most `limit` of them. */
async function faultCosts(journal: Journal, fingerprint: string, limit: number): Promise<FaultCosts> {
  const faults = await journal.faultsOf(fingerprint, { limit });
  let spending = NOTHING_SPENT;
  for (const { position } of faults) {
    const [found] = await journal.readFrom(position - 1, { limit: 1 });
    const event = found?.position === position ? found.entry.event : null;
    if (event?.type === "call-failed") spending = book(spending, event.cost);
  }
  return { ...spending, failures: faults.length };
}
