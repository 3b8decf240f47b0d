// The timeline of an incident: a table with one row per type of event. Everything a journal holds may come from a model, a provider or
// a person, so every text passes `say`, which takes out secrets, paths and control characters.

import { explain, whyNot } from "../decide/explain.ts";
import { formatMs, secondOf } from "../fault/words/time-words.ts";
import type { Decision } from "../decide/decision.ts";
import { isFaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { Redactor } from "../fault/redact.ts";
import { viewFor } from "../fault/view.ts";
import type { Locale } from "../fault/words/words.ts";
import { ACTION_IDS, type ActionId, actionWords } from "../flow/action-words.ts";
import { type Cost, dollars } from "../flow/money.ts";
import { type NodePlace, placeOf } from "../flow/visit.ts";
import type { RunStatus } from "../flow/run-state.ts";
import { RECOURSES } from "../policy/policy.ts";
import type { Entry, JournalEvent, SessionStatus } from "./event.ts";
import { INCIDENT_WORDS, type IncidentWords } from "./incident-words.ts";
import { knownCode } from "./fault-index.ts";
import { replayStage, type StageDecisionEvent } from "./policy-replay.ts";
import { plainLine, plainText, shortened, withoutPaths } from "./markdown-text.ts";
import { PUNCTUATION } from "../punctuation.ts";

/** One thing that happened, in words. */
export interface TimelineMoment {
  readonly at: number;
  /** The node, tool or target it is about; empty for the whole run. */
  readonly who: string;
  readonly what: string;
  /** What it said, what was decided and why. */
  readonly more: readonly string[];
}

export interface IncidentTelling {
  readonly locale: Locale;
  readonly words: IncidentWords;
  readonly redactor: Redactor;
  /** A fault's message in the report's language. */
  readonly sentence: (message: string) => string;
  /** Calls that have failed at least once. */
  readonly failedCalls: Set<string>;
}

export interface IncidentOptions {
  readonly locale: Locale;
  readonly redactor: Redactor;
  /** What a fault's message becomes in that language. Default: it stays as it was recorded. */
  readonly messageIn?: ((locale: Locale, message: string) => string) | undefined;
}

export function createIncidentTelling({ locale, redactor, messageIn }: IncidentOptions): IncidentTelling {
  const sentence = (message: string): string => messageIn?.(locale, message) ?? message;
  return { locale, words: INCIDENT_WORDS[locale], redactor, sentence, failedCalls: new Set() };
}

const LONGEST_TEXT = 300;

/**
 * Secrets are taken out after control characters, which may hide the beginning of one, and before anything is cut. A second time at
 * the end, because a secret may go over several lines.
 */
export function say(text: string, { redactor }: Pick<IncidentTelling, "redactor">, maxChars = LONGEST_TEXT): string {
  const lines = withoutPaths(redactor.text(plainText(text)));
  return shortened(redactor.text(plainLine(lines)), maxChars);
}

export function momentOf(entry: Entry, telling: IncidentTelling): TimelineMoment | null {
  const { event, at } = entry;
  if (!Object.hasOwn(TELLERS, event.type)) return null;
  const row = (TELLERS as Readonly<Record<string, Teller<JournalEvent>>>)[event.type];
  const told = row?.(event, telling, at) ?? null;
  if (told === null) return null;
  const { who = "", what, more = [] } = told;
  return { at, who: say(who, telling, 80), what, more: more.filter((text) => text !== "") };
}

type Told = Partial<TimelineMoment> & Pick<TimelineMoment, "what">;
type Teller<Event> = (event: Event, telling: IncidentTelling, at: number) => Told | null;
type Tellers = { readonly [Type in JournalEvent["type"]]?: Teller<Extract<JournalEvent, { readonly type: Type }>> };

function costText(cost: Cost | null, { words }: IncidentTelling): string {
  if (cost === null) return "";
  if (cost.microcents === null) return words.noPrice;
  return cost.basis === "estimated" ? words.estimated(dollars(cost.microcents)) : dollars(cost.microcents);
}

/** The class and code of a fault with its title and its words. */
export function faultText(
  fault: Fault,
  telling: IncidentTelling,
): { readonly title: string; readonly name: string; readonly said: string } {
  const known = { ...fault, code: knownCode(fault) };
  const { title, detail, excerpt } = viewFor("operator", known, { ...telling, correlationId: "" });
  // Before anything is cut: a path or a stack may go over several lines.
  const said = say(telling.sentence(detail), telling);
  // The message itself is not repeated beside its translation.
  const more = say(excerpt === detail ? "" : excerpt, telling);
  return {
    title,
    name: `${fault.class}/${fault.code}`,
    said: more === "" || said.includes(more) ? said : `${said} — ${more}`,
  };
}

function decisionLines(decision: Decision, telling: IncidentTelling): readonly string[] {
  const { what, why } = explain(decision, telling.locale);
  const hollow = new Set(
    [...RECOURSES, "retry" as const].map((recourse) => whyNot({ recourse, refused: "not-offered" }, telling.locale)),
  );
  return [
    `→ ${say(what, telling)}`,
    ...why.filter((reason) => !hollow.has(reason)).map((reason) => say(reason, telling)),
  ];
}

function placeText({ node, execution, attempt }: NodePlace, { words }: IncidentTelling): string {
  return words.node(execution > 1 ? `${node}#${execution}` : node, attempt);
}

/** How a run or session ended; the workflow's own name for it only where it says more. */
export function endText(
  status: RunStatus | SessionStatus,
  outcome: string,
  { words }: Pick<IncidentTelling, "words">,
): string {
  const says = status === "failed" || (status === "completed" && outcome !== "completed");
  return says && outcome !== "" ? words.named(words.statuses[status], outcome) : words.statuses[status];
}

/** `then`: what the run does about it; empty when the reasons of the decision say it all. */
function nodeFailure(event: StageDecisionEvent, at: number, then: string, telling: IncidentTelling): Told {
  const { fault } = event;
  if (fault === null) return { who: placeText(event, telling), what: then };
  const { title, name, said } = faultText(fault, telling);
  const decided = isFaultCode(fault.code) ? replayStage(event, at) : null;
  const [what = "", ...why] = decided === null ? [] : decisionLines(decided.decision, telling);
  const reasons = then === "" ? [what, ...why] : [`→ ${then}`, ...why];
  return { who: placeText(event, telling), what: telling.words.failedAs(title, name), more: [said, ...reasons] };
}

/** The action's name in words; an action of a newer program keeps its id. */
export function actionText(action: string, telling: IncidentTelling): string {
  const isKnown = (ACTION_IDS as readonly string[]).includes(action);
  return isKnown ? actionWords(action as ActionId, telling.locale).label : say(action, telling, 60);
}

const facts = (...all: readonly string[]): string => all.filter((fact) => fact !== "").join(" · ");

const ABOUT_CALLS: Tellers = {
  "call-failed": ({ call, tool, attempt, fault, decision, durationMs, cost }, telling) => {
    const { words, locale, failedCalls } = telling;
    failedCalls.add(call);
    const { title, name, said } = faultText(fault, telling);
    return {
      who: words.call(tool, attempt),
      what: facts(words.failedAs(title, name), formatMs(durationMs, locale), costText(cost, telling)),
      more: [said, ...decisionLines(decision, telling)],
    };
  },
  "call-decided": ({ call, tool, fault, decision }, telling) => {
    telling.failedCalls.add(call);
    const { title, name, said } = faultText(fault, telling);
    return {
      who: telling.words.call(tool, 0),
      what: telling.words.notAttempted(title, name),
      more: [said, ...decisionLines(decision, telling)],
    };
  },
  // A call that never failed is not part of an incident.
  "call-succeeded": ({ call, tool, attempt, durationMs, cost }, telling) => {
    const { words, locale, failedCalls } = telling;
    if (!failedCalls.has(call)) return null;
    const what = facts(words.succeeded, words.afterFailing, formatMs(durationMs, locale), costText(cost, telling));
    return { who: words.call(tool, attempt), what };
  },
  "call-cancelled": ({ tool, cost }, telling) => ({
    who: telling.words.call(tool, 0),
    what: facts(telling.words.callCancelled, costText(cost, telling)),
  }),
  "call-late": ({ tool, attempt, ok, cost }, telling) => ({
    who: telling.words.call(tool, attempt),
    what: facts(telling.words.late(ok), costText(cost, telling)),
  }),
  "call-held": ({ tool, reason, nextAt }, { words }) => ({
    who: words.call(tool, 0),
    what: words.held(secondOf(nextAt)),
    more: [words.holdReasons[reason]],
  }),
  "call-adapted": ({ tool, changes }, telling) => ({
    who: telling.words.call(tool, 0),
    what: telling.words.adapted,
    more: changes.map(({ rule, where, why }) => say(`${rule} (${where}): ${why}`, telling)),
  }),
  "question-asked": ({ question: { payload } }, telling) => ({
    what: telling.words.asked(payload.kind),
    more: [say(payload.prompt, telling)],
  }),
  "question-answered": ({ answer, by }, telling) => ({
    who: by,
    what: telling.words.answers[answer.status],
  }),
  "breaker-changed": ({ target, from, to }, { words }) => ({ who: target, what: words.breaker(from, to) }),
  "target-paused": ({ target, until }, { words }) => ({ who: target, what: words.pausedUntil(secondOf(until)) }),
};

const ABOUT_NODES: Tellers = {
  "node-started": (event, telling) => ({ who: placeText(event, telling), what: telling.words.starts }),
  "node-retrying": (event, telling, at) =>
    nodeFailure(event, at, telling.words.retries(event.attempt + 1, event.of, secondOf(event.nextAt)), telling),
  "node-deferred": (event, telling, at) =>
    nodeFailure(event, at, telling.words.deferred(secondOf(event.nextAt)), telling),
  "node-failed": (event, telling, at) => nodeFailure(event, at, "", telling),
  "node-skipped": (event, telling, at) => nodeFailure(event, at, telling.words.skipped[event.reason], telling),
  "node-paused": (event, telling) => {
    const { words } = telling;
    const until = event.wakeAt === null ? "" : words.until(secondOf(event.wakeAt));
    return { who: placeText(event, telling), what: facts(words.pauses[event.why], until) };
  },
  "node-resumed": (event, telling) => {
    const { words } = telling;
    const answered = event.answer === null ? "" : words.answers[event.answer.status];
    const by = event.by === "" ? "" : words.by(say(event.by, telling, 60));
    return { who: placeText(event, telling), what: facts(words.goesOn, answered, by) };
  },
  "node-completed": (event, telling) => ({ who: placeText(event, telling), what: telling.words.completed }),
  "node-settled": ({ node, status, fault, because }, telling) => ({
    who: node,
    what: telling.words.unrun[status],
    more: [because === "" ? faultText(fault, telling).title : telling.words.needs(say(because, telling, 60))],
  }),
};

const ABOUT_RUNS: Tellers = {
  "session-started": (_event, { words }) => ({ what: words.sessionStarts }),
  "session-resumed": ({ interrupted }, telling) => {
    const calls = interrupted.map((call) => say(call, telling, 80)).join(PUNCTUATION[telling.locale].comma);
    return { what: telling.words.resumed, more: calls === "" ? [] : [telling.words.inFlight(calls)] };
  },
  "session-ended": ({ status }, { words }) => ({ what: words.sessionEnds(words.statuses[status]) }),
  "turn-ended": ({ turn, status, fault }, telling) =>
    // The turns of a run are attempts of its nodes, which have events of their own.
    status === "done" || placeOf(turn) !== null
      ? null
      : {
          what: telling.words.turn(say(turn, telling, 80), telling.words.turns[status]),
          more: fault === null ? [] : [faultText(fault, telling).title],
        },
  "run-started": ({ workflow, version, predecessor, instruction }, telling) => {
    const { words } = telling;
    const action =
      instruction === null
        ? ""
        : facts(words.action(actionText(instruction.action, telling)), words.by(say(instruction.by, telling, 60)));
    const from = predecessor === null ? "" : words.continues(say(predecessor, telling, 80));
    return {
      what: `${words.started}${PUNCTUATION[telling.locale].colon}${say(`${workflow} ${version}`, telling, 80)}`,
      more: [from, action],
    };
  },
  "run-instructed": ({ action, node, by }, telling) => ({
    who: node,
    what: facts(telling.words.action(actionText(action, telling)), telling.words.by(say(by, telling, 60))),
  }),
  "workflow-changed": ({ by }, telling) => ({ who: by, what: telling.words.workflowChanged }),
  "run-ended": ({ status, outcome }, telling) => ({
    what: telling.words.ends(endText(status, say(outcome, telling, 60), telling)),
  }),
  "run-superseded": ({ successor }, telling) => ({ what: telling.words.superseded(say(successor, telling, 80)) }),
  "budget-warned": ({ spentMicrocents, maxCostMicrocents }, { words }) => ({
    what: words.budgetWarned(dollars(spentMicrocents), dollars(maxCostMicrocents)),
  }),
  "budget-exceeded": ({ spentMicrocents, maxCostMicrocents }, { words }) => ({
    what: words.budgetExceeded(dollars(spentMicrocents), dollars(maxCostMicrocents)),
  }),
  "fault-suppressed": ({ fault, reason }, telling) => ({
    what: telling.words.ignored,
    more: [faultText(fault, telling).said, say(reason, telling)],
  }),
};

const TELLERS: Tellers = { ...ABOUT_CALLS, ...ABOUT_NODES, ...ABOUT_RUNS };
