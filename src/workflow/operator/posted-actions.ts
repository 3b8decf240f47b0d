// What people want of a run, left in the journal for whoever advances it: a run has one writer, and this is its letter box.

import type { RunState } from "../../core/flow/run.ts";
import type { Journal } from "../../journal/journal.ts";

export interface PostedAction {
  readonly action: string;
  readonly node: string;
  readonly execution: number;
  readonly key: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly by: string;
  readonly at: number;
  /** It was done when it was taken: nobody has to do it any more. */
  readonly isDone?: true;
}

/** True when it is the first of its key; a second click does nothing. */
export async function postAction(journal: Journal, run: string, posted: PostedAction): Promise<boolean> {
  const isFirst = await journal.keepFirst({ kind: "action", key: `${run}/${posted.key}`, value: posted });
  if (isFirst) await wakeRun(journal, run, posted.at);
  return isFirst;
}

/** What was done at once stands under its key all the same, for whoever clicks again. */
export async function noteAction(journal: Journal, run: string, done: Omit<PostedAction, "isDone">): Promise<void> {
  await journal.keepFirst({ kind: "action", key: `${run}/${done.key}`, value: { ...done, isDone: true } });
}

export async function wakeRun(journal: Journal, run: string, at: number): Promise<void> {
  await journal.keep([{ kind: "wake", key: run, value: at }]);
}

/** Those that were posted and not taken yet, oldest first. */
export async function openActions(journal: Journal, run: string, state: RunState): Promise<readonly PostedAction[]> {
  const kept = await journal.keptAll("action", run);
  return kept
    .map(({ value }) => value as PostedAction)
    .filter(({ key, isDone }) => isDone !== true && !state.actions.includes(key))
    .toSorted((a, b) => a.at - b.at);
}
