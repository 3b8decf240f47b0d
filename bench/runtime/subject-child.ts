// The process that measures one subject: `node --expose-gc subject-child.ts <subject>`. Receives jobs over IPC and does them one after the other.

import { setImmediate as turn } from "node:timers/promises";
import { connectionReset, openBreaker, problemsOf } from "./check.ts";
import type { Job, JobOf, Path, Replies, Reply } from "./jobs.ts";
import { median } from "./median.ts";
import { SETTINGS, type Guarded, type Subject, type Work } from "./subject.ts";
import { SUBJECTS, type SubjectId } from "./subjects.ts";

const subject: Subject = SUBJECTS[process.argv[2] as SubjectId];

process.on("message", (job: Job) => {
  perform(job).then(
    (value) => answer({ ok: true, value }),
    (error: unknown) =>
      answer({ ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

function answer(reply: Reply): void {
  process.send?.(reply);
}

async function perform(job: Job): Promise<Replies[keyof Replies]> {
  switch (job.kind) {
    case "check":
      return { problems: await problemsOf(subject) };
    case "time":
      return time(job);
    case "launch":
      return launch(job);
    case "heap":
      await callRepeatedly(await guardedOn("mixed"), job.calls);
      return { bytes: await heapBytes() };
  }
}

async function time({ path, calls }: JobOf<"time">): Promise<Replies["time"]> {
  const guarded = await guardedOn(path);
  const before = process.cpuUsage();
  if (path === "refused") await callRefused(guarded, calls);
  else await callRepeatedly(guarded, calls);
  return { cpuMicros: cpuMicrosSince(before) };
}

async function callRepeatedly({ call, endingOf }: Guarded, calls: number): Promise<void> {
  let last: unknown;
  for (let i = 0; i < calls; i++) last = await call();
  const ending = endingOf({ value: last });
  if (ending !== "done") throw new Error(`${subject.name}: a call that must succeed was ${ending}`);
}

async function callRefused({ call, endingOf }: Guarded, calls: number): Promise<void> {
  let refused = 0;
  const suppressRefusal = (): number => ++refused;
  for (let i = 0; i < calls; i++) {
    try {
      const value = await call();
      if (endingOf({ value }) === "refused") refused++;
    } catch {
      suppressRefusal();
    }
  }
  if (refused !== calls) throw new Error(`${subject.name}: the open breaker refused ${refused} of ${calls} calls`);
}

async function launch({ calls, batches }: JobOf<"launch">): Promise<Replies["launch"]> {
  const launchMicros: number[] = [];
  let heldBytes = 0;
  let leftBytes = 0;
  let started = 0;
  let gate = Promise.withResolvers<undefined>();
  const { call } = await subject.guard(async () => {
    started++;
    await gate.promise;
    return 1;
  }, SETTINGS);
  const inFlight: Promise<unknown>[] = [];

  for (let batch = 0; batch < batches; batch++) {
    const weigh = batch === batches - 1;
    gate = Promise.withResolvers();
    started = 0;
    const heapBefore = weigh ? await heapBytes() : 0;
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) inFlight.push(call());
    while (started < calls) await turn();
    launchMicros.push(cpuMicrosSince(before));
    if (weigh) heldBytes = (await heapBytes()) - heapBefore;
    gate.resolve(undefined);
    await Promise.all(inFlight);
    inFlight.length = 0;
    if (weigh) leftBytes = (await heapBytes()) - heapBefore;
  }
  return { cpuMicros: median(launchMicros), heldBytes, leftBytes };
}

/** One guard per path, kept so that later rounds are warm. */
const guards = new Map<Path, Guarded>();

async function guardedOn(path: Path): Promise<Guarded> {
  const known = guards.get(path);
  if (known !== undefined) return known;
  const guarded = await subject.guard(WORK[path](), SETTINGS);
  if (path === "refused") await openBreaker(guarded);
  guards.set(path, guarded);
  return guarded;
}

const WORK: Record<Path, () => Work> = {
  "success": () => () => Promise.resolve(1),
  "same-error": () => {
    const error = connectionReset();
    return failTwiceIn(1, () => error);
  },
  "unlike-errors": () => {
    const errors = Array.from({ length: 64 }, (_, index) => unlikeConnectionReset(index));
    let next = 0;
    return failTwiceIn(1, () => errors[next++ % errors.length] ?? connectionReset());
  },
  "fresh-errors": () => failTwiceIn(1, freshConnectionReset),
  "refused": () => () => Promise.reject(connectionReset()),
  "mixed": () => failTwiceIn(1000, freshConnectionReset),
};

/** Fails twice in every `everyth` call; the counters are enough, as calls go one after the other. */
function failTwiceIn(everyth: number, makeError: () => Error): Work {
  let calls = 0;
  let failures = 0;
  return () => {
    if (calls % everyth === 0 && failures < 2) {
      failures++;
      return Promise.reject(makeError());
    }
    calls++;
    failures = 0;
    return Promise.resolve(1);
  };
}

/** Worded as in Node, with the peer's address. Created beforehand, so that no subject pays for its stack. */
function unlikeConnectionReset(port: number): Error {
  const error = connectionReset();
  error.message = `read ECONNRESET 10.0.0.7:${4000 + port}`;
  return error;
}

/** Assigned field by field, as Node does it. */
function freshConnectionReset(): Error {
  const error: Error & { code?: string } = new Error("read ECONNRESET");
  error.code = "ECONNRESET";
  return error;
}

function cpuMicrosSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Twice, with a turn between them, because finalisers run after the first. */
async function heapBytes(): Promise<number> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error("start this with --expose-gc");
  for (let i = 0; i < 2; i++) {
    await turn();
    void collect();
  }
  return process.memoryUsage().heapUsed;
}
