// Actions that people post for a run. A run has one writer, so they wait in the journal for the process that advances it.

import type { RunState } from "../../core/flow/run-state.ts";
import type { Journal } from "../../journal/journal.ts";

export interface PostedAction {
  readonly action: string;
  readonly node: string;
  readonly execution: number;
  readonly key: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly by: string;
  readonly at: number;
  /** It was carried out at once: it is kept only so that a second click does nothing. */
  readonly isDone?: true;
}

/** True when it is the first of its key; a second click does nothing. */
export async function postAction(journal: Journal, run: string, posted: PostedAction): Promise<boolean> {
  const isFirst = await journal.keepFirst({ kind: "action", key: `${run}/${posted.key}`, value: posted });
  if (isFirst) await wakeRun(journal, run, posted.at);
  return isFirst;
}

/** An action that was carried out at once is kept under its key, too, so that a second click does nothing. */
export async function noteAction(journal: Journal, run: string, done: Omit<PostedAction, "isDone">): Promise<void> {
  await journal.keepFirst({ kind: "action", key: `${run}/${done.key}`, value: { ...done, isDone: true } });
}

export async function wakeRun(journal: Journal, run: string, at: number): Promise<void> {
  await journal.keep([{ kind: "wake", key: run, value: at }]);
}

/** Actions that were posted and not yet carried out, oldest first. */
export async function openActions(journal: Journal, run: string, state: RunState): Promise<readonly PostedAction[]> {
  const kept = await journal.keptAll("action", run);
  return kept
    .map(({ value }) => value as PostedAction)
    .filter(({ key, isDone }) => isDone !== true && !state.actions.includes(key))
    .toSorted((a, b) => a.at - b.at);
}
