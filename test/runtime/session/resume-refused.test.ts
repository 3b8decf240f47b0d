// Sessions that must not be resumed: a drifted manifest, another store, another plan, tool or input; or a session that is over.

import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/core/index.ts";
import { type Session, step, tool } from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";
import { eventsOf, lifeOn, never, newPath } from "./life.ts";

interface Wrong {
  readonly what: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly code: "ManifestDrift" | "ResumeMismatch";
  readonly says: string;
}

// prettier-ignore
const WRONG_MANIFESTS: readonly Wrong[] = [
  { what: "names no store",              change: { storeId: "  " },        code: "ManifestDrift",  says: "storeId" },
  { what: "has an unknown key",      change: { smState: { at: "x" } }, code: "ManifestDrift",  says: "smState" },
  { what: "is of a newer contract",      change: { contract: 2 },          code: "ManifestDrift",  says: "contract" },
  { what: "has an unknown mode",     change: { mode: "yolo" },         code: "ManifestDrift",  says: "mode" },
  { what: "does not say when it began",  change: { createdAt: null },      code: "ManifestDrift",  says: "createdAt" },
  { what: "was written by another store", change: { storeId: "store_b" },  code: "ResumeMismatch", says: "store_b" },
];

describe("a session whose manifest", () => {
  it.each(WRONG_MANIFESTS)("$what is refused by name, and nothing is written", async ({ change, code, says }) => {
    const { fl, clock, journal } = await lifeOn(newPath());
    const whole = { sessionId: "s", storeId: journal.storeId, contract: 1, mode: "headless", createdAt: 1, labels: {} };
    const manifest = { ...whole, ...change } as Manifest;
    await clock.runUntil(journal.append("s", 0, [{ at: 1, event: { type: "session-started", manifest } }]));
    const refused = await clock.runUntil(thrownBy(fl.session("s")));
    expect(refused).toMatchObject({ fault: { class: "Session", code, context: { session: "s" } } });
    expect((refused as Error).message).toContain(says);
    expect(await eventsOf(journal, "s")).toHaveLength(1);
  });

  it("is unchanged is resumed", async () => {
    const path = newPath();
    const first = await lifeOn(path);
    await first.clock.runUntil(first.fl.session("s", { labels: { customer: "ada" } }));
    const next = await lifeOn(path);
    await next.clock.runUntil(next.fl.session("s"));
    const [started, resumed] = await eventsOf(next.journal, "s");
    expect(started).toMatchObject({ manifest: { sessionId: "s", contract: 1, labels: { customer: "ada" } } });
    expect(resumed).toMatchObject({ type: "session-resumed", interrupted: [] });
  });
});

