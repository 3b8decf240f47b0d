// What an operator can do about a run, as data. Two tables decide: which actions help against which kind of fault, and when each
// of them can be taken. Both ask traits of the fault and the state of the run, never the name of a code. All other code asks the
// traits of an action, never its id.

import { failedName, type Fault } from "../fault/fault.ts";
import type { Locale } from "../fault/words/words.ts";
import { ACTION_IDS, type ActionFacts, type ActionId, actionWords } from "./action-words.ts";
import type { Question } from "./interaction.ts";
import { nodeTraits, switchedTo, type Visit } from "./visit.ts";
import { isEnded, keyOf, type RunState, visitOf } from "./run-state.ts";
import { type CatalogueRow, type FaultCode, isFaultCode, traitsOf } from "../fault/catalogue.ts";
import type { RunLimits } from "./run-event.ts";

export { ACTION_IDS };
export type { ActionId };

export type ActionNeeds = "nothing" | "text" | "target" | "limits" | "answer" | "commands" | "tools";

/** What an action takes besides, and can do without. */
export type ActionAccepts = "text" | "commands";

type ActionEffect =
  | "instruct" //  in place: the visit waits, and gets another attempt with this instruction
  | "successor" // the run has ended: a linked run starts at the node, with this instruction
  | "answer" //    an open question gets its answer
  | "resume" //    a process advances it again
  | "cancel";

/** An action as a surface shows it and sends it back. */
export interface OfferedAction {
  readonly id: ActionId;
  /** Empty for an action on the whole run. */
  readonly node: string;
  /** 0 for an action on the whole run. */
  readonly execution: number;
  readonly label: string;
  readonly explains: string;
  /** What is done again. */
  readonly redoes: string;
  /** What is kept. */
  readonly keeps: string;
  readonly needs: ActionNeeds;
  /** What else an operator may send; empty for nothing. */
  readonly accepts: readonly ActionAccepts[];
  /** What can be chosen: targets, options of the question, limits by name, the node to send back to; empty for nothing to choose. */
  readonly choices: readonly string[];
  /** What the limits are now: a new one must be higher. Empty for actions that need none. */
  readonly limits: Readonly<Record<string, number>>;
  readonly effect: ActionEffect;
  /** The question it answers; empty for every other effect. */
  readonly question: string;
  /** What the node has cost so far, for an action that runs it again; 0 when that is nothing or not known. */
  readonly costMicrocents: number;
  /** The same for the same offer: taken twice it is done once. */
  readonly key: string;
}

export interface ActionSituation {
  readonly run: string;
  readonly state: RunState;
  /** All targets of the agent of the node that `focusOf` names, in the order they are asked. */
  readonly targets: readonly string[];
  /** Where that node's work could be sent back to. */
  readonly sendBackTo: string | null;
  /** That node has left part of an output. */
  readonly hasPartialOutput: boolean;
  /** The number of the run's last entry. */
  readonly lastSeq: number;
}

/** What can be done now, best first. */
export function actionsFor(about: ActionSituation, locale: Locale): readonly OfferedAction[] {
  const { state } = about;
  // Its successor is the run to act on.
  if (state.successor !== null) return [];
  if (isEnded(state)) return actionsAfter(about, locale);
  const waiting = state.cancelledBy === null ? state.visits.filter(isWaiting) : [];
  const focus = focusOf(state);
  const asked = waiting.flatMap((visit) => (visit.pause?.questions ?? []).map((question) => ({ visit, question })));
  return [
    ...asked.flatMap(({ visit, question }) => offers(about, { visit, question }, FOR_QUESTIONS, locale)),
    ...waiting.flatMap((visit) => actionsOn(visit === focus ? about : { ...about, ...NOTHING_KNOWN }, visit, locale)),
    ...offers(about, NO_SUBJECT, state.status === "paused" ? ["resume", "cancel"] : ["cancel", "resume"], locale),
  ];
}

/** A failed run can be repaired. A cancelled run can continue where it stopped. */
function actionsAfter(about: ActionSituation, locale: Locale): readonly OfferedAction[] {
  const visit = focusOf(about.state);
  if (about.state.status === "failed") return actionsOn(about, visit, locale);
  const isStopped = about.state.status === "cancelled" && visit !== null;
  return isStopped ? offers(about, { visit, question: null }, ["retry-stage"], locale) : [];
}

