// What another policy would have changed: past decisions are made again one by one and counted. Invariants:
// T1  Every decision is counted once: as the same, as changed, or as unknown with the reason.
// T2  Two decisions are the same when the same is done: the recourse, its wait and where it goes. Reasons may differ.
// T3  After a decision that changes, nothing about that call is known except what would not have happened: if the new decision ends
//     the call, its later attempts, waits and costs are saved.

import type { Decision } from "../decide/decision.ts";
import { explain } from "../decide/explain.ts";
import { type FaultCode, isFaultCode } from "../fault/catalogue.ts";
import type { Locale } from "../fault/words/words.ts";
import { type CallEvent, turnOfCall } from "../flow/call.ts";
import type { Cost } from "../flow/money.ts";
import { turnOf } from "../flow/visit.ts";
import type { StageDecision } from "../flow/stage.ts";
import type { Policy } from "../policy/policy.ts";
import type { Entry, JournalEvent } from "./event.ts";
import { doneAbout, replayStage, replayUnder, type StageDecisionEvent } from "./policy-replay.ts";

/** Why it is not known what another policy would have decided. */
export const UNKNOWN_REASONS = [
  "after-change", //  an earlier decision about the same call, or within the same stage attempt, changes
  "not-recorded", //  the entry does not say what `decide` saw: an older or newer program wrote it
  "extension-row", // a row that an extension added decided it, and a policy file does not have that row
] as const;
/** Why it is not known what another policy would have decided. */
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** What a replay leaves open, whatever it counts. Each has words (`replay-words.ts`). */
export type ReplayLimit = UnknownReason | "shared-state" | "later-work" | "at-least" | "price" | "people";

/** A recourse of a call, or what was done about a stage. */
export type ReplayedRecourse = Decision["recourse"] | StageDecision["do"];

/** One decision that changes. */
export interface ChangedDecision {
  /** The session or run. */
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  /** The call; for a decision about a stage, the attempt: `reviewer#1.2`. */
  readonly call: string;
  /** Empty for a decision about a stage. */
  readonly tool: string;
  readonly code: FaultCode;
  readonly from: ReplayedRecourse;
  readonly to: ReplayedRecourse;
  /** What was decided, in words … */
  readonly was: string;
  /** … what would be decided … */
  readonly would: string;
  /** … and why nothing earlier in the list would be done. */
  readonly why: readonly string[];
}

/** Changed decisions of one kind. */
export interface ReplayRow {
  readonly from: ReplayedRecourse;
  readonly to: ReplayedRecourse;
  readonly code: FaultCode;
  readonly tool: string;
  readonly count: number;
  /** Negative: waits saved. Of these decisions alone, not of what comes after them. */
  readonly waitMs: number;
}

/** What another policy would have changed. */
export interface ReplaySummary {
  readonly policy: string;
  /** Sessions and runs with at least one decision. */
  readonly sessions: number;
  /** Times of the first and the last decision; null without decisions. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly decisions: number;
  /** How many of `decisions` are about stages, which no policy changes. */
  readonly stageDecisions: number;
  readonly same: number;
  readonly changed: number;
  readonly unknown: Readonly<Record<UnknownReason, number>>;
  /** Most frequent first. */
  readonly table: readonly ReplayRow[];
  readonly waits: { readonly savedMs: number; readonly addedMs: number };
  /** `added` is the least: each begins with one attempt, and what follows is not known. */
  readonly attempts: { readonly saved: number; readonly added: number };
  readonly money: {
    readonly savedMicrocents: number;
    /** What the last attempt of the same call cost, for each added attempt. */
    readonly addedMicrocents: number;
    /** Attempts, saved or added, whose price is not known. */
    readonly unpricedAttempts: number;
  };
  /** Changed calls that would have continued in another way. */
  readonly openEnded: number;
  /** The first ones, in the order in which they were read. */
  readonly examples: readonly ChangedDecision[];
  /** What these figures do not say. */
  readonly limits: readonly ReplayLimit[];
}

/** How many changes to describe, and in which language. */
export interface ReplayOptions {
  /** How many changed decisions to describe; the counts cover all. Default: 20. */
  readonly examples?: number;
  /** The language of the descriptions. Default: `en`. */
  readonly locale?: Locale;
}

/** Past decisions made again: add entries in their order, then ask for the summary. */
export interface PolicyReplay {
  add(entry: Entry): void;
  summary(): ReplaySummary;
}

