// What must be true of a session that has ended, however often its program was killed: the outcomes are those of a program
// that was never killed, it was resumed with the right memory, the money adds up, and nothing is left lying around.

import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Entry, Journal } from "../../src/index.ts";
import { fileNameOf } from "../../src/journal/files/artefact-names.ts";
import { type EndedSession, isTerminal, stepOf } from "./check-calls.ts";
import type { Came } from "./life.ts";
import { expectedOutcomes, type StepStatus } from "./program.ts";

/** A person is asked about one call at most this often. After that it is given up, which a killed call may run into. */
const MAX_QUESTIONS = 3;

export async function checkSession(
  ended: EndedSession,
  journal: Journal,
  came: readonly Came[],
): Promise<readonly string[]> {
  const { session, turns } = ended.spec;
  const problems = [...checkFrame(ended.entries), ...checkResumes(ended.entries), ...checkMoney(ended, came)];
  const givenUp = givenUpCalls(ended.entries);
  for (const [index, spec] of turns.entries()) {
    const turn = `t${index + 1}`;
    problems.push(...checkTurn(ended, turn, expectedOutcomes(turn, spec, givenUp)));
  }
  problems.push(...(await checkLeftovers(ended, journal)), ...(await checkArtefacts(ended, journal)));
  return problems.map((problem) => `${session}: ${problem}`);
}

function checkFrame(entries: readonly Entry[]): readonly string[] {
  const count = (type: string): number => entries.filter(({ event }) => event.type === type).length;
  const last = entries.at(-1)?.event;
  return [
    ...(entries[0]?.event.type === "session-started" && count("session-started") === 1 ? [] : ["has no single start"]),
    ...(count("session-ended") === 1 ? [] : [`has ${count("session-ended")} ends`]),
    ...(last?.type === "session-ended" && last.status === "done" ? [] : [`ends with ${last?.type ?? "nothing"}`]),
  ];
}

/** The resuming process knows exactly what was in flight. */
function checkResumes(entries: readonly Entry[]): readonly string[] {
  const inFlight = new Set<string>();
  return entries.flatMap(({ seq, event }) => {
    if (event.type === "call-admitted") inFlight.add(event.call);
    else if ("call" in event && event.type !== "call-started" && event.type !== "artefact-kept")
      inFlight.delete(event.call);
    if (event.type !== "session-resumed") return [];
    const [found, expected] = [[...event.interrupted].sort().join(" "), [...inFlight].sort().join(" ")];
    return found === expected ? [] : [`entry ${seq} names ${found || "nothing"} as interrupted; it was ${expected}`];
  });
}

const REPORTED = 7;
const ESTIMATED = 10;

/** Every attempt is booked once: its reported cost, or the estimate if no report arrived. */
function checkMoney({ spec, entries }: EndedSession, came: readonly Came[]): readonly string[] {
  let [microcents, estimatedMicrocents] = [0, 0];
  for (const { event } of entries) {
    if (event.type !== "call-failed" && event.type !== "call-succeeded") continue;
    if (stepOf(spec, event.call)?.costs === false) continue;
    const isInterrupted = event.type === "call-failed" && event.fault.code === "Interrupted";
    microcents += isInterrupted ? ESTIMATED : REPORTED;
    estimatedMicrocents += isInterrupted ? ESTIMATED : 0;
  }
  const expected = JSON.stringify({ microcents, estimatedMicrocents, unpricedAttempts: 0 });
  return came.flatMap(({ came: how, spending, booked }) => {
    const told = JSON.stringify(spending);
    if (told !== JSON.stringify(booked)) return [`has spent ${told}, and has booked ${JSON.stringify(booked)}`];
    return how !== "done" || told === expected ? [] : [`has spent ${told}; it should be ${expected}`];
  });
}

const DECLARED: Readonly<Record<string, StepStatus | undefined>> = { default: "defaulted", skip: "skipped" };

function givenUpCalls(entries: readonly Entry[]): ReadonlyMap<string, StepStatus> {
  const questions = new Map<string, number>();
  const givenUp = new Map<string, StepStatus>();
  for (const { event } of entries) {
    if (event.type === "question-asked") questions.set(event.call, (questions.get(event.call) ?? 0) + 1);
    if (event.type !== "call-failed" || !isTerminal(event)) continue;
    // What a kill interrupted may have happened. Where a default or a skip was declared, it binds.
    const declared = event.fault.code === "Interrupted" ? DECLARED[event.decision.recourse] : undefined;
    if (declared !== undefined) givenUp.set(event.call, declared);
    if ((questions.get(event.call) ?? 0) < MAX_QUESTIONS) continue;
    if (event.decision.recourse === "surface") givenUp.set(event.call, "surfaced");
    if (event.decision.recourse === "fail") givenUp.set(event.call, "failed");
  }
  return givenUp;
}