/** `about` describes only the visit in focus; this replaces it for every other visit. */
const NOTHING_KNOWN = { targets: [], sendBackTo: null, hasPartialOutput: false } as const;

/** What can be done about one visit that failed or waits, whether or not the run has ended. `about` describes this visit. */
export function actionsOn(about: ActionSituation, visit: Visit | null, locale: Locale): readonly OfferedAction[] {
  if (visit === null || visit.pause?.why === "gate") return [];
  const remedies = remediesOf(visit, about.state);
  const helps = nodeTraits(visit.kind).asksPerson ? remedies : [...remedies, "accept-partial" as const];
  return offers(about, { visit, question: null }, helps, locale);
}

/** The visit the actions are about: the failed one, or the first that waits because of a failure. */
export function focusOf(state: RunState): Visit | null {
  if (!isEnded(state)) {
    const waiting = state.visits.filter((visit) => isWaiting(visit) && visit.pause?.why !== "gate");
    return waiting.find(({ fault }) => fault !== null) ?? waiting[0] ?? null;
  }
  const failed = state.visits.findLast(({ node }) => node === state.failedNode);
  const isOpen = ({ state: at }: Visit): boolean => at !== "completed" && at !== "skipped";
  return failed ?? state.visits.findLast(isOpen) ?? null;
}

function isWaiting({ state, fault }: Visit): boolean {
  return state === "paused" || (state === "ready" && fault !== null);
}

/** What an action is about; both null for the whole run. */
interface ActionSubject {
  readonly visit: Visit | null;
  readonly question: Question | null;
}

const NO_SUBJECT: ActionSubject = { visit: null, question: null };
const FOR_QUESTIONS: readonly ActionId[] = ["answer", "continue-discussion"];

/** For a visit that waits although nothing has failed. */
const BY_PAUSE: Readonly<Record<string, readonly ActionId[]>> = {
  budget: ["raise-limit"],
  parked: ["retry-stage", "retry-now", "switch-provider"],
};

function remediesOf({ fault, pause, kind }: Visit, state: RunState): readonly ActionId[] {
  const seen = fault ?? (isEnded(state) ? state.fault : null);
  if (seen === null) return BY_PAUSE[pause?.why ?? ""] ?? [];
  const remedies = remediesFor(seen);
  if (nodeTraits(kind).takesText) return remedies;
  // There is no text to edit: the person fixes the cause elsewhere and retries.
  return [...new Set(remedies.map((id) => (actionHas(id, "replaces-text") ? "retry-stage" : id)))];
}

interface Subject extends ActionSubject {
  readonly about: ActionSituation;
}

export interface ActionRow {
  /** Whether it can be done now. Whether it helps against the fault is up to REMEDIES. */
  readonly offered: (subject: Subject) => boolean;
  /** `grant`: commands for a node that runs them, tools for every other one. */
  readonly needs: ActionNeeds | "grant";
  /** Nothing when left out. */
  readonly accepts?: (subject: Subject) => readonly ActionAccepts[];
  readonly choices: (subject: Subject) => readonly string[];
  /** `by-state`: in place while the run waits, in a successor once it has failed. */
  readonly effect: "by-state" | "answer" | "resume" | "cancel";
  /** None when left out. */
  readonly traits?: readonly ActionTrait[];
}

/** What the code that carries an action out must know about it. */
type ActionTrait =
  | "lasts" //          it holds for the rest of the run, not only for one attempt
  | "allows" //         the commands or tools that are given with it may be used
  | "starts-now" //     the node starts at once, even if its provider asked for a pause earlier
  | "replaces-text" //  the node gets the given text in place of its own: a prompt, or command lines
  | "shortens" //       only a part of each long value goes into the prompt
  | "regenerates" //    the model answers again and learns what was wrong with its last answer
  | "sends-back" //     another node gets the work back, with the failure and what the failed command printed
  | "accepts-output" // the partial output becomes the node's output
  | "resumes"; //       visits that a person stopped continue

/** An action of a newer program has no traits here. */
export function actionHas(action: string | null | undefined, trait: ActionTrait): boolean {
  const id = ACTION_IDS.find((one) => one === action);
  return id !== undefined && ACTIONS[id].traits?.includes(trait) === true;
}

