// Begins or resumes a session: folds its journal, finds the calls in flight, and continues after its last entry.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError, isFaultError } from "../../core/fault/fault.ts";
import { createRedactor } from "../../core/fault/redact.ts";
import { nameFault } from "../../core/flow/name.ts";
import type { BudgetRule } from "../../core/flow/money.ts";
import type { Entry, Manifest, SessionEvent, SessionStatus } from "../../core/record/event.ts";
import { emptySession, foldEntry, fromSnapshot, type SessionState } from "../../core/record/replay.ts";
import type { KeepKind } from "../../journal/journal.ts";
import { type Rescued, writeRescue } from "../../journal/files/rescue.ts";
import { hideInWarnings } from "../../journal/warnings.ts";
import type { Bindings } from "../tool/binding.ts";
import { Budget } from "../budget.ts";
import type { Engine } from "../engine.ts";
import { Scope } from "../scope.ts";
import { SessionCore } from "./session-core.ts";
import { endedFault, SessionRecorder, type SessionRecorderOptions } from "./session-recorder.ts";
import { NO_WRITES, type SessionWrites } from "./session-options.ts";
import { nameTaken } from "./open-sessions.ts";
import { Session, type SessionLimits } from "./session.ts";

export interface SessionSettings {
  readonly mode: Manifest["mode"];
  readonly labels: Readonly<Record<string, string>>;
  readonly budget: BudgetRule;
  readonly limits: SessionLimits;
  readonly bindings: Bindings;
  /** Values that must not get out of this session. */
  readonly secrets: readonly unknown[];
  /** Where a rescue file may go, best first. */
  readonly rescueFolders: readonly string[];
  /** Its calls run elsewhere. */
  readonly isReported?: boolean;
}

const ENDED: readonly SessionStatus[] = ["done", "failed", "cancelled"];

/**
 * `first`: the session must not be there yet, and begins with these entries or not at all. `known`: the session as the caller has
 * folded it; without it the journal is read.
 */
export async function openSession(
  engine: Engine,
  id: string,
  settings: SessionSettings,
  first: SessionWrites | null = null,
  known: SessionState | null = null,
): Promise<Session> {
  const unfit = nameFault("session", id);
  if (unfit !== null) throw new FaultError(unfit);
  for (let reads = 1; ; reads++) {
    const state = known ?? (await readSession(engine.store, id));
    try {
      return await openAs(engine, state, settings, first);
    } catch (error) {
      // The last write of a process that died can reach a database after this read. Nothing is decided yet: the next read sees it.
      const wasLate = known === null && state.seq > 0 && reads < MAX_READS && isFenced(error, state.seq);
      if (!wasLate) throw error;
    }
  }
}

const MAX_READS = 3;

/** Whether the journal has more entries of the session than were read. */
function isFenced(error: unknown, seq: number): boolean {
  if (!isFaultError(error)) return false;
  const { after, lastSeq } = error.fault.context;
  return after === seq && Number(lastSeq) > seq;
}

async function openAs(
  engine: Engine,
  state: SessionState,
  settings: SessionSettings,
  first: SessionWrites | null,
): Promise<Session> {
  const { journal, clock } = engine;
  const { session: id } = state;
  const isNew = state.seq === 0;
  if (first !== null && !isNew) throw new FaultError(nameTaken(id));
  if (!isNew) checkManifest(state.manifest, id, journal.storeId);
  if (ENDED.includes(state.status)) {
    throw new FaultError(endedFault(id, state.status));
  }
  const core = coreOf(engine, settings, state);
  const { recorder } = core;
  if (isNew) {
    const { events, keeps } = first ?? NO_WRITES;
    try {
      await recorder.record([startOf(engine, settings, id), ...events], keeps, clock.now());
    } catch (error) {
      // Another process was first.
      if (first !== null && (await readSession(engine.store, id)).seq > 0) throw new FaultError(nameTaken(id));
      throw error;
    }
  } else await core.record({ type: "session-resumed", interrupted: inFlight(state) });
  return new Session(core, settings.limits);
}

/**
 * Opens a session whose calls run elsewhere. Writes nothing: a new one begins with the first entry about a call, and an existing one has
 * nothing to resume, because its calls do not run here. null: a session of this name exists, and its calls run here.
 */
export async function openReported(
  engine: Engine,
  id: string,
  settings: SessionSettings,
  isNew: boolean,
): Promise<SessionCore | null> {
  const state = isNew ? emptySession(id) : await readSession(engine.store, id);
  if (state.seq > 0) {
    const { labels } = checkManifest(state.manifest, id, engine.journal.storeId);
    if (labels[REPORTED] !== REPORTED_CALLS) return null;
  }
  const core = coreOf(engine, { ...settings, isReported: true }, state);
  if (state.seq === 0) core.recorder.note(() => [startOf(engine, settings, id)]);
  return core;
}

/** The label of a session whose calls run elsewhere. */
export const REPORTED = "calls";
export const REPORTED_CALLS = "reported";

function startOf({ journal, clock }: Engine, { mode, labels }: SessionSettings, id: string): SessionEvent {
  const { storeId } = journal;
  const manifest: Manifest = { sessionId: id, storeId, contract: 1, mode, createdAt: clock.now(), labels };
  return { type: "session-started", manifest };
}

