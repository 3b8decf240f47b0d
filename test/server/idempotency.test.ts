// A request that is sent again because its answer was lost is done once.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFaultline, openJournal } from "../../src/index.ts";
import { auditOf } from "../../src/journal/audit.ts";
import { onceFor } from "../../src/server/idempotency.ts";
import { systemClock } from "../../src/host/clock.ts";
import { createWorker } from "../../src/host/worker.ts";
import { systemChance } from "../../src/host/chance.ts";
import { startFailingProvider, writeRuns } from "./failing-provider.ts";
import { ENV, fromText, GATED, runWorld } from "./run-world.ts";
import { journalPath, startWorld } from "./world.ts";

const LONG = { timeout: 30_000, interval: 20 };
const REPORT = { tool: "search", idempotent: true, evidence: { status: 503 } };

describe("an Idempotency-Key", () => {
  it("makes a repeated report get the first one's decision, also after a restart and from twenty at once", async () => {
    const journal = journalPath();
    const first = await startWorld({ journal });
    const all = await Promise.all(
      Array.from({ length: 20 }, () => first.operator.reportFailure({ body: REPORT, idempotencyKey: "k-1" })),
    );
    await first.server.close();
    const second = await startWorld({ journal });
    const again = await second.operator.reportFailure({ body: REPORT, idempotencyKey: "k-1" });
    const ids = [...all, again].map(({ id, attempt, decision }) => JSON.stringify([id, attempt, decision.delayMs]));
    expect(new Set(ids).size).toBe(1);
    expect([...all, again].filter(({ repeated }) => !repeated)).toHaveLength(1);
    const other = await second.operator.reportFailure({ body: REPORT, idempotencyKey: "k-2" });
    expect(other.id).not.toBe(again.id);
  });

  it("counts a later report once, whether or not it names its attempt", async () => {
    const { operator } = await startWorld();
    for (const named of [{}, { attempt: 2 }]) {
      const { id: failure } = await operator.reportFailure({ body: REPORT });
      const later = { body: { ...REPORT, ...named, failure }, idempotencyKey: `later-${failure}` };
      const seen = [];
      for (let time = 0; time < 3; time++) seen.push((await operator.reportFailure(later)).attempt);
      expect(seen).toEqual([2, 2, 2]);
    }
  });

  it("starts one run, also when the server died before it could keep its answer", async () => {
    const { workflow, journal: file } = await fromText(
      "short.workflow.yaml",
      `faultline: 1\nworkflow: { id: short, version: "1" }\nnodes:\n  only: { type: transform, value: "1", next: end }\n`,
    );
    const { operator, journal } = await runWorld([workflow], { journal: file });
    const request = { body: { workflow: workflow.id }, idempotencyKey: "start-1" };
    const first = await operator.startRun(request);
    const key = `operator/v1/runs/${createHash("sha256").update(request.idempotencyKey).digest("base64url")}`;
    expect(await journal.kept("request", key)).toMatchObject({ body: first });
    await journal.keep([{ kind: "request", key, value: null }]);
    expect(await operator.startRun(request)).toEqual(first);
    expect((await operator.listRuns()).items).toHaveLength(1);
  });

  it("gives a repeated outcome its first answer, and refuses another request under the same key", async () => {
    const { operator, send } = await startWorld();
    const { id } = await operator.reportFailure({ body: REPORT });
    const path = `/v1/failures/${id}/outcome`;
    const keyed = { method: "POST", headers: { "idempotency-key": '"k"' }, body: { status: "succeeded" } };
    const first = await send(path, keyed);
    const again = await send(path, keyed);
    expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(await again.json()).toEqual(await first.json());
    const wrong = await send(path, { ...keyed, body: { status: "cancelled" } });
    expect([wrong.status, ((await wrong.json()) as { code: string }).code]).toEqual([422, "key-reused"]);
  });

  it("is one client's own: another token with the same key does its own work", async () => {
    const { operator, journalFile } = await startWorld();
    await operator.reportFailure({ body: REPORT, idempotencyKey: "k" });
    const journal = await openJournal(journalFile, { readOnly: true });
    expect(await journal.sessions()).toHaveLength(1);
    await journal.close();
  });
});

/** Under which the server keeps a request, and what a server leaves there that dies while it is at it. */
function leftRequest(path: string, key: string, body: unknown, intent?: unknown) {
  const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
  const running = { at: 1, digest: digestOf(JSON.stringify(body)), worker: DEAD, status: 0, body: null };
  const value = { ...running, ...(intent === undefined ? {} : { intent: { value: intent } }) };
  return { kind: "request", key: `operator${path}/${digestOf(key)}`, value } as const;
}