const always = (): boolean => true;
const none = (): readonly string[] => [];
const aText = (): readonly ActionAccepts[] => ["text"];
const isOpenRun = ({ about: { state } }: Subject): boolean => !isEnded(state);

// prettier-ignore
export const ACTIONS: Readonly<Record<ActionId, ActionRow>> = {
  // The gate asks "Ship it?"; the operator says yes, and the node after the gate begins.
  "answer":              { offered: always,        needs: "answer",  choices: optionsOf, effect: "answer" },
  // After three plain-text opinions: "continue, and think of the old clients".
  "continue-discussion": { offered: (subject) => optionsOf(subject).includes("continue"), needs: "text", choices: () => ["continue"], effect: "answer" },
  // The third retry is due in eight minutes, and the provider says it is back.
  "retry-now":           { offered: waitsForTime,  needs: "nothing", choices: none,      effect: "by-state", traits: ["starts-now"] },
  // The reviewer's stream broke off three times; the network is back.
  "retry-stage":         { offered: always,        needs: "nothing", choices: none,      effect: "by-state", traits: ["starts-now"] },
  // 401: the operator runs `claude /login`, then says so.
  "sign-in-again":       { offered: always,        needs: "nothing", choices: none,      effect: "by-state", traits: ["starts-now"] },
  // The tester wanted `node --test`, which the workflow does not allow; the operator allows it.
  "grant-and-retry":     { offered: always,        needs: "grant",   choices: none,      effect: "by-state", traits: ["lasts", "allows"] },
  // The run stopped at 2 dollars; the operator makes it 5.
  "raise-limit":         { offered: hasLimit,      needs: "limits",  choices: (subject) => Object.keys(limitsOf(subject)), effect: "by-state", traits: ["lasts"] },
  // The review was prose; the model is asked again and told what was missing.
  "regenerate-once":     { offered: always,        needs: "nothing", accepts: aText, choices: none,      effect: "by-state", traits: ["regenerates"] },
  // 213000 tokens for a window of 200000: a quarter of each earlier output is sent.
  "shorten-context":     { offered: always,        needs: "nothing", choices: none,      effect: "by-state", traits: ["shortens"] },
  // Two tests fail; the coder gets their output.
  "send-back":           { offered: canSendBack,   needs: "nothing", accepts: aText, choices: ({ about }) => (about.sendBackTo === null ? [] : [about.sendBackTo]), effect: "by-state", traits: ["sends-back"] },
  // The prompt quotes what the content filter blocks; the operator writes another one.
  "edit-and-retry":      { offered: always,        needs: "text",    accepts: grantsOf, choices: none,      effect: "by-state", traits: ["allows", "replaces-text"] },
  // Claude's weekly limit is used up; the operator takes codex.
  "switch-provider":     { offered: (subject) => otherTargets(subject).length > 0, needs: "target", choices: otherTargets, effect: "by-state", traits: ["starts-now"] },
  // Three of five files are written, and the operator can do without the other two.
  "accept-partial":      { offered: ({ about }) => about.hasPartialOutput, needs: "nothing", choices: none, effect: "by-state", traits: ["accepts-output"] },
  // The machine was switched off: the run is marked as running, but no process works on it.
  "resume":              { offered: isOpenRun,     needs: "nothing", choices: none,      effect: "resume", traits: ["resumes"] },
  // It works on the wrong thing, and every minute costs money.
  "cancel":              { offered: (subject) => isOpenRun(subject) && subject.about.state.cancelledBy === null, needs: "nothing", choices: none, effect: "cancel" },
};

/** Without the target that has just failed: the one the last fault names, or else the first choice. */
function otherTargets({ about: { targets, state }, visit }: Subject): readonly string[] {
  const switched = switchedTo(visit?.instruction ?? null);
  const named = (visit?.fault ?? state.fault)?.context["tool"];
  const failed = targets.find((id) => id === named) ?? targets.find((id) => id === switched) ?? targets[0];
  return targets.filter((id) => id !== failed);
}

function optionsOf({ question }: Subject): readonly string[] {
  return question?.payload.kind === "Select" ? question.payload.options.map(({ id }) => id) : [];
}

