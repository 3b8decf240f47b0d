// The guarantees G1 to G3, with a transaction whose failures the test chooses.

import { describe, expect, it } from "vitest";
import { fault, FaultError } from "../../../src/core/fault/fault.ts";
import { createGroupCommit, type GroupCommit } from "../../../src/journal/sqlite/group-commit.ts";
import { createBusyRetry } from "../../../src/journal/sqlite/busy-retry.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";

/** Errors as node:sqlite throws them. */
const sqliteError = (errcode: number, message: string): Error =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });
const BUSY = sqliteError(5, "database is locked");
const FULL = sqliteError(13, "database or disk is full");
const CONSTRAINT = sqliteError(2067, "UNIQUE constraint failed");
const CORRUPT = sqliteError(11, "database disk image is malformed");

interface Subject {
  readonly clock: FakeClock;
  readonly group: GroupCommit;
  readonly steps: string[];
  readonly troubles: string[];
  /** Thrown by the next commits, one each. */
  readonly commitFailures: Error[];
}

function subject(): Subject {
  const clock = createFakeClock();
  const steps: string[] = [];
  const troubles: string[] = [];
  const commitFailures: Error[] = [];
  const patience = createBusyRetry(clock, ({ code }, what) => void troubles.push(`${code}: ${what}`));
  const transaction = {
    begin: () => void steps.push("begin"),
    commit() {
      const failure = commitFailures.shift();
      if (failure !== undefined) throw failure;
      steps.push("commit");
    },
    rollback: () => void steps.push("rollback"),
  };
  const group = createGroupCommit(clock, patience, transaction, () => void steps.push("settled"));
  return { clock, group, steps, troubles, commitFailures };
}

const refuse = (): never => {
  throw new FaultError(fault("EngineState", { message: "another was first" }));
};

describe("writes of one turn", () => {
  it("share one transaction, in order, and settle after its commit", async () => {
    const { clock, group, steps } = subject();
    const writes = ["a", "b", "c"].map((name) => group.add(() => (steps.push(name), name)));
    void writes[0]?.then(() => steps.push("a settled"));
    expect(steps).toEqual([]);
    expect(await clock.runUntil(Promise.all(writes))).toEqual(["a", "b", "c"]);
    expect(steps).toEqual(["begin", "a", "b", "c", "commit", "settled", "a settled"]);
  });

  it("are not affected when one of them is refused", async () => {
    const { clock, group, steps } = subject();
    const writes = Promise.allSettled([group.add(() => 1), group.add(refuse), group.add(() => 3)]);
    expect(await clock.runUntil(writes)).toMatchObject([
      { value: 1 },
      { reason: { fault: { code: "EngineState" } } },
      { value: 3 },
    ]);
    expect(steps).toEqual(["begin", "commit", "settled"]);
  });

  it("are written again without the one that SQLite itself rejects", async () => {
    const { clock, group, steps } = subject();
    const writes = Promise.allSettled([
      group.add(() => steps.push("a")),
      group.add(() => {
        steps.push("bad");
        throw CONSTRAINT;
      }),
      group.add(() => steps.push("c")),
    ]);
    const results = await clock.runUntil(writes);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { fault: { code: "ManifestDrift" }, cause: CONSTRAINT } });
    expect(steps).toEqual(["begin", "a", "bad", "rollback", "begin", "a", "c", "commit", "settled"]);
  });

  it.each([
    ["StoreUnavailable", FULL],
    ["ManifestDrift", CORRUPT],
  ])("are all refused as %s when the commit fails, and the next turn is a new start", async (code, failure) => {
    const { clock, group, steps, commitFailures, troubles } = subject();
    commitFailures.push(failure);
    const results = await clock.runUntil(Promise.allSettled([group.add(() => 1), group.add(() => 2)]));
    expect(results).toMatchObject(
      [1, 2].map(() => ({ reason: { fault: { code, context: { attempts: 1 } }, cause: failure } })),
    );
    expect(await clock.runUntil(group.add(() => 3))).toBe(3);
    expect(steps).toEqual(["begin", "rollback", "settled", "begin", "commit", "settled"]);
    expect(troubles).toEqual([]);
  });

  it("are all refused when a write finds the disk full", async () => {
    const { clock, group } = subject();
    const full = (): never => {
      throw FULL;
    };
    const results = await clock.runUntil(Promise.allSettled([group.add(() => 1), group.add(full)]));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("wait for a busy store, and later writes go with the next turn", async () => {
    const { clock, group, steps, commitFailures, troubles } = subject();
    commitFailures.push(BUSY, BUSY);
    const first = group.add(() => steps.push("first"));
    await clock.advance(0);
    const second = group.add(() => steps.push("second"));
    const drained = group.drained();
    await clock.runUntil(Promise.all([first, second, drained]));
    expect(clock.now()).toBe(25 + 50);
    expect(steps.filter((step) => step !== "begin" && step !== "rollback")).toEqual([
      "first",
      "first",
      "first",
      "commit",
      "settled",
      "second",
      "commit",
      "settled",
    ]);
    expect(troubles).toHaveLength(2);
  });

  it("are split when there are very many, so that transactions stay bounded", async () => {
    const { clock, group, steps } = subject();
    const values = await clock.runUntil(
      Promise.all(Array.from({ length: 2500 }, (_, index) => group.add(() => index))),
    );
    expect(values).toEqual(Array.from({ length: 2500 }, (_, index) => index));
    expect(steps.filter((step) => step === "commit")).toHaveLength(3);
  });

  it("that never come leave nothing to wait for", async () => {
    const { clock, group } = subject();
    await group.drained();
    expect(clock.pending).toBe(0);
  });
});
