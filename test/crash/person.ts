// The person who is asked: another program on the same journal, which answers what is open while the first one is not there.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFaultline, openJournal, type Question } from "../../src/index.ts";
import { stepOf } from "./check-calls.ts";
import type { SessionSpec } from "./program.ts";

/** How often an interrupted call was allowed to run again: by session, then by call. */
export type Approvals = Map<string, Map<string, number>>;

/** Says yes, but for what is meant to be refused. Returns what is wrong with how answers are taken. */
export async function answerQuestions(
  journalPath: string,
  folder: string,
  program: readonly SessionSpec[],
  approvals: Approvals,
): Promise<readonly string[]> {
  const fl = createFaultline({ journal: await openJournal(journalPath) });
  const problems: string[] = [];
  try {
    for (const question of await fl.questions()) {
      const spec = program.find(({ session }) => session === question.session);
      if (spec === undefined) continue;
      const isAllowed = !isRefused(spec, question);
      if (isAllowed) grant(folder, question);
      const isFirst = await fl.answer(question.id, { status: "accepted", value: isAllowed }, "parent");
      if (await fl.answer(question.id, { status: "accepted", value: !isAllowed }, "somebody else")) {
        problems.push(`question ${question.id} of ${question.session} took a second answer`);
      }
      if (isFirst && question.code === "Interrupted") count(approvals, question);
    }
  } finally {
    await fl.close();
  }
  return problems;
}

function isRefused(spec: SessionSpec, { call, code }: Question): boolean {
  return code === "AccessDenied" && stepOf(spec, call)?.kind === "refused";
}

/** What the tool was denied for is now allowed, out there in the world. */
function grant(folder: string, { session, call, code }: Question): void {
  if (code !== "AccessDenied") return;
  mkdirSync(join(folder, "granted"), { recursive: true });
  writeFileSync(join(folder, "granted", encodeURIComponent(`${session} ${call}`)), "");
}

function count(approvals: Approvals, { session, call }: Question): void {
  const ofSession = approvals.get(session) ?? new Map<string, number>();
  approvals.set(session, ofSession.set(call, (ofSession.get(call) ?? 0) + 1));
}