function waitsForTime({ about, visit }: Subject): boolean {
  return !isEnded(about.state) && (visit?.state === "ready" || typeof visit?.pause?.wakeAt === "number");
}

function grantNeeded(visit: Visit | null): ActionNeeds {
  return nodeTraits(visit?.kind ?? null).runsCommands ? "commands" : "tools";
}

/** Typed command lines are checked against the node's allow-list; a command outside it must be allowed by name. */
function grantsOf({ visit }: Subject): readonly ActionAccepts[] {
  return nodeTraits(visit?.kind ?? null).runsCommands ? ["commands"] : [];
}

function canSendBack({ about: { sendBackTo }, visit }: Subject): boolean {
  return sendBackTo !== null && sendBackTo !== visit?.node;
}

function hasLimit(subject: Subject): boolean {
  return Object.keys(limitsOf(subject)).length > 0;
}

function limitsOf({ about: { state }, visit }: Subject): Readonly<Record<string, number>> {
  return limitsReached(visit?.fault ?? state.fault, state.limits);
}

function offers(
  about: ActionSituation,
  subject: ActionSubject,
  ids: readonly ActionId[],
  locale: Locale,
): readonly OfferedAction[] {
  const full = { ...subject, about };
  return ids.filter((id) => ACTIONS[id].offered(full)).map((id) => offer(id, full, locale));
}

function offer(id: ActionId, subject: Subject, locale: Locale): OfferedAction {
  const { about, visit, question } = subject;
  const row = ACTIONS[id];
  const needs = row.needs === "grant" ? grantNeeded(visit) : row.needs;
  const facts = factsOf(id, subject);
  const words = actionWords(id, locale);
  return {
    id,
    node: visit?.node ?? "",
    execution: visit?.execution ?? 0,
    label: words.label,
    explains: words.explains(facts),
    redoes: words.redoes(facts),
    keeps: words.keeps(facts),
    needs,
    accepts: row.accepts?.(subject) ?? [],
    choices: row.choices(subject),
    limits: needs === "limits" ? limitsOf(subject) : {},
    effect: row.effect !== "by-state" ? row.effect : isEnded(about.state) ? "successor" : "instruct",
    question: question?.id ?? "",
    costMicrocents: row.effect === "by-state" ? (visit?.spentMicrocents ?? 0) : 0,
    key: [about.run, id, ...momentOf(id, subject)].join(":"),
  };
}

/** What distinguishes an offer from the last one of its kind: the question, the attempt and its state, or the run's last entry. */
function momentOf(id: ActionId, { about, visit, question }: Subject): readonly (string | number)[] {
  if (question !== null) return [question.id];
  if (visit !== null) return [`${keyOf(visit)}.${visit.attempt}`, visit.state];
  // A run is cancelled once, but may be resumed many times.
  return ACTIONS[id].effect === "resume" ? [about.lastSeq] : [];
}

function factsOf(id: ActionId, { about: { state, sendBackTo }, visit }: Subject): ActionFacts {
  // Everything after the node that gets the work back runs again.
  const again = actionHas(id, "sends-back")
    ? state.visits.slice(state.visits.findLastIndex(({ node }) => node === sendBackTo))
    : [];
  const isKept = ({ state: at, node }: Visit): boolean =>
    at === "completed" && !again.some((other) => other.node === node);
  const over = state.visits.filter(isKept);
  return {
    node: visit?.node ?? "",
    attempt: visit === null ? 0 : visit.state === "ready" ? visit.attempt : visit.attempt + 1,
    backTo: sendBackTo ?? "",
    finished: [...new Set(over.map(({ node }) => node))],
    isSuccessor: isEnded(state),
    target: visit?.fault ? failedName(visit.fault) : "",
    variable: variableIn(visit?.fault ?? null),
  };
}

function variableIn(seen: Fault | null): string {
  const variable = seen?.context["variable"];
  return typeof variable === "string" ? variable : "";
}

// Which limit a fault reached, its value, and whether it belongs to the run or to the node. An offer names a limit by what it limits
// (`timeoutMs`); the fault says whose it is.

type Amounts = Readonly<Record<string, number>>;