/** A process of this machine that has ended. */
const DEAD = `${hostname()}:${spawnSync("true").pid}:w_dead`;

describe("a server that died", { timeout: 60_000 }, () => {
  it.each(["before it acted", "while it acted", "before it could answer"])(
    "%s on a run leaves the action to the next one, which does it once",
    async (moment) => {
      const provider = await startFailingProvider();
      onTestFinished(() => provider.close());
      provider.mode = "limit";
      const file = journalPath();
      const [run = ""] = await writeRuns(file, provider, 1);
      const { operator, journal } = await runWorld([], { journal: file });
      const offer = async (): Promise<string | undefined> =>
        (await operator.showRun({ params: { run } })).actions.find(({ id }) => id === "retry-now")?.key;
      await expect.poll(offer, LONG).toBeDefined();
      const [key, before] = [await offer(), provider.requests];
      const body = { action: "retry-now" };
      const request = { params: { run }, body, idempotencyKey: "k" };
      const isDone = moment === "before it could answer";
      const met = (): number => provider.requests;
      if (isDone) {
        expect(await operator.act(request)).toEqual({ run, did: true });
        await expect.poll(met, LONG).toBe(before + 1);
        // It waits again, and offers the same again, under another key.
        await expect.poll(async () => [undefined, key].includes(await offer()), LONG).toBe(false);
      }
      const intent = moment === "before it acted" ? undefined : key;
      await journal.keep([leftRequest(`/v1/runs/${run}/actions`, "k", body, intent)]);
      expect(await operator.act(request)).toEqual({ run, did: !isDone });
      await expect.poll(met, LONG).toBe(before + 1);
      // The answer is kept by now.
      expect(await operator.act(request)).toEqual({ run, did: !isDone });
      const taken = (await operator.listAudit({ query: { on: run } })).items.map((one) => one.key);
      expect(new Set(taken)).toEqual(new Set([key]));
    },
  );

  it.each(["before it answered", "after it answered", "after the run took the answer up", "while another answered"])(
    "%s a question: the same request gets its result, and no other one",
    async (moment) => {
      const { workflow, journal: file } = await fromText("gated.yaml", GATED);
      const drive = moment === "after the run took the answer up";
      const first = await runWorld([workflow], { journal: file, env: ENV });
      const { operator, journal } = first;
      const { run } = await operator.startRun({ body: { workflow: "gated" } });
      await first.event(run, "node-paused");
      const [asked] = (await operator.listQuestions({ query: { session: run } })).items;
      const question = asked?.id ?? "";
      if (!drive) await first.server.close();
      const { operator: next } = drive ? first : await startWorld({ journal: file, env: ENV, drive: false });
      const body = { status: "accepted", value: true } as const;
      const other = createFaultline({ journal });
      if (moment === "while another answered") await other.answer(question, body, "bob");
      else if (moment !== "before it answered") await next.answerQuestion({ params: { question }, body });
      if (drive) await first.event(run, "run-ended");
      await journal.keep([leftRequest(`/v1/questions/${question}/answer`, "k", body, run)]);
      const [again] = await Promise.allSettled([
        next.answerQuestion({ params: { question }, body, idempotencyKey: "k" }),
      ]);
      if (moment === "while another answered") expect(again).toMatchObject({ reason: { problem: { status: 409 } } });
      else expect(again).toMatchObject({ value: { question, session: run, isRun: true } });
      const acts = (await next.listAudit({ query: { on: question } })).items.filter(({ refused }) => refused === null);
      expect(acts.length).toBeLessThanOrEqual(1);
    },
  );

  it.each(["before it decided", "before it wrote", "before it could answer"])(
    "%s about a later report leaves it to the next one, and it counts once",
    async (moment) => {
      const { operator, journalFile } = await startWorld({ drive: false });
      const journal = await openJournal(journalFile);
      onTestFinished(() => journal.close());
      const { id: failure } = await operator.reportFailure({ body: REPORT });
      const body = { ...REPORT, failure };
      if (moment === "before it could answer") await operator.reportFailure({ body: { ...body, attempt: 2 } });
      const intent = moment === "before it decided" ? undefined : 2;
      await journal.keep([leftRequest("/v1/failures", "k", body, intent)]);
      const again = await operator.reportFailure({ body, idempotencyKey: "k" });
      expect([again.attempt, again.repeated]).toEqual([2, moment === "before it could answer"]);
      expect((await operator.showFailure({ params: { id: failure } })).attempt).toBe(2);
      expect((await operator.reportFailure({ body, idempotencyKey: "k2" })).attempt).toBe(3);
    },
  );
});

