// A session that is left to another process, or stopped as a crash would stop it.

import { describe, expect, it } from "vitest";
import { createMemoryJournal, isFaultError, tool } from "../../../src/index.ts";
import { entriesOf, life, never } from "./life.ts";

describe("an abandoned session", () => {
  it("refuses writes queued behind a write in progress instead of leaving them waiting", async () => {
    const { fl, clock } = life();
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const paused = { type: "run-paused", why: "gate", wakeAt: null } as const;
    // The first write is in progress, the second is queued behind it.
    const writes = Promise.allSettled([session.record([paused]), session.record([paused])]);
    const stopped = session.abandon("another process continues");
    const [, second] = await clock.runUntil(writes);
    await clock.runUntil(stopped);
    expect(second.status === "rejected" && isFaultError(second.reason) && second.reason.fault.message).toBe(
      "another process continues",
    );
  });

  it("is left when no call of it runs any more, also none that waits for the journal", async () => {
    const gate = Promise.withResolvers<null>();
    const memory = createMemoryJournal();
    const append: typeof memory.append = async (session, seq, entries, ...keeps) => {
      if (entries.some(({ event }) => event.type === "call-started")) await gate.promise;
      return memory.append(session, seq, entries, ...keeps);
    };
    const { fl, clock } = life({ journal: { ...memory, append } });
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const turn = Promise.allSettled([session.turn((body) => body.protect(tool({ id: "hangs", run: never }), {}))]);
    await clock.advance(1);
    let isLeft = false;
    const left = session.abandon("deploying").then(() => (isLeft = true));
    await clock.advance(1);
    expect(isLeft).toBe(false);
    gate.resolve(null);
    await clock.runUntil(Promise.all([left, turn]));
  });

  it("records nothing about the work it stops: the next life finds it in flight", async () => {
    const { fl, clock, journal } = life();
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const turn = session.turn((body) => body.protect(tool({ id: "hangs", run: never }), {}), { id: "t" });
    await clock.advance(1);
    const before = await entriesOf(journal, "s");
    await clock.runUntil(session.abandon("deploying"));
    const ended = await clock.runUntil(
      turn.then(
        ({ status }) => status,
        () => "refused",
      ),
    );
    expect(ended).not.toBe("done");
    expect(await entriesOf(journal, "s")).toEqual(before);
  });

  it("stops what it left", async () => {
    const { fl, clock } = life();
    const session = await clock.runUntil(fl.session("s"));
    const reasons: unknown[] = [];
    const listening = tool<object, null>({
      id: "listens",
      run: (_given, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            resolve(null);
          });
        }),
    });
    const turn = session.turn((body) => body.protect(listening, {}));
    await clock.advance(1);
    await clock.runUntil(session.abandon("deploying"));
    expect(reasons).toMatchObject([{ fault: { message: "deploying" } }]);
    await clock.runUntil(Promise.allSettled([turn]));
  });
});
