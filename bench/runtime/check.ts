// Checks that a subject really protects its calls: one that does nothing would win every table.

import { setTimeout } from "node:timers/promises";
import { SETTINGS, type Ending, type Guarded, type Subject, type Work } from "./subject.ts";

export async function problemsOf(subject: Subject): Promise<readonly string[]> {
  const problems: string[] = [];
  const expect = (what: string, seen: unknown, wanted: unknown): void => {
    if (seen !== wanted) problems.push(`${what}: ${String(seen)} instead of ${String(wanted)}`);
  };
  const has = (part: Subject["lacks"][number]): boolean => !subject.lacks.includes(part);

  const fine = counted(() => Promise.resolve(1));
  expect("success", await endingOf(await subject.guard(fine.work, SETTINGS)), "done");
  expect("runs of a success", fine.runs(), 1);

  if (has("retry")) {
    const flaky = counted((run) => (run % 3 === 0 ? Promise.resolve(1) : Promise.reject(connectionReset())));
    const guarded = await subject.guard(flaky.work, SETTINGS);
    for (const calls of [1, 2, 3, 4, 5, 6, 7, 8]) {
      expect("two failures, then success", await endingOf(guarded), "done");
      expect("runs with two failures a call", flaky.runs(), 3 * calls);
    }
    const broken = counted(() => Promise.reject(connectionReset()));
    const impatient = await subject.guard(broken.work, { ...SETTINGS, failuresToOpen: 100 });
    expect("nothing but failures", await endingOf(impatient), "failed");
    expect("runs of nothing but failures", broken.runs(), SETTINGS.maxAttempts);
  }
  if (has("breaker")) {
    const broken = counted(() => Promise.reject(connectionReset()));
    const guarded = await subject.guard(broken.work, SETTINGS);
    expect("breaker after failures", await openBreaker(guarded), "refused");
    const before = broken.runs();
    expect("call on an open breaker", await endingOf(guarded), "refused");
    expect("runs on an open breaker", broken.runs() - before, 0);
  }
  if (has("timeout")) {
    const hung = counted(() => new Promise(() => undefined));
    const guarded = await subject.guard(hung.work, { ...SETTINGS, maxAttempts: 1, timeoutMs: 20 });
    const stopWaiting = new AbortController();
    const tooLate = setTimeout(5_000, "still hanging after five seconds", { signal: stopWaiting.signal });
    expect("work that hangs", await Promise.race([endingOf(guarded), tooLate]), "timed-out");
    tooLate.catch(suppressAbort);
    stopWaiting.abort();
  }
  return problems;
}

/** Calls until the breaker refuses; every subject needs far fewer calls than this. */
export async function openBreaker(guarded: Guarded): Promise<Ending> {
  let ending: Ending = "failed";
  for (let i = 0; i < 20 && ending !== "refused"; i++) ending = await endingOf(guarded);
  return ending;
}

function endingOf(guarded: Guarded): Promise<Ending> {
  return guarded.call().then(
    (value) => guarded.endingOf({ value }),
    (error: unknown) => guarded.endingOf({ error }),
  );
}

function counted(answer: (run: number) => Promise<number>): { work: Work; runs: () => number } {
  let runs = 0;
  return { work: () => answer(++runs), runs: () => runs };
}

/** A cancelled timer rejects; that is expected. */
function suppressAbort(): void {
  return undefined;
}

export function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", errno: -104, syscall: "read" });
}
