// Breakers, pauses and retry budgets of one target, shared by real processes on one journal while they live.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { tempFolder, type TempFolder } from "../../journal/temp-folder.ts";
import { freshJournalUrl } from "../../postgres/shared-server.ts";
import { BUDGET } from "./budget-of-members.ts";
import { type Member, startMember } from "./start-member.ts";

const DOWN = { input: { fails: "ToolUnavailable" } } as const;

describe.each(["SQLite", "PostgreSQL"])("on a journal in %s:", (store) => {
  let folder: TempFolder;
  let path: string;
  const members: Member[] = [];

  beforeEach(async () => {
    folder = tempFolder();
    path = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
  });
  afterEach(async () => {
    await Promise.all(members.splice(0).map((member) => member.kill()));
    folder.remove();
  });

  function start(): Member {
    const member = startMember(path);
    members.push(member);
    return member;
  }

  async function breakIt(member: Member): Promise<void> {
    for (let made = 0; made < 3; made++) await member.call("api", DOWN);
  }

  describe("a breaker that one process opened", () => {
    it("refuses calls of the other processes, which had used the target before, and tells them the cause", async () => {
      const [one, two] = [start(), start()];
      expect(await two.call("api")).toMatchObject({ status: "done" });
      await breakIt(one);
      const report = await two.until("api", { breaker: "open" });
      expect(report.cause).toMatchObject({ code: "ToolUnavailable" });
      expect(report.cause?.message).not.toContain("aaaa");
      expect(await two.call("api")).toMatchObject({ attempts: 0, code: "CircuitOpen" });
    });

    it("is known to a process that has not used the target, and to one that starts later", async () => {
      const [one, two] = [start(), start()];
      await two.ask({ do: "report", target: "other" });
      await breakIt(one);
      expect(await two.until("api", { breaker: "open" })).toMatchObject({ running: 0, queued: 0, reason: null });
      expect(await start().ask({ do: "report", target: "api" })).toMatchObject({ breaker: "open" });
    });

    it("closes for all when calls of one succeed", async () => {
      const [one, two, three] = [start(), start(), start()];
      await breakIt(one);
      for (const member of [two, three]) await member.until("api", { breaker: "open" });
      await two.ask({ do: "probe", target: "api" });
      for (let probe = 0; probe < 2; probe++) expect(await two.call("api")).toMatchObject({ status: "done" });
      for (const member of [one, three]) {
        await member.until("api", { breaker: "closed" });
        expect(await member.call("api")).toMatchObject({ status: "done" });
      }
    });

    it("opens again for all when the probe of one fails", async () => {
      const [one, two] = [start(), start()];
      await breakIt(one);
      const { since } = await two.until("api", { breaker: "open" });
      await one.ask({ do: "probe", target: "api" });
      await two.until("api", { breaker: "half-open" });
      await two.call("api", DOWN);
      const again = await one.until("api", { breaker: "open" });
      expect(again.since).not.toBe(since);
    });

    it("survives the process that opened it, and so does the way out of a probe that was killed", async () => {
      const [one, two] = [start(), start()];
      await breakIt(one);
      await two.until("api", { breaker: "open" });
      await one.ask({ do: "probe", target: "api" });
      const hanging = Promise.allSettled([one.call("api", { input: { hangs: true } })]);
      await two.until("api", { breaker: "half-open" });
      await one.kill();
      await hanging;
      let outcome = await two.call("api");
      while (outcome.code === "CircuitOpen") outcome = await two.call("api");
      expect(outcome).toMatchObject({ status: "done" });
      await two.call("api");
      expect(await two.ask({ do: "report", target: "api" })).toMatchObject({ breaker: "closed" });
      expect(await start().call("api")).toMatchObject({ status: "done" });
    });
  });

  describe("a target that a person isolated in one process", () => {
    it("is isolated in the others until one of them releases it, also after the process ended", async () => {
      const [one, two, three] = [start(), start(), start()];
      for (const member of [two, three]) expect(await member.call("api")).toMatchObject({ status: "done" });
      await one.ask({ do: "isolate", target: "api" });
      await one.end();
      for (const member of [two, three]) {
        expect(await member.until("api", { breaker: "isolated" })).toMatchObject({ reason: "maintenance" });
        expect(await member.call("api")).toMatchObject({ attempts: 0, code: "CircuitOpen" });
      }
      await three.ask({ do: "release", target: "api" });
      await two.until("api", { breaker: "closed" });
      expect(await two.call("api")).toMatchObject({ status: "done" });
    });

    it("stays isolated however many breaks and recoveries the others see meanwhile", async () => {
      const [one, two] = [start(), start()];
      await two.call("api");
      const busy = Array.from({ length: 12 }, () => two.call("api", DOWN));
      await one.ask({ do: "isolate", target: "api" });
      await Promise.all(busy);
      await two.until("api", { breaker: "isolated" });
      const journal = await openJournal(path, { readOnly: true });
      expect(await journal.kept("breaker", "api")).toMatchObject({ state: "isolated" });
      await journal.close();
    });
  });

  describe("a wait that a target asked one process for", () => {
    it("holds the others back, without secrets in the journal, until a person releases the target", async () => {
      const [one, two] = [start(), start()];
      await two.call("api");
      await one.call("api", { input: { fails: "RateLimited", retryAfterMs: 600_000 } });
      const { pausedUntil } = (await one.ask({ do: "report", target: "api" })) as { readonly pausedUntil: number };
      await two.until("api", { pausedUntil });
      expect(await two.call("api", { deadlineMs: 50 })).toMatchObject({ attempts: 0, code: "RateLimited" });
      expect(await start().call("api", { deadlineMs: 50 })).toMatchObject({ attempts: 0, code: "RateLimited" });
      const journal = await openJournal(path, { readOnly: true });
      expect(JSON.stringify(await journal.keptAll("pause"))).not.toContain("aaaa");
      await journal.close();
      await two.ask({ do: "release", target: "api" });
      await one.until("api", { pausedUntil: null });
      expect(await one.call("api")).toMatchObject({ status: "done" });
    });
  });

  describe("a retry budget", () => {
    it("is spent by all processes together", async () => {
      const three = [start(), start(), start()];
      await Promise.all(three.map((member) => member.call("warm-up")));
      const spent = await Promise.all(
        three.map(async (member) => {
          let retries = 0;
          for (let made = 0; made < 10; made++) {
            retries += (await member.call("api", { ...DOWN, attempts: 2 })).attempts - 1;
            await member.ask({ do: "release", target: "api" });
          }
          return retries;
        }),
      );
      const total = spent.reduce((sum, retries) => sum + retries, 0);
      expect(total).toBeGreaterThanOrEqual(BUDGET);
      // Each process may decide on one retry before it has heard of the last ones of the others.
      expect(total).toBeLessThanOrEqual(BUDGET + three.length);
    });

    it("is not refilled by a restart", async () => {
      const one = start();
      let attempts = 2;
      while (attempts === 2) {
        ({ attempts } = await one.call("api", { ...DOWN, attempts: 2 }));
        await one.ask({ do: "release", target: "api" });
      }
      await one.end();
      expect(await start().call("api", { ...DOWN, attempts: 2 })).toMatchObject({ attempts: 1 });
    });
  });

  describe("a process that listens for what others do", () => {
    it("is not kept alive by that", async () => {
      const one = start();
      await one.ask({ do: "report", target: "api" });
      // A connection that is being made keeps it alive for that moment.
      while (((await one.ask({ do: "alive" })) as readonly string[]).length > 0);
      expect(await one.end()).toEqual({ code: 0, stderr: "" });
    });
  });
});