/** The types of events a replay looks at; it ignores all others. */
export const REPLAYED_TYPES = [
  "call-failed",
  "call-decided",
  "call-succeeded",
  "call-cancelled",
  "node-retrying",
  "node-deferred",
  "node-failed",
  "node-skipped",
] as const satisfies readonly JournalEvent["type"][];

/** Whether a replay counts the event as a decision. */
export function isReplayed(event: JournalEvent): boolean {
  const { type } = event;
  if (type === "call-failed" || type === "call-decided") return true;
  const isOfStage =
    type === "node-retrying" || type === "node-deferred" || type === "node-failed" || type === "node-skipped";
  // Without a fault nothing failed, so nothing was decided.
  return isOfStage && event.fault !== null;
}

const DEFAULT_EXAMPLES = 20;

/** Starts a replay of past decisions under a policy. Pure, and needs memory only for calls that change. */
export function createPolicyReplay(policy: Policy, options: ReplayOptions = {}): PolicyReplay {
  return new Tally(policy, options);
}

type DecisionEvent = Extract<CallEvent, { readonly type: "call-failed" | "call-decided" }>;
type AttemptEndEvent = Extract<CallEvent, { readonly type: "call-succeeded" | "call-cancelled" }>;

class Tally implements PolicyReplay {
  readonly #policy: Policy;
  readonly #decideAgain: (entry: Entry) => Decision | null;
  readonly #maxExamples: number;
  readonly #locale: Locale;
  readonly #sessions = new Set<string>();
  /** Changed calls that are not over; true if the new decision would have ended the call. */
  readonly #changedCalls = new Map<string, boolean>();
  readonly #changedTurns = new Set<string>();
  readonly #table = new Map<string, { -readonly [Key in keyof ReplayRow]: ReplayRow[Key] }>();
  readonly #examples: ChangedDecision[] = [];
  readonly #unknown: Record<UnknownReason, number> = { "after-change": 0, "not-recorded": 0, "extension-row": 0 };
  readonly #waits = { savedMs: 0, addedMs: 0 };
  readonly #attempts = { saved: 0, added: 0 };
  readonly #money = { savedMicrocents: 0, addedMicrocents: 0, unpricedAttempts: 0 };
  readonly #counts = { decisions: 0, stageDecisions: 0, same: 0, changed: 0, openEnded: 0, asked: 0 };
  #firstAt: number | null = null;
  #lastAt: number | null = null;

  constructor(policy: Policy, { examples = DEFAULT_EXAMPLES, locale = "en" }: ReplayOptions) {
    this.#policy = policy;
    this.#decideAgain = replayUnder(policy);
    this.#maxExamples = examples;
    this.#locale = locale;
  }

  add(entry: Entry): void {
    const { event } = entry;
    switch (event.type) {
      case "call-failed":
      case "call-decided":
        return this.#callDecision(entry, event);
      case "call-succeeded":
      case "call-cancelled":
        return this.#attemptEnd(entry, event);
      case "node-retrying":
      case "node-deferred":
      case "node-failed":
      case "node-skipped":
        if (isReplayed(event)) this.#stageDecision(entry, event);
        return;
      default:
    }
  }