interface LimitRow {
  /** Its name in the offer and its present value; 0 when none was set. */
  readonly offered: (limits: RunLimits, reached: number) => Amounts;
  /** The names under which the node looks for its own; null for a limit of the run. */
  readonly ofNode: Readonly<Record<string, string>> | null;
}

// prettier-ignore
const ROWS = {
  // 2.00 of 2.00 dollars are spent.
  runMoney:    { offered: ({ maxCostMicrocents }) => ({ maxCostMicrocents }),        ofNode: null },
  // The agent may spend 0.50 dollars in a run, and has.
  agentMoney:  { offered: (_limits, maxCostMicrocents) => ({ maxCostMicrocents }),   ofNode: { maxCostMicrocents: "agentCostMicrocents" } },
  // The run took longer than half an hour.
  runTime:     { offered: ({ timeoutMs }) => ({ timeoutMs: timeoutMs ?? 0 }),        ofNode: null },
  // One attempt of the node did.
  attemptTime: { offered: (_limits, timeoutMs) => ({ timeoutMs }),                   ofNode: { timeoutMs: "attemptMs" } },
  // A loop that does not end has visited its 100 nodes.
  nodes:       { offered: ({ maxNodes }) => ({ maxNodes }),                          ofNode: null },
  // The agent was still using tools after 8 rounds.
  rounds:      { offered: (_limits, turnCap) => ({ turnCap }),                       ofNode: { turnCap: "turnCap" } },
  // A stage written in TypeScript ran out of rounds and does not say which limit that was.
  eitherRounds: { offered: ({ maxNodes }) => ({ maxNodes, turnCap: 0 }),             ofNode: null },
} as const satisfies Readonly<Record<string, LimitRow>>;

interface Reached {
  readonly isAgents: boolean;
  readonly isKnown: boolean;
}

/** By the code of the fault; every other code means the run's budget. */
const BY_CODE: Readonly<Partial<Record<FaultCode, (reached: Reached) => LimitRow>>> = {
  BudgetExceeded: ({ isAgents }) => (isAgents ? ROWS.agentMoney : ROWS.runMoney),
  RunTimeout: () => ROWS.runTime,
  TurnTimeout: () => ROWS.attemptTime,
  TurnLimit: ({ isAgents, isKnown }) => (isAgents ? ROWS.rounds : isKnown ? ROWS.nodes : ROWS.eitherRounds),
};

/** The limits that can be raised after this fault, with their present values. */
function limitsReached(seen: Fault | null, limits: RunLimits): Amounts {
  // The workflow itself declared this end: there is no limit to raise.
  if (seen?.context["declared"] === true) return {};
  return limitRowOf(seen).offered(limits, reachedIn(seen) ?? 0);
}

/** The new values, under the names the enforcing code reads. */
export function limitsAsMeant(
  { id, node, execution }: { readonly id: ActionId; readonly node: string; readonly execution: number },
  state: RunState,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (ACTIONS[id].needs !== "limits") return params;
  const { ofNode } = limitRowOf(visitOf(state, { node, execution })?.fault ?? state.fault);
  if (ofNode === null) return params;
  const limits = Object.entries((params["limits"] ?? {}) as Amounts);
  return { ...params, limits: Object.fromEntries(limits.map(([name, limit]) => [ofNode[name] ?? name, limit])) };
}

function limitRowOf(seen: Fault | null): LimitRow {
  if (seen === null) return ROWS.runMoney;
  const reached = { isAgents: typeof seen.context["agent"] === "string", isKnown: reachedIn(seen) !== null };
  return BY_CODE[seen.code]?.(reached) ?? ROWS.runMoney;
}

function reachedIn(seen: Fault | null): number | null {
  const limit = seen?.context["limit"];
  return typeof limit === "number" ? limit : null;
}

// What helps against a fault, by its traits: a table. The rows above say whether it can be done for a run.

interface Remedy {
  /** All that is given must be true of the fault; the first row that fits speaks. */
  readonly match: Partial<Pick<CatalogueRow, "class" | "scope" | "cause" | "retryable" | "lifts" | "cancels">>;
  /** Best first. */
  readonly offer: readonly ActionId[];
  readonly example: string;
}

