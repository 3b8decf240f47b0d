// `faultline explain <correlation id>`: shows the operator's details of a recorded failure. An id is a session or run, optionally
// followed by one of its turns or calls: `ship`, `ship/coder#1.1`, `ship/t1/1/search`. Or it is that of a gateway's call: `call_….7`,
// `call_….7#2`.

import {
  type AuditView,
  type Entry,
  type Fault,
  fault,
  isFaultCode,
  type JournalEvent,
  type Locale,
  viewFor,
} from "../core/index.ts";
import { turnOf } from "../core/flow/visit.ts";
import { knownCode } from "../core/record/fault-index.ts";
import { callEntries, findCall, readCallId } from "../gateway/ledger/find-call.ts";
import { decisionId, type LedgerDecision, type LedgerLine } from "../gateway/ledger/ledger-line.ts";
import type { Journal } from "../journal/journal.ts";
import { decisionText, type FoundCall } from "./explain-call.ts";
import type { Cli } from "./cli.ts";
import { said as recorded } from "./fault-sentences/sentence.ts";
import { dayOf, shown, timeOfDay } from "./render/values.ts";
import { CLI_WORDS } from "./render/words/cli-words.ts";
import { PUNCTUATION } from "../core/punctuation.ts";

/** A fault from the journal that belongs to an id. */
export interface FoundFault {
  readonly at: number;
  /** The type of the event that holds it, e.g. `call-failed`. */
  readonly event: string;
  readonly id: string;
  readonly fault: Fault;
  /** What a gateway decided about it; null for the failure of a program. */
  readonly decision: LedgerDecision | null;
}

/** What the journal has under an id. */
export interface FoundUnder {
  /** The call of a gateway that it names, or is a part of; null for any other id. */
  readonly call: FoundCall | null;
  /** Empty only for a call. */
  readonly faults: readonly FoundFault[];
}

/** An id that Faultline generated, or a part of a session. Error texts contain spaces and URLs contain `://`, so neither matches. */
const ID = /^(?:call_\w{6}[.#\w=-]*|(?:run|ses)_\w{6,}|[^\s/]+\/(?!\/)\S+)$/;
/** A run may have thousands of faults; the last ones say why it ended. */
const MAX_SHOWN = 10;
/** Lines of evidence shown per fault. */
const MAX_SAID = 20;

export function looksLikeId(text: string): boolean {
  return ID.test(text.trim());
}

/** null when the journal has no such call or session, or it recorded no failure of the session under this id. */
export async function findUnder(journal: Journal, id: string): Promise<FoundUnder | null> {
  const ofGateway = readCallId(id);
  if (ofGateway !== null) return foundCall(journal, ofGateway.call, ofGateway.decision);
  const [session = "", ...parts] = id.trim().split("/");
  const rest = parts.join("/");
  if ((await journal.session(session)) === null) return null;
  const found = new Map<string, FoundFault>();
  for await (const entry of journal.read(session)) {
    const one = faultIn(entry, rest);
    if (one === null) continue;
    // The same fault ends a call, its turn and the run; the first of them is where it happened.
    const key = JSON.stringify([one.fault.code, one.fault.message, one.fault.evidence]);
    if (!found.has(key)) found.set(key, one);
  }
  return found.size === 0 ? null : { call: null, faults: [...found.values()].slice(-MAX_SHOWN) };
}

/** What a call of a gateway met, by the id that its client got. */
async function foundCall(journal: Journal, call: string, only: number | null): Promise<FoundUnder | null> {
  const placed = await findCall(journal, call);
  if (placed === null) return null;
  const { line } = placed;
  if (only !== null && line.decisions[only - 1] === undefined) return null;
  const found = (await callEntries(journal, placed)).flatMap(({ entry: { at, event }, decision }): FoundFault[] => {
    if (decision === null || !("fault" in event) || event.fault === null || (only ?? decision) !== decision) return [];
    const decided = line.decisions[decision - 1] ?? null;
    return [{ at, event: event.type, id: decisionId(call, decision - 1), fault: event.fault, decision: decided }];
  });
  return { call: { line, only }, faults: found.length > 0 ? found.slice(-MAX_SHOWN) : ofLedger(line, only) };
}

/** Nothing was decided about a call that was cancelled, and few entries may be missing: then only the ledger has its failure. */
function ofLedger({ call, at, code, decisions }: LedgerLine, only: number | null): readonly FoundFault[] {
  const decision = only === null ? null : (decisions[only - 1] ?? null);
  const failed = only === null ? code : (decision?.code ?? null);
  const id = only === null ? call : decisionId(call, only - 1);
  return isFaultCode(failed) ? [{ at, event: "call-ended", id, fault: fault(failed), decision }] : [];
}

/** The ids of the most recent failures in these entries, oldest first. */
export function failedIds(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => faultIn(entry, "")?.id ?? []))].slice(-MAX_SHOWN);
}

