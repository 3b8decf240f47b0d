// Sample entries and helpers for tests of journals.

import type { FaultCode } from "../core/fault/catalogue.ts";
import { fault, isFaultError } from "../core/fault/fault.ts";
import type { Decision } from "../core/decide/decision.ts";
import type { Entry, JournalEvent, SessionStatus, TurnStatus } from "../core/record/event.ts";
import type { Journal, NewEntry, Subscription } from "../journal/journal.ts";

export interface JournalUnderTest {
  readonly journal: Journal;
  /** Closes the journal and opens it again; absent if nothing outlives it. */
  readonly reopen?: () => Promise<Journal>;
  /** The messages passed to `onWarning` so far. */
  readonly troubles: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a journal for one test and closes it afterwards. */
export type Using = (test: (subject: JournalUnderTest) => Promise<void>) => Promise<void>;

export function started(
  session: string,
  storeId: string,
  at: number,
  labels: Readonly<Record<string, string>> = {},
): NewEntry {
  const manifest = { sessionId: session, storeId, contract: 1, mode: "headless", createdAt: at, labels } as const;
  return { at, event: { type: "session-started", manifest } };
}

/** An entry without meaning for a session. */
export function note(name: string, at = 0): NewEntry {
  return { at, event: { type: "extension-started", name } };
}

export function turnEnded(status: TurnStatus, at: number): NewEntry {
  return { at, event: { type: "turn-ended", turn: "t1", status, fault: null } };
}

export function ended(status: SessionStatus, at: number): NewEntry {
  return { at, event: { type: "session-ended", status, fault: null } };
}

export interface SampleFailure {
  readonly call?: string;
  readonly code?: FaultCode;
  readonly tool?: string;
  readonly recourse?: Decision["recourse"];
  readonly message?: string;
}

/** A failed call of a tool: by default a 503 that is tried again. */
export function failed(
  at: number,
  { call = "c1", code = "ToolUnavailable", tool = "search", recourse = "retry", message = "503" }: SampleFailure = {},
): NewEntry {
  const decision = { recourse } as unknown as Decision;
  const seen = fault(code, { message });
  const about = {
    call,
    tool,
    attempt: 1,
    fault: seen,
    decision,
    breaker: "closed",
    durationMs: 1,
    cost: null,
  } as const;
  return { at, event: { type: "call-failed", ...about } };
}

/** A failed node of a run, in its first visit. */
export function nodeFailed(
  at: number,
  node: string,
  { code = "ToolUnavailable", attempt = 1 }: { readonly code?: FaultCode; readonly attempt?: number } = {},
): NewEntry {
  const place = { node, execution: 1, attempt };
  const end = { outcome: "failed", resolution: "abort-workflow", route: null } as const;
  return { at, event: { type: "node-failed", ...place, ...end, fault: fault(code) } as unknown as JournalEvent };
}

export function succeeded(at: number, call = "c1", tool = "search"): NewEntry {
  const about = { call, tool, attempt: 2, durationMs: 1, cost: null, errors: [], output: null } as const;
  return { at, event: { type: "call-succeeded", ...about } };
}

export async function readAll(journal: Journal, session: string, after?: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read(session, after)) entries.push(entry);
  return entries;
}

/** The fault code of a rejected promise. */
export async function codeOf(refused: Promise<unknown>): Promise<FaultCode> {
  const value = await refused.then(
    (result) => new Error(`the call was not refused and returned ${JSON.stringify(result)}`),
    (error: unknown) => error,
  );
  if (isFaultError(value)) return value.fault.code;
  throw value;
}

export interface Listening {
  readonly entries: readonly Entry[];
  /** Resolves once this many entries have arrived. */
  readonly until: (count: number) => Promise<readonly Entry[]>;
  readonly stop: () => void;
}

export function listen(journal: Journal, from?: Subscription): Listening {
  const entries: Entry[] = [];
  let onEntry: () => void = () => undefined;
  const stop = journal.subscribe((entry) => {
    entries.push(entry);
    onEntry();
  }, from);
  const until = (count: number): Promise<readonly Entry[]> =>
    new Promise((resolve) => {
      onEntry = () => {
        if (entries.length >= count) resolve(entries);
      };
      onEntry();
    });
  return { entries, until, stop };
}