describe("work under a key", () => {
  async function parts(): Promise<Parameters<typeof onceFor>[0]> {
    const journal = await openJournal(journalPath());
    return { journal, clock: systemClock, worker: createWorker(systemChance) };
  }

  it("is refused while another process is at it, and taken over when that process is gone", async () => {
    const mine = await parts();
    const request = { scope: "a/x", key: "k", content: "1" };
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = onceFor(mine, request, () => held.then(() => "first"));
    await expect(onceFor(mine, request, () => Promise.resolve("second"))).rejects.toMatchObject({
      refusal: "in-progress",
    });
    const gone = { ...mine, worker: { name: "other", isGone: () => true } };
    await expect(onceFor(gone, request, () => Promise.resolve("taken over"))).resolves.toMatchObject({
      body: "taken over",
    });
    release();
    await first;
    await mine.journal.close();
  });

  it("that a dead process left is taken over by one of many requests, of one process and of several", async () => {
    const mine = await parts();
    const request = { scope: "a/x", key: "k", content: "1" };
    const dead = { ...mine, worker: { name: DEAD, isGone: () => false } };
    let isLeft = false;
    void onceFor(dead, request, () => new Promise(() => (isLeft = true)));
    await expect.poll(() => isLeft).toBe(true);
    const others = [mine, { ...mine, worker: createWorker(systemChance) }];
    let [done, release]: [number, () => void] = [0, () => undefined];
    const held = new Promise<void>((resolve) => (release = resolve));
    const tries = Array.from({ length: 20 }, (_none, index) =>
      onceFor(others[index % 2] ?? mine, request, () => held.then(() => ++done)),
    );
    let refusals = 0;
    const refused = tries.map((one) =>
      one.then(
        () => null,
        (error: unknown) => {
          refusals += 1;
          return error;
        },
      ),
    );
    await expect.poll(() => refusals).toBe(19);
    release();
    const ends = await Promise.all(refused);
    expect([done, ends.filter((end) => end === null).length]).toEqual([1, 1]);
    expect(ends.filter((end) => end !== null)).toHaveLength(19);
    await mine.journal.close();
  });

  it("says once what it is about to do, however often it is taken over", async () => {
    const mine = await parts();
    const request = { scope: "a/x", key: "k", content: "1" };
    const dead = { ...mine, worker: { name: DEAD, isGone: () => false } };
    const meant = Promise.withResolvers<string>();
    void onceFor(dead, request, async (intend) => {
      meant.resolve(await intend(() => Promise.resolve("first")));
      return new Promise(() => undefined);
    });
    expect(await meant.promise).toBe("first");
    const again = await onceFor(mine, request, (intend) => intend(() => Promise.resolve("second")));
    expect(again).toEqual({ body: "first", isReplayed: false });
    await mine.journal.close();
  });

  it("that fails may be sent again", async () => {
    const mine = await parts();
    const request = { scope: "a/x", key: "k", content: "1" };
    await expect(onceFor(mine, request, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(onceFor(mine, request, () => Promise.resolve("yes"))).resolves.toEqual({
      body: "yes",
      isReplayed: false,
    });
    await mine.journal.close();
  });
});

describe("the audit log", () => {
  it("has what a client did, and what was refused, newest first and by page", async () => {
    const { operator, journalFile } = await startWorld();
    const journal = await openJournal(journalFile);
    const deed = { by: "ops", action: "", key: "" };
    const { audited } = await import("../../src/journal/audit.ts");
    let count = 0;
    const parts = { journal, clock: systemClock, newId: () => `aud_${String(++count).padStart(3, "0")}` };
    for (const on of ["r1", "r2", "r3"])
      await audited(parts, { ...deed, what: "run.cancel", on }, () => Promise.resolve());
    const { FaultError, fault } = await import("../../src/index.ts");
    const refused = audited(parts, { ...deed, what: "run.act", on: "r1" }, () =>
      Promise.reject(new FaultError(fault("EngineState"))),
    );
    await expect(refused).rejects.toThrow();
    await audited(parts, { ...deed, by: "program", what: "run.act", on: "r1" }, () => Promise.resolve());
    expect(await auditOf(journal, { limit: 10, on: "r1" })).toHaveLength(2);
    await journal.close();
    const first = await operator.listAudit({ query: { limit: 3 } });
    const second = await operator.listAudit({ query: { limit: 3, cursor: first.next ?? "" } });
    expect([...first.items, ...second.items].map(({ on, refused: code }) => [on, code])).toEqual([
      ["r1", "EngineState"],
      ["r3", null],
      ["r2", null],
      ["r1", null],
    ]);
    expect(second.next).toBeNull();
  });
});