function checkTurn(
  { spec, entries, diary }: EndedSession,
  turn: string,
  expected: ReadonlyMap<string, StepStatus>,
): readonly string[] {
  const { session } = spec;
  const problems: string[] = [];
  const results = diary.results.filter((each) => each.session === session && each.turn === turn);
  const [result, ...others] = results.filter((each) => each.status !== "waiting");
  if (result === undefined) return [`${turn} never came to a result`];
  if (others.some(({ digest }) => digest !== result.digest))
    problems.push(`${turn} had another result in another life`);
  const outcomes = new Map(result.outcomes.map(([name, ...outcome]) => [name, outcome]));
  const statuses = [...expected.values()];
  const status = statuses.includes("failed")
    ? "failed"
    : statuses.some((each) => each === "skipped" || each === "surfaced")
      ? "partial"
      : "done";
  if (result.status !== status) problems.push(`${turn} is ${result.status}; it should be ${status}`);
  for (const [call, wanted] of expected) {
    const [, round = "", name = ""] = call.split("/");
    const [found, value] = outcomes.get(round === "1" ? name : `${round}/${name}`) ?? ["not there", null];
    if (found !== wanted) problems.push(`${call} is ${found}; it should be ${wanted}`);
    const settled = entries.filter(
      ({ event }) => event.type === "node-settled" && `${event.turn}/${event.round}/${event.node}` === call,
    ).length;
    const hasRun = entries.some(({ event }) => event.type === "call-started" && event.call === call);
    if (settled + (hasRun ? 1 : 0) !== 1)
      problems.push(`${call} was settled ${settled} times and ${hasRun ? "ran" : "did not run"}`);
    if (found !== "done") continue;
    const succeeded = entries.flatMap(({ event }) =>
      event.type === "call-succeeded" && event.call === call ? [event] : [],
    );
    const made = diary.effects.filter((effect) => effect.session === session && effect.value === value);
    if (made.length !== 1 || made[0]?.attempt !== succeeded[0]?.attempt || made[0]?.call !== call) {
      problems.push(`${call} returned ${String(value)}, which is not what its run made`);
    }
  }
  const ends = entries.filter(
    ({ event }) => event.type === "turn-ended" && event.turn === turn && event.status !== "waiting",
  );
  if (ends.length !== 1) problems.push(`${turn} ended ${ends.length} times`);
  return problems;
}

async function checkLeftovers({ spec }: EndedSession, journal: Journal): Promise<readonly string[]> {
  const { session, turns } = spec;
  const problems: string[] = [];
  const questions = (await journal.keptAll("question")) as readonly { key: string; value: { session: string } }[];
  const open = questions.filter(({ value }) => value.session === session);
  if (open.length > 0) problems.push(`${open.length} questions are still open`);
  // Of each turn, and of the call outside all turns; those of calls within turns are gone with their turn.
  const results = await journal.keptAll("result", session);
  if (results.length !== turns.length + 1) problems.push(`keeps ${results.length} results of ${turns.length} turns`);
  return problems;
}

/** Every named artefact exists. An unnamed one was left by an interrupted attempt. */
async function checkArtefacts({ spec, entries }: EndedSession, { files }: Journal): Promise<readonly string[]> {
  if (files === null) return ["the journal keeps no files"];
  const named = new Map(
    entries.flatMap(({ event }) => (event.type === "artefact-kept" ? [[event.ref, event.bytes] as const] : [])),
  );
  const interrupted = new Set(
    entries.flatMap(({ event }) =>
      event.type === "call-failed" && event.fault.code === "Interrupted"
        ? [`${fileNameOf(event.call)}/attempt-${event.attempt}.error.txt`]
        : [],
    ),
  );
  const missing: string[] = [];
  for (const [ref, bytes] of named) if ((await files.artefacts.read(ref))?.length !== bytes) missing.push(ref);
  const there = await files.artefacts.within(fileNameOf(spec.session)).list();
  const unexpected = there.filter(
    (file) => !named.has(`${fileNameOf(spec.session)}/${file}`) && !interrupted.has(file),
  );
  return [
    ...missing.map((ref) => `artefact ${ref} is named, and is not there as it was written`),
    ...unexpected.map((file) => `artefact ${file} is there, and nobody knows why`),
  ];
}

/** Orphaned files beside a journal. Rescue files come from writers that another one has fenced off. */
export function strayFiles(journalPath: string, met: ReadonlySet<string>): readonly string[] {
  const own = basename(journalPath);
  const rescues = [...met].map((session) => `rescue-${fileNameOf(session)}-`);
  return readdirSync(dirname(journalPath))
    .filter((name) => ![own, `${own}-wal`, `${own}-shm`, `${own}.artefacts`].includes(name))
    .filter((name) => !rescues.some((beginning) => name.startsWith(beginning)));
}