function coreOf(engine: Engine, settings: SessionSettings, state: SessionState): SessionCore {
  const { session: id } = state;
  const scope = new Scope("session", null);
  const budget = new Budget(settings.budget, state);
  const recorder = recorderFor(engine, settings, state, {
    died: (why) => scope.cancel(why),
    written: ({ at, event }, seq) => {
      // The caller shares its state, and may have read the entry first.
      if (seq > state.seq) foldEntry(state, { session: id, seq, at, event });
      budget.written(event);
    },
  });
  const { bindings, mode } = settings;
  return new SessionCore({ engine, state, recorder, budget, scope, bindings, headless: mode === "headless" });
}

/**
 * Adds entries to a session that has ended, such as the name of the run that continues its work. `make` gets the session that `read`
 * has folded, and returns null when there is nothing to add.
 */
export async function amendSession(
  engine: Engine,
  settings: RecorderSettings,
  read: () => Promise<SessionState>,
  make: (state: SessionState) => SessionWrites | null,
): Promise<void> {
  const state = await read();
  const writes = make(state);
  if (writes === null) return;
  const ignore = (): void => undefined;
  const recorder = recorderFor(engine, settings, state, { died: ignore, written: ignore });
  await recorder.record(writes.events, writes.keeps, engine.clock.now());
}

type RecorderSettings = Pick<SessionSettings, "bindings" | "secrets" | "rescueFolders" | "isReported">;

function recorderFor(
  engine: Engine,
  { bindings, secrets, rescueFolders, isReported = false }: RecorderSettings,
  { session, seq }: SessionState,
  on: Pick<SessionRecorderOptions, "died" | "written">,
): SessionRecorder {
  const { journal, clock, chance } = engine;
  return new SessionRecorder({
    session,
    journal,
    clock,
    seq,
    policy: bindings.policy,
    // A session of reported calls has no secrets of its own and shares the runtime's redactor: thousands of them may open in a second.
    redactor: isReported ? engine.redactor : hideInWarnings(createRedactor(secrets, engine.redactor)),
    roll: () => chance.roll(),
    rescue: (after, entries, keeps) =>
      rescue(engine, rescueFolders, { storeId: journal.storeId, session, after, entries, keeps, at: clock.now() }),
    ...on,
  });
}

function inFlight(state: SessionState): readonly string[] {
  return [...state.calls.values()].filter(({ step }) => step.at === "run").map(({ call }) => call);
}

async function rescue(
  { clock, suppress }: Engine,
  folders: readonly string[],
  rescued: Rescued,
): Promise<string | null> {
  if (folders.length === 0) return null;
  try {
    return await writeRescue(folders, rescued);
  } catch (error) {
    const seen: Fault = classify({ surface: "store", error, observedAt: clock.now() });
    suppress(seen, "no rescue file could be written either; what was not in the journal is lost");
    return null;
  }
}

// Checks that a session in the journal is one that this program can resume.

const FIELDS: Readonly<Record<keyof Manifest, (value: unknown) => boolean>> = {
  sessionId: isName,
  storeId: isName,
  contract: (value) => value === 1,
  mode: (value) => value === "attended" || value === "headless",
  createdAt: (value) => typeof value === "number",
  labels: (value) => typeof value === "object" && value !== null,
};

function isName(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Refuses a manifest that has drifted, and a session that another store wrote. */
export function checkManifest(manifest: unknown, session: string, storeId: string): Manifest {
  const found = (typeof manifest === "object" && manifest !== null ? manifest : {}) as Readonly<
    Record<string, unknown>
  >;
  const wrong = [
    ...Object.entries(FIELDS).flatMap(([field, fits]) => (fits(found[field]) ? [] : [field])),
    ...Object.keys(found).filter((field) => !Object.hasOwn(FIELDS, field)),
  ];
  const [field] = wrong;
  if (field !== undefined) {
    throw new FaultError(
      fault("ManifestDrift", {
        message: `the manifest of session ${session} is not one this version can resume: ${wrong.join(", ")}; begin a new session, or use the version that wrote it`,
        context: { session, field },
      }),
    );
  }
  if (found["storeId"] !== storeId) {
    throw new FaultError(
      fault("ResumeMismatch", {
        message: `session ${session} was written by store ${String(found["storeId"])}, this is ${storeId}; import it with \`adopt\` to continue it here`,
        context: { session, expected: storeId },
      }),
    );
  }
  return found as unknown as Manifest;
}

// A session folded from its journal, to show it or to resume it.

export interface SessionSource {
  kept(kind: KeepKind, key: string): Promise<unknown>;
  each(session: string, after: number, take: (entry: Entry) => void): Promise<void>;
}

export async function readSession(source: SessionSource, id: string): Promise<SessionState> {
  const snapshot = await source.kept("snapshot", id);
  const state = snapshot === undefined || snapshot === null ? emptySession(id) : fromSnapshot(snapshot);
  await source.each(id, state.seq, (entry) => foldEntry(state, entry));
  return state;
}
