// A workflow run that waits for an answer is not in memory, so posting an answer also marks the run as due.

import type { Question } from "../../core/flow/interaction.ts";
import type { Journal } from "../../journal/journal.ts";
import { ENDED } from "../../journal/session-status.ts";

export async function wakeAsker(journal: Journal, { session }: Question, now: number): Promise<void> {
  const isRun = (await journal.kept("run", session)) !== null;
  const status = isRun ? (await journal.session(session))?.status : undefined;
  if (status !== undefined && !ENDED.includes(status)) await journal.keep([{ kind: "wake", key: session, value: now }]);
}