  summary(): ReplaySummary {
    const { decisions, stageDecisions, same, changed, openEnded } = this.#counts;
    return {
      policy: this.#policy.name,
      sessions: this.#sessions.size,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      decisions,
      stageDecisions,
      same,
      changed,
      unknown: { ...this.#unknown },
      table: [...this.#table.values()].toSorted((a, b) => b.count - a.count).map((row) => ({ ...row })),
      waits: { ...this.#waits },
      attempts: { ...this.#attempts },
      money: { ...this.#money },
      openEnded,
      examples: [...this.#examples],
      limits: this.#limits(),
    };
  }

  #limits(): readonly ReplayLimit[] {
    const { changed, asked } = this.#counts;
    return [
      ...UNKNOWN_REASONS.filter((reason) => this.#unknown[reason] > 0),
      ...(this.#attempts.added > 0 ? (["at-least"] as const) : []),
      ...(this.#money.unpricedAttempts > 0 ? (["price"] as const) : []),
      ...(asked > 0 ? (["people"] as const) : []),
      ...(changed > 0 ? (["shared-state", "later-work"] as const) : []),
    ];
  }

  #count({ session, at }: Entry): void {
    this.#counts.decisions++;
    this.#sessions.add(session);
    this.#firstAt = Math.min(this.#firstAt ?? at, at);
    this.#lastAt = Math.max(this.#lastAt ?? at, at);
  }

  #callDecision(entry: Entry, event: DecisionEvent): void {
    this.#count(entry);
    const key = keyOf(entry, event.call);
    const savesLater = this.#changedCalls.get(key);
    if (savesLater !== undefined) {
      this.#unknown["after-change"]++;
      if (savesLater) this.#save(event, entry.at);
      if (endsCall(event.decision)) this.#changedCalls.delete(key);
      return;
    }
    const again = isFaultCode(event.fault.code) ? this.#decideAgain(entry) : null;
    if (again === null) this.#unknown["not-recorded"]++;
    else if (event.decision.row.layer === "adapter") this.#unknown["extension-row"]++;
    else if (decidesAlike(event.decision, again)) this.#counts.same++;
    else this.#change(entry, event, again);
  }

  #change(entry: Entry, event: DecisionEvent, to: Decision): void {
    const { session, seq, at } = entry;
    const { call, tool, fault, decision: from } = event;
    const { waitMs, saves, adds, asks } = effectOf(from, to, at);
    this.#counts.changed++;
    this.#wait(waitMs);
    if (asks) this.#counts.asked++;
    if (adds) this.#addAttempt("cost" in event ? event.cost : null);
    if (!saves) this.#counts.openEnded++;
    if (!endsCall(from)) this.#changedCalls.set(keyOf(entry, call), saves);
    this.#changedTurns.add(keyOf(entry, turnOfCall(call)));
    this.#row(from.recourse, to.recourse, fault.code, tool, waitMs);
    if (this.#examples.length >= this.#maxExamples) return;
    const { what: would, why } = explain(to, this.#locale);
    const was = explain(from, this.#locale).what;
    const change = { from: from.recourse, to: to.recourse, was, would, why };
    this.#examples.push({ session, seq, at, call, tool, code: fault.code, ...change });
  }

  #stageDecision(entry: Entry, event: StageDecisionEvent): void {
    if (event.type === "node-skipped" && event.reason !== "resolution") return;
    this.#count(entry);
    this.#counts.stageDecisions++;
    if (this.#changedTurns.has(keyOf(entry, turnOf(event)))) return void this.#unknown["after-change"]++;
    const again = isFaultCode(event.fault?.code) ? replayStage(event, entry.at) : null;
    if (again === null) return void this.#unknown["not-recorded"]++;
    if (again.do === doneAbout(event)) return void this.#counts.same++;
    this.#counts.changed++;
    this.#row(doneAbout(event), again.do, event.fault?.code ?? "Unclassified", "", 0);
  }

  #attemptEnd(entry: Entry, event: AttemptEndEvent): void {
    const key = keyOf(entry, event.call);
    // A call that is cancelled while it waits has no attempt to save.
    const hasRun = event.type === "call-succeeded" || event.cost !== null;
    if (hasRun && this.#changedCalls.get(key) === true) this.#saveAttempt(event.cost);
    this.#changedCalls.delete(key);
  }

  /** A decision that would not have been made, and the attempt before it. */
  #save(event: DecisionEvent, at: number): void {
    if (event.type === "call-failed") this.#saveAttempt(event.cost);
    this.#wait(-waitOf(event.decision, at));
  }

  #saveAttempt(cost: Cost | null): void {
    this.#attempts.saved++;
    if (cost?.microcents === null) this.#money.unpricedAttempts++;
    else this.#money.savedMicrocents += cost?.microcents ?? 0;
  }

  /** An attempt that failed for free says nothing about the price of the next. A tool without a price costs nothing. */
  #addAttempt(last: Cost | null): void {
    this.#attempts.added++;
    if (last === null) return;
    if (last.microcents === null || last.microcents === 0) this.#money.unpricedAttempts++;
    else this.#money.addedMicrocents += last.microcents;
  }

  #wait(waitMs: number): void {
    if (waitMs < 0) this.#waits.savedMs -= waitMs;
    else this.#waits.addedMs += waitMs;
  }

  #row(from: ReplayedRecourse, to: ReplayedRecourse, code: FaultCode, tool: string, waitMs: number): void {
    const key = JSON.stringify([from, to, code, tool]);
    const row = this.#table.get(key) ?? { from, to, code, tool, count: 0, waitMs: 0 };
    row.count++;
    row.waitMs += waitMs;
    this.#table.set(key, row);
  }
}

function keyOf({ session }: Entry, name: string): string {
  return `${session} ${name}`;
}

// What a call does differently when another decision takes the place of the recorded one: as far as the two decisions say it.

/** Whether the same is done. The reasons, and what would be tried later, may differ. */
export function decidesAlike(one: Decision, other: Decision): boolean {
  return FIELDS_OF_ACTION.every((field) => readAs(one, field) === readAs(other, field));
}

/** What is done: these fields and no others. */
const FIELDS_OF_ACTION = ["recourse", "delayMs", "target", "tool", "wakeAt", "question"] as const;

function readAs(decision: Decision, field: (typeof FIELDS_OF_ACTION)[number]): unknown {
  return (decision as Partial<Record<typeof field, unknown>>)[field];
}

interface Effect {
  /** How much longer the new decision waits; negative for less. */
  readonly waitMs: number;
  /** The new decision ends the call: what was recorded after it would not have happened. */
  readonly saves: boolean;
  /** The recorded decision ended the call, and the new one makes at least one more attempt. */
  readonly adds: boolean;
  /** One of them asks a person, who may answer anything. */
  readonly asks: boolean;
}

function effectOf(from: Decision, to: Decision, at: number): Effect {
  return {
    waitMs: waitOf(to, at) - waitOf(from, at),
    saves: endsCall(to),
    adds: endsCall(from) && CONTINUES[to.recourse] === "runs",
    asks: CONTINUES[from.recourse] === "asks" || CONTINUES[to.recourse] === "asks",
  };
}

function endsCall({ recourse }: Decision): boolean {
  return CONTINUES[recourse] === "ends";
}

/** How long a call waits by this decision. How long a person takes is not known. */
function waitOf(decision: Decision, at: number): number {
  if (decision.recourse === "retry") return decision.delayMs;
  return decision.recourse === "park" ? Math.max(0, decision.wakeAt - at) : 0;
}

const CONTINUES: Readonly<Record<Decision["recourse"], "runs" | "asks" | "ends">> = {
  "retry": "runs",
  "refresh-credential": "runs",
  "fallback": "runs",
  "alternative": "runs",
  "compact": "runs",
  "regenerate": "runs",
  "park": "runs",
  "ask": "asks",
  "default": "ends",
  "partial": "ends",
  "skip": "ends",
  "surface": "ends",
  "fail": "ends",
};

// What a replay of past decisions cannot know, in words. The CLI and the server use the same sentences.

/** Says in words what a replay cannot know. */
export function describeReplayLimit(limit: ReplayLimit, locale: Locale): string {
  return WORDS[locale][limit];
}

const WORDS: Readonly<Record<Locale, Readonly<Record<ReplayLimit, string>>>> = {
  "en": {
    "after-change":
      "Decisions that follow a change in the same call, or end the same stage attempt, are unknown: the call would have met something else.",
    "not-recorded": "Older or newer versions wrote some entries without what their decision depended on.",
    "extension-row": "A row that an extension adds decided some faults. The policy file does not have that row.",
    "at-least": "Added attempts are the least: each may fail and be followed by more.",
    "price":
      "Some attempts have no known price: the provider reported none, or the attempt before an added one cost nothing.",
    "people": "How long a person takes, and what they answer, is not known.",
    "shared-state":
      "Breakers, retry budgets, pauses and incident memory are as they were. Other retries would have moved them, and the policy's own breaker and budget rules are not replayed.",
    "later-work":
      "Later calls and stages of the same run are judged as they happened, although a change may have avoided them.",
  },
  "zh-CN": {
    "after-change": "同一调用中某个决定改变之后的决定，以及同一次阶段尝试的结局，均视为未知：之后遇到的情况会不同。",
    "not-recorded": "部分记录由较旧或较新的版本写入，没有保存当时决定所依据的情况。",
    "extension-row": "部分故障由扩展添加的规则处理，策略文件中没有该规则。",
    "at-least": "增加的尝试次数是下限：每次都可能再次失败并继续重试。",
    "price": "部分尝试的价格未知：服务商未报告，或增加的尝试之前的那一次没有费用。",
    "people": "人需要多久答复、会如何答复，无法得知。",
    "shared-state":
      "熔断器、重试预算、暂停和事件记忆按当时的状态计算。其他重试会改变它们；策略自身的熔断和预算规则不参与重放。",
    "later-work": "同一运行中之后的调用和阶段按实际发生的情况判断，即使某个改变可能使其不再发生。",
  },
};
