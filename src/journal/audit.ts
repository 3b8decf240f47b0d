// Who did what, when, and with which key: the library, the CLI and the server record in the journal everything a person or a client does.

import { defined } from "../core/defined.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { isFaultError } from "../core/fault/fault.ts";
import type { Clock } from "../host/clock.ts";
import type { Journal, TimeQuery } from "./journal.ts";
import { tagOf } from "./keep-kinds.ts";

/** One thing that a person or a client did. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /** The name of a token, of a person, or of a surface. */
  readonly by: string;
  /** `run.act`, `target.isolate` … */
  readonly what: string;
  /** The run, question or target it was done to. */
  readonly on: string;
  /** The action, where there are several; empty otherwise. */
  readonly action: string;
  /** The idempotency key it came with; empty when it had none. */
  readonly key: string;
  /** What the person said with it: the reason, or the answer to a question; empty when nothing was said. Never a secret. */
  readonly said: string;
  /** The session of the question that was answered; empty for everything else. */
  readonly session: string;
  /** The code of the fault that refused it; null when it was done. */
  readonly refused: string | null;
}

export interface AuditQuery extends Pick<TimeQuery, "limit" | "after"> {
  readonly by?: string;
  readonly on?: string;
}

/** The name for what the program does by itself, which is not recorded. */
export const BY_PROGRAM = "program";

interface Auditing {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** What was done; parts that are absent are empty. */
export type Deed = Pick<AuditRecord, "what" | "on" | "by"> & Partial<typeof NOTHING>;

/** Defaults of absent parts. Records of earlier versions have no `said` and no `session`. */
const NOTHING = { action: "", key: "", said: "", session: "" };

/** Longer texts are cut here. The journal keeps all of them with the run or the answer. */
const MAX_SAID = 300;

/** Does the work and keeps a record of it, also when it is refused. */
export async function audited<T>({ journal, clock, newId }: Auditing, deed: Deed, work: () => Promise<T>): Promise<T> {
  if (deed.by === BY_PROGRAM) return work();
  const said = clip(SHAPE_REDACTOR.text(deed.said ?? ""));
  const keep = async (refused: string | null): Promise<void> => {
    const id = newId();
    await journal.keep([
      {
        kind: "audit",
        key: id,
        value: { id, at: clock.now(), ...NOTHING, ...deed, said, refused } satisfies AuditRecord,
      },
    ]);
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (isFaultError(error)) await keep(error.fault.code);
    throw error;
  }
  await keep(null);
  return result;
}

/** What was done, newest first. */
export async function auditOf(journal: Journal, { by, on, limit, after }: AuditQuery): Promise<readonly AuditRecord[]> {
  const tags = [...(on === undefined ? [] : [tagOf("on", on)]), ...(by === undefined ? [] : [tagOf("by", by)])];
  const rows = await journal.keptByTime("audit", {
    order: "newest",
    limit,
    ...(tags.length === 0 ? {} : { tags }),
    ...defined({ after }),
  });
  return rows.map(({ value }) => ({ ...NOTHING, ...(value as AuditRecord) }));
}

function clip(text: string): string {
  return text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text;
}