describe("a program that has changed", () => {
  const ran: string[] = [];
  const made = (id: string, hangs = false): ReturnType<typeof tool<string, string>> =>
    tool<string, string>({
      id,
      idempotent: true,
      run: (input) => {
        ran.push(`${id} ${input}`);
        return hangs ? never<string>() : `${id} ${input}`;
      },
    });

  /** The turn is left with `a` done and `b` running; `how` is the first action of the next life. */
  async function next(how: (session: Session) => Promise<unknown>): Promise<readonly [unknown, unknown]> {
    const path = newPath();
    const first = await lifeOn(path);
    const begun = await first.clock.runUntil(first.fl.session("s"));
    void begun.turn({ a: step(made("alpha"), "1"), b: step(made("beta", true), "2", { needs: ["a"] }) });
    await first.clock.advance(0);
    ran.length = 0;
    const second = await lifeOn(path);
    const session = await second.clock.runUntil(second.fl.session("s"));
    const changed = await second.clock.runUntil(how(session));
    expect(ran).toEqual([]);
    const third = await lifeOn(path);
    const again = await third.clock.runUntil(third.fl.session("s"));
    const right = { a: step(made("alpha"), "1"), b: step(made("beta"), "2", { needs: ["a"] }) };
    return [changed, await third.clock.runUntil(again.turn(right))];
  }

  // prettier-ignore
  const CHANGES: readonly { what: string; how: (session: Session) => Promise<unknown> }[] = [
    { what: "has another plan",         how: (session) => session.turn({ a: step(made("alpha"), "1") }) },
    { what: "needs other steps",        how: (session) => session.turn({ a: step(made("alpha"), "1"), b: step(made("beta"), "2") }) },
    { what: "has another tool",         how: (session) => session.turn({ a: step(made("other"), "1"), b: step(made("beta"), "2", { needs: ["a"] }) }) },
    { what: "has other input",          how: (session) => session.turn({ a: step(made("alpha"), "x"), b: step(made("beta"), "2", { needs: ["a"] }) }) },
    { what: "has other input later on", how: (session) => session.turn({ a: step(made("alpha"), "1"), b: step(made("beta"), "x", { needs: ["a"] }) }) },
  ];

  it.each(CHANGES)("and $what is refused; the turn stays open for the original program", async ({ how }) => {
    const [changed, right] = await next(how);
    expect(changed).toMatchObject({ status: "failed", fault: { class: "Session", code: "ResumeMismatch" } });
    expect(right).toMatchObject({ status: "done", outcomes: { a: { value: "alpha 1" }, b: { value: "beta 2" } } });
    expect(ran).toEqual(["beta 2"]);
  });

  it("and makes another call under the same name is refused that call, in a turn and outside", async () => {
    const path = newPath();
    const first = await lifeOn(path);
    const begun = await first.clock.runUntil(first.fl.session("s"));
    await first.clock.runUntil(begun.protect(made("alpha"), "1", { id: "call" }));
    void begun.turn(async (turn) => turn.protect(made("beta", true), "2", { id: "call" }));
    await first.clock.advance(0);
    ran.length = 0;
    const { fl, clock } = await lifeOn(path);
    const session = await clock.runUntil(fl.session("s"));
    const refused = { status: "failed", fault: { code: "ResumeMismatch" }, attempts: 0 };
    expect(await clock.runUntil(session.protect(made("alpha"), "x", { id: "call" }))).toMatchObject(refused);
    expect(await clock.runUntil(session.protect(made("beta"), "1", { id: "call" }))).toMatchObject(refused);
    const turn = await clock.runUntil(session.turn(async (live) => live.protect(made("beta"), "x", { id: "call" })));
    expect(turn).toMatchObject({ status: "failed", fault: { code: "ResumeMismatch" }, value: refused });
    expect(ran).toEqual([]);
    expect(await clock.runUntil(session.protect(made("alpha"), "1", { id: "call" }))).toMatchObject({ status: "done" });
    const right = await clock.runUntil(
      session.turn(async (live) => (await live.protect(made("beta"), "2", { id: "call" })).status, { id: "t1" }),
    );
    expect(right).toMatchObject({ status: "done", value: "done" });
  });

  it("may write the keys of an input in another order", async () => {
    const path = newPath();
    const pay = tool<{ cents: number; to: string }, string>({ id: "pay", run: () => "paid" });
    const first = await lifeOn(path);
    const begun = await first.clock.runUntil(first.fl.session("s"));
    await first.clock.runUntil(begun.protect(pay, { cents: 5, to: "ada" }));
    const { fl, clock } = await lifeOn(path);
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(session.protect(pay, { to: "ada", cents: 5 }))).toMatchObject({ value: "paid" });
  });
});

describe("a session that is over", () => {
  it.each(["done", "failed", "cancelled"] as const)("(%s) is not resumed", async (status) => {
    const path = newPath();
    const first = await lifeOn(path);
    const session = await first.clock.runUntil(first.fl.session("s"));
    const { clock } = first;
    await clock.runUntil(status === "cancelled" ? session.cancel() : session.end(status));
    const ok = tool<object, string>({ id: "ok", run: () => "fine" });
    expect(await clock.runUntil(session.protect(ok, {}))).toMatchObject({ fault: { code: "EngineState" } });
    expect(await clock.runUntil(thrownBy(session.turn({ a: step(ok, {}) })))).toMatchObject({
      fault: { code: "EngineState" },
    });
    const next = await lifeOn(path);
    const refused = await next.clock.runUntil(thrownBy(next.fl.session("s")));
    expect(refused).toMatchObject({ fault: { code: "EngineState", context: { session: "s" } } });
    expect((await eventsOf(next.journal, "s")).map(({ type }) => type)).toEqual(["session-started", "session-ended"]);
  });
});
