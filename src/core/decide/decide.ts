// The only place that chooses. Sees the whole situation at once, which nested wrappers never do, and holds these:
// D1  Attempts never exceed the row's number, the first included.
// D2  No wait outlives the deadline. Parking does not count as a wait: the run is put away, and its clock stops until it is resumed.
// D3  What may have happened is not run again, here or elsewhere, unless it is idempotent.
// D4  A wait the other side named is kept exactly.
// D5  Cancellation wins: it is neither retried nor worked around.
// D6  What a person has refused is not done. Giving up cannot be refused.
// D7  Memory only reorders recourses that continue at once: it adds none, and moves none past a question or a retry.
// D8  A declared alternative, default or skip is honoured for every fault; D3, D5 and D6 still hold.

import { type CatalogueRow, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import {
  delayMs,
  type Policy,
  type PolicyRow,
  type Recourse,
  type Retry,
  rowFor,
  withDeclared,
} from "../policy/policy.ts";
import type { Considered, Decision, Refusal, Story } from "./decision.ts";
import { firstBack, type PassedOver } from "./fallback.ts";
import type { Situation } from "./situation.ts";

/** Chooses one recourse for a fault. Pure: the same situation and policy give the same decision. */
export function decide(situation: Situation, policy: Policy): Decision {
  const traits = traitsOf(situation.fault.code);
  const row = rowFor(policy, situation.fault, situation.place);
  const considered: Considered[] = [];
  const passedOver: PassedOver[] = [];
  const story = { row: row.origin, considered, passedOver, preferred: null };
  if (traits.cancels) return { ...story, left: [], recourse: "fail" };

  const wait = waitFor(situation, row.retry);
  const listed = withDeclared(row.then, situation.offers);
  const then = withLearned(listed, situation, policy);
  const refused = refusalOfRetry(situation, row, wait, policy);
  if (refused === null && row.retry !== null) {
    const { maxAttempts } = row.retry;
    return { ...story, left: then, recourse: "retry", ...wait, attempt: situation.attempt + 1, maxAttempts };
  }
  considered.push({ recourse: "retry", refused: refused ?? "not-in-policy" });

  for (const [index, recourse] of then.entries()) {
    const no = refusalOf(recourse, situation, policy);
    const taken = no ?? take(recourse, situation, traits, passedOver);
    if (typeof taken !== "string") {
      const preferred = index < listed.indexOf(recourse) ? recourse : null;
      return { ...story, preferred, left: then.slice(index + 1), ...taken };
    }
    considered.push({ recourse, refused: taken });
  }
  return { ...story, left: [], recourse: "fail" };
}

interface Wait {
  readonly delayMs: number;
  readonly serverWait: boolean;
}

function waitFor({ fault, attempt, now, roll }: Situation, retry: Retry | null): Wait {
  const named = fault.resetAt === undefined ? fault.retryAfterMs : Math.max(0, fault.resetAt - now);
  if (named !== undefined && named >= 0) return { delayMs: named, serverWait: true };
  return { delayMs: retry === null ? 0 : delayMs(retry, attempt + 1, roll), serverWait: false };
}

/** In the order in which they are reported: permanent reasons before temporary ones. */
function refusalOfRetry(situation: Situation, { retry }: PolicyRow, wait: Wait, policy: Policy): Refusal | null {
  if (situation.denied.includes("retry")) return "denied";
  if (retry === null) return "not-in-policy";
  const again = refusalToRunAgain(situation);
  if (again !== null) return again;
  if (situation.fault.context["shouldRetry"] === false) return "server-says-no";
  if (!(situation.attempt < retry.maxAttempts)) return "attempts-spent";
  // Memory may keep a call from starting to retry. It never ends a retry schedule that has begun.
  if (situation.attempt === 1 && lastTries("retry", situation, policy) === "failed") return "never-worked";
  if (situation.breaker === "open" || situation.breaker === "isolated") return "breaker-open";
  if (!situation.retryBudgetLeft) return "retry-budget-spent";
  if (wait.delayMs > retry.maxWaitMs) return "wait-too-long";
  if (situation.waitedMs + wait.delayMs > retry.maxTotalWaitMs) return "waits-spent";
  if (situation.deadlineAt !== null && situation.now + wait.delayMs >= situation.deadlineAt) return "deadline";
  return null;
}

/** Whether the same work may be started once more, here or by another target. */
function refusalToRunAgain(situation: Situation): Refusal | null {
  const { committed, now, deadlineAt } = situation;
  if (!situation.idempotent && mayHaveRun(situation.fault)) return "may-have-happened";
  if (committed) return "already-answering";
  if (deadlineAt !== null && now >= deadlineAt) return "deadline";
  return null;
}

/** The work may have been done, according to the evidence or else to the fault's traits. */
export function mayHaveRun({ code, context }: Pick<Fault, "code" | "context">): boolean {
  const { ran } = context;
  return ran === true || (traitsOf(code).mayHaveHappened && ran !== false);
}

interface RecourseTraits {
  /** Starts the work again, so that D3 applies. */
  readonly runsAgain: boolean;
  /** Allowed once. */
  readonly once: boolean;
  /** Memory may move it ahead. Not so a park: however often it worked, it makes people wait where a switch may not. */
  readonly learns: boolean;
}

const PLAIN: RecourseTraits = { runsAgain: false, once: false, learns: false };
const AT_ONCE: RecourseTraits = { ...PLAIN, runsAgain: true, learns: true };

const TRAITS_OF_RECOURSE: Readonly<Record<Recourse, RecourseTraits>> = {
  "refresh-credential": { ...AT_ONCE, once: true },
  "fallback": AT_ONCE,
  "alternative": AT_ONCE,
  "compact": { ...AT_ONCE, once: true },
  "regenerate": { ...AT_ONCE, once: true },
  "default": PLAIN,
  "partial": PLAIN,
  "skip": PLAIN,
  "park": { ...PLAIN, runsAgain: true },
  "ask": PLAIN,
  "surface": PLAIN,
  "fail": PLAIN,
};

/** The row's list, with what worked the last times ahead of the other recourses that run the work again. */
function withLearned(then: readonly Recourse[], situation: Situation, policy: Policy): readonly Recourse[] {
  // Nothing is moved past a question: a policy that lists it first wants it asked first.
  const asked = then.indexOf("ask");
  const learned = then
    .slice(0, asked === -1 ? then.length : asked)
    .filter((recourse) => TRAITS_OF_RECOURSE[recourse].learns && lastTries(recourse, situation, policy) === "worked");
  const first = then.findIndex((recourse) => TRAITS_OF_RECOURSE[recourse].runsAgain);
  return [...then.slice(0, first), ...learned, ...then.slice(first).filter((recourse) => !learned.includes(recourse))];
}

function refusalOf(recourse: Recourse, situation: Situation, policy: Policy): Refusal | null {
  if (recourse === "fail") return null;
  const { runsAgain, once } = TRAITS_OF_RECOURSE[recourse];
  if (situation.denied.includes(recourse)) return "denied";
  if (!situation.offers.has(recourse)) return "not-offered";
  if (once && situation.taken.includes(recourse)) return "already-taken";
  if (runsAgain) {
    const again = refusalToRunAgain(situation);
    if (again !== null) return again;
  }
  return lastTries(recourse, situation, policy) === "failed" ? "never-worked" : null;
}

/** What a recourse needs to know to be carried out, or why it cannot be. */
function take(
  recourse: Recourse,
  situation: Situation,
  traits: CatalogueRow,
  passedOver: PassedOver[],
): DistributiveOmit<Decision, keyof Story> | Refusal {
  switch (recourse) {
    case "fallback": {
      const { next } = situation;
      passedOver.push(...next.passedOver);
      return next.target === null ? "no-target" : { recourse, target: next.target.id };
    }
    case "alternative": {
      const [tool] = situation.alternatives;
      return tool === undefined ? "no-alternative" : { recourse, tool };
    }
    case "park": {
      const wakeAt = wakeTime(situation, traits);
      const other = firstBack(situation.chain);
      if (other !== null && traits.lifts && other.backAt < (wakeAt ?? Infinity)) {
        return { recourse, wakeAt: Math.max(other.backAt, situation.now), target: other.id };
      }
      return wakeAt === null ? "no-reset-time" : { recourse, wakeAt };
    }
    case "ask":
      return { recourse, question: traits.asks };
    default:
      return { recourse };
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A fault that claims to lift now, but has just occurred, does not say when it really lifts. Parked, the call would come back at once, forever. */
function wakeTime({ fault, now }: Situation, traits: CatalogueRow): number | null {
  if (!traits.lifts || fault.retryAfterMs === 0) return null;
  const wakeAt = fault.resetAt ?? now + (fault.retryAfterMs ?? NaN);
  return Number.isFinite(wakeAt) ? Math.max(wakeAt, now) : null;
}

// What the memory of past incidents says about one recourse.
// L1  Only a run of tries that all went the same way, up to the newest, says anything.
// L2  What failed is left alone for as long as it has been failing, then tried once more: an outage is held against it no
//     longer than it lasted. Within bounds: a burst of failures lasts no time at all, and a long outage may be over at any moment.

/** Parallel calls fail at nearly the same moment, which says nothing about how long an outage lasts. */
export const MIN_REST_MS = 10_000;
/** One try in a minute costs little, and shows that it is over. */
export const MAX_REST_MS = 60_000;

/** How the last tries of this recourse at this kind of fault went, when there were enough and all went the same way. */
export function lastTries(
  recourse: Recourse | "retry",
  { incidents, now }: Pick<Situation, "incidents" | "now">,
  { learnsAfter }: Pick<Policy, "learnsAfter">,
): "worked" | "failed" | null {
  if (learnsAfter === 0) return null;
  const tries = incidents.filter((incident) => incident.recourse === recourse);
  const other = tries.findIndex(({ worked }) => worked !== tries[0]?.worked);
  const alike = other === -1 ? tries : tries.slice(0, other);
  const [newest, oldest] = [alike[0], alike.at(-1)];
  if (newest === undefined || oldest === undefined || alike.length < learnsAfter) return null;
  if (newest.worked) return "worked";
  return isResting(newest.at - oldest.at, now - newest.at) ? "failed" : null;
}

/** A time before the last try means that the clock was set back, so the age is unknown. */
function isResting(failedForMs: number, restedMs: number): boolean {
  return restedMs >= 0 && restedMs < Math.min(Math.max(failedForMs, MIN_REST_MS), MAX_REST_MS);
}