// prettier-ignore
export const REMEDIES: readonly Remedy[] = [
  { match: { cancels: true },                                   offer: [],                                              example: "a person pressed Ctrl-C" },
  { match: { cause: "quota-exhausted" },                         offer: ["switch-provider", "retry-now", "retry-stage"], example: "You have hit your weekly limit" },
  { match: { class: "ProviderAccess", scope: "account" },       offer: ["sign-in-again", "switch-provider"],            example: "401 invalid x-api-key" },
  { match: { cause: "permission-denied" },                       offer: ["grant-and-retry", "edit-and-retry"],           example: "Claude requested permissions to use Bash, three times" },
  { match: { cause: "tool-denied" },                             offer: ["grant-and-retry", "edit-and-retry"],           example: "`rm -rf build` is not on the list of allowed commands" },
  { match: { cause: "approval-rejected" },                       offer: ["retry-stage", "send-back", "edit-and-retry"],  example: "\"Ship it?\" was answered with no: not on a Friday" },
  { match: { cause: "provider-not-found" },                      offer: ["retry-stage", "switch-provider"],              example: "spawn codex ENOENT" },
  { match: { cause: "network-error", retryable: false },         offer: ["retry-stage", "switch-provider"],              example: "self-signed certificate in certificate chain" },
  { match: { cause: "context-overflow" },                        offer: ["shorten-context", "switch-provider", "edit-and-retry"], example: "prompt is too long: 213000 tokens" },
  { match: { cause: "content-filter" },                          offer: ["edit-and-retry"],                              example: "blocked by the content management policy" },
  { match: { cause: "capability-missing" },                      offer: ["switch-provider", "retry-stage"],              example: "this model takes no images" },
  { match: { cause: "test-failed" },                             offer: ["send-back", "retry-stage", "edit-and-retry"],  example: "`npm test` ended with code 1" },
  { match: { scope: "output" },                                 offer: ["regenerate-once", "edit-and-retry", "send-back"], example: "the review has no field `decision`" },
  { match: { cause: "schema-invalid" },                          offer: ["regenerate-once", "edit-and-retry", "send-back"], example: "a tool answered with half a JSON" },
  { match: { scope: "limit", cause: "timeout" },                 offer: ["raise-limit", "retry-stage"],                  example: "the attempt took longer than 30 minutes" },
  { match: { scope: "limit" },                                  offer: ["raise-limit"],                                 example: "2.00 of 2.00 dollars are spent" },
  { match: { class: "ProviderTransient" },                      offer: ["retry-stage", "retry-now", "switch-provider"], example: "stream disconnected before completion" },
  { match: { class: "Guard" },                                  offer: ["retry-stage", "retry-now", "switch-provider"], example: "the circuit of openai/gpt-5.5 is open" },
  { match: { retryable: true },                                 offer: ["retry-stage", "retry-now"],                    example: "the test runner is busy" },
  { match: { class: "Crash" },                                  offer: ["retry-stage", "switch-provider"],              example: "the agent was killed by SIGSEGV" },
  { match: { cause: "bad-request" },                             offer: ["edit-and-retry", "switch-provider"],           example: "400 messages.3: tool_use without tool_result" },
  { match: { class: "ToolTerminal" },                           offer: ["retry-stage", "edit-and-retry"],               example: "ENOSPC: no space left on device" },
  { match: {},                                                  offer: ["retry-stage", "edit-and-retry"],               example: "a condition read a field of undefined; the workflow was put right" },
];

/** A loop has used its rounds: it may have one more, or its last node may run again. */
const ROUNDS_SPENT: readonly ActionId[] = ["send-back", "retry-stage"];

/** What helps against such a fault, best first; whether it can be done is another question. */
export function remediesFor(fault: Pick<Fault, "code"> & Partial<Pick<Fault, "context">>): readonly ActionId[] {
  const traits = traitsOfFault(fault);
  if (traits.scope === "limit" && fault.context?.["declared"] === true) return ROUNDS_SPENT;
  const fits = ({ match }: Remedy): boolean =>
    (Object.keys(match) as (keyof Remedy["match"])[]).every((trait) => match[trait] === traits[trait]);
  return REMEDIES.find(fits)?.offer ?? [];
}

/** A code from a newer program is treated as unknown. */
function traitsOfFault({ code }: Pick<Fault, "code">): CatalogueRow {
  return traitsOf(isFaultCode(code) ? code : "Unclassified");
}