function faultIn({ session, at, event }: Entry, rest: string): FoundFault | null {
  if (!("fault" in event) || event.fault === null) return null;
  const names = namesOf(event);
  const isMeant = rest === "" || names.some((name) => isPartOf(name, rest));
  const id = [session, ...names.slice(0, 1)].join("/");
  return isMeant ? { at, event: event.type, id, fault: event.fault, decision: null } : null;
}

/** Matches a turn, its calls, and the `turn/call` form that some surfaces print. */
function isPartOf(name: string, rest: string): boolean {
  return name === rest || name.startsWith(`${rest}/`) || rest.endsWith(`/${name}`);
}

/** The call, turn or attempt an event belongs to, the most specific first. */
function namesOf(event: JournalEvent): readonly string[] {
  return [
    ...("call" in event ? [event.call] : []),
    ...("attempt" in event && "node" in event ? [turnOf(event)] : []),
    ...("turn" in event ? [event.turn] : []),
  ];
}

export function foundJson({ at, event, id, fault, decision }: FoundFault, locale: Locale): object {
  const { class: family, code, detail, rule, excerpt, context, causes, origin } = auditOf(fault, id, locale);
  const decided =
    decision === null ? {} : { target: decision.target, attempt: decision.attempt, recourse: decision.recourse };
  return { at, event, id, ...decided, class: family, code, message: detail, rule, excerpt, context, causes, origin };
}

export function foundLines({ at, event, id, fault, decision }: FoundFault, { locale, paint }: Cli): string[] {
  const words = CLI_WORDS[locale];
  const { gap, colon } = PUNCTUATION[locale];
  const { code, title, detail, excerpt, causes, origin } = auditOf(fault, id, locale);
  // The end of a process's output usually explains more than its beginning.
  const said = detail.includes(excerpt) ? [] : excerpt.trimEnd().split("\n").slice(-MAX_SAID);
  const thrown = (origin?.thrown ?? []).flatMap(({ name, message, code: own, stack }, index) => [
    `  ${index === 0 ? words.thrown : words.causedBy}${gap}${paint("bold", shown(name, 100))}${own === undefined ? "" : ` [${shown(own, 100)}]`}${colon}${recorded(message, locale)}`,
    ...(stack ?? "").split("\n").flatMap((frame) => (frame === "" ? [] : [paint("dim", `      ${shown(frame)}`)])),
  ]);
  return [
    `${paint("dim", `${dayOf(at)} ${timeOfDay(at)}`)}  ${paint("bold", code)}  ${title}  ${paint("dim", `${event} ${shown(id)}`)}`,
    ...(decision === null ? [] : [`  ${decisionText(decision, locale)}`]),
    // Without the words of a target, the title is all that a gateway's entry says.
    ...(detail === title ? [] : [`  ${recorded(detail, locale, 1_000)}`]),
    ...said.map((line) => paint("dim", `  │ ${shown(line)}`)),
    ...causes.map((cause) => `  ${words.causedBy}${gap}${shown(cause.code)}${colon}${recorded(cause.message, locale)}`),
    ...thrown,
    ...Object.entries(origin?.requestIds ?? {}).map(([name, value]) => `  ${shown(name, 100)}  ${shown(value, 300)}`),
    "",
  ];
}

function auditOf(fault: Fault, correlationId: string, locale: Locale): AuditView {
  return viewFor("audit", { ...fault, code: knownCode(fault) }, { correlationId, locale });
}
