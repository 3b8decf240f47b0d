// A session that moves from one store to another.

import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/index.ts";
import { exportSession, importSession, type Journal, type Session, step, tool } from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";
import { entriesOf, fails, lifeOn, newPath } from "./life.ts";

const KEY = "hunter2-hunter2";
const redactor = createRedactor([KEY]);

async function linesOf(journal: Journal, includeResults: boolean): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(journal, "s", { redactor, includeResults })) lines.push(line);
  return lines;
}

class Trip {
  readonly ran: string[] = [];
  isAllowed = false;

  readonly book = (session: Session): Promise<unknown> => {
    const pay = tool<{ key: string }, string>({ id: "pay", run: () => (this.ran.push("pay"), `receipt of ${KEY}`) });
    const visit = tool<{ receipt: unknown }, string>({
      id: "visit",
      run: ({ receipt }) => {
        this.ran.push("visit");
        return this.isAllowed ? String(receipt) : fails("AccessDenied")();
      },
    });
    return session.turn({
      pay: step(pay, { key: KEY }),
      visit: step(visit, (got) => ({ receipt: got["pay"] }), { needs: ["pay"] }),
    });
  };
}

/** A trip that waits for an answer in one store, and its exported lines. */
async function carried(includeResults: boolean): Promise<{ readonly trip: Trip; readonly lines: readonly string[] }> {
  const trip = new Trip();
  const { fl, clock, journal } = await lifeOn(newPath(), { secrets: [KEY] });
  const session = await clock.runUntil(fl.session("s", { mode: "headless", labels: { who: "ada" } }));
  expect(await clock.runUntil(trip.book(session))).toMatchObject({ status: "waiting" });
  return { trip, lines: await linesOf(journal, includeResults) };
}

describe("an exported session", () => {
  it("continues in another store that adopts it: its question is answered there, and nothing runs twice", async () => {
    const { trip, lines } = await carried(true);
    const there = await lifeOn(newPath());
    expect(await there.clock.runUntil(thrownBy(importSession(there.journal, lines)))).toMatchObject({
      fault: { code: "ResumeMismatch" },
    });
    expect(await there.clock.runUntil(importSession(there.journal, lines, { adopt: true }))).toMatchObject({
      session: "s",
      adopted: true,
      already: 0,
    });
    const session = await there.clock.runUntil(there.fl.session("s", { mode: "headless" }));
    const [question] = await there.fl.questions();
    expect(question).toMatchObject({ session: "s", code: "AccessDenied" });
    await there.clock.runUntil(there.fl.answer(question?.id ?? "", { status: "accepted", value: true }));
    trip.isAllowed = true;
    expect(await there.clock.runUntil(trip.book(session))).toMatchObject({
      status: "done",
      outcomes: { pay: { attempts: 1 }, visit: { value: `receipt of ${KEY}`, attempts: 2 } },
    });
    expect(trip.ran).toEqual(["pay", "visit", "visit"]);
    const [started] = await entriesOf(there.journal, "s");
    expect(started?.event).toMatchObject({
      manifest: { sessionId: "s", storeId: there.journal.storeId, labels: { who: "ada" } },
    });
    expect(await there.journal.verify()).toMatchObject({ firstBad: null });
  });

  it("contains no secret, unless its results were requested", async () => {
    const { lines } = await carried(false);
    expect(lines.join("\n")).not.toContain(KEY);
    const { lines: whole } = await carried(true);
    expect(whole.filter((line) => line.includes(KEY)).map((line) => line.slice(0, 16))).toEqual(['{"kind":"result"']);
  });

  it("that is imported into its own store changes nothing there", async () => {
    const { fl, clock, journal } = await lifeOn(newPath());
    const session = await clock.runUntil(fl.session("s"));
    await clock.runUntil(session.protect(tool<object, string>({ id: "ok", run: () => "fine" }), {}));
    const lines = await linesOf(journal, true);
    expect(await clock.runUntil(importSession(journal, lines))).toMatchObject({ appended: 0, already: 4 });
    expect(await entriesOf(journal, "s")).toHaveLength(4);
  });
});
