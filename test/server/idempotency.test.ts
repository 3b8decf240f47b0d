// A request that is sent again because its answer was lost is done once.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../src/index.ts";
import { auditOf } from "../../src/journal/audit.ts";
import { onceFor } from "../../src/server/idempotency.ts";
import { systemClock } from "../../src/host/clock.ts";
import { createWorker } from "../../src/host/worker.ts";
import { systemChance } from "../../src/host/chance.ts";
import { fromText, runWorld } from "./run-world.ts";
import { journalPath, startWorld } from "./world.ts";

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
