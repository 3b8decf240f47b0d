// Breakers, pauses and retry budgets of one target, shared by real processes on one journal while they live.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  /** These live through all tests. A test that ends a process starts one of its own. */
  let [one, two, three] = [] as unknown as [Member, Member, Member];

  beforeAll(async () => {
    folder = tempFolder();
    path = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
    [one, two, three] = [start(), start(), start()];
  });
  afterAll(async () => {
    await Promise.all(members.map((member) => member.kill()));
    folder.remove();
  });

  function start(): Member {
    const member = startMember(path);
    members.push(member);
    return member;
  }

  /** Each test has a target of its own. */
  let targets = 0;
  const newTarget = (): string => `api-${++targets}`;

  async function breakIt(member: Member, target: string): Promise<void> {
    for (let made = 0; made < 3; made++) await member.call(target, DOWN);
  }

  describe("a breaker that one process opened", () => {
    it("refuses calls of the other processes, which had used the target before, and tells them the cause", async () => {
      const api = newTarget();
      expect(await two.call(api)).toMatchObject({ status: "done" });
      await breakIt(one, api);
      const report = await two.until(api, { breaker: "open" });
      expect(report.cause).toMatchObject({ code: "ToolUnavailable" });
      expect(report.cause?.message).not.toContain("aaaa");
      expect(await two.call(api)).toMatchObject({ attempts: 0, code: "CircuitOpen" });
    });

    it("is known to a process that has not used the target, and to one that starts later", async () => {
      const api = newTarget();
      await two.ask({ do: "report", target: "other" });
      await breakIt(one, api);
      expect(await two.until(api, { breaker: "open" })).toMatchObject({ running: 0, queued: 0, reason: null });
      expect(await start().ask({ do: "report", target: api })).toMatchObject({ breaker: "open" });
    });

    it("closes for all when calls of one succeed", async () => {
      const api = newTarget();
      await breakIt(one, api);
      for (const member of [two, three]) await member.until(api, { breaker: "open" });
      await two.ask({ do: "probe", target: api });
      for (let probe = 0; probe < 2; probe++) expect(await two.call(api)).toMatchObject({ status: "done" });
      for (const member of [one, three]) {
        await member.until(api, { breaker: "closed" });
        expect(await member.call(api)).toMatchObject({ status: "done" });
      }
    });

    it("opens again for all when the probe of one fails", async () => {
      const api = newTarget();
      await breakIt(one, api);
      const { since } = await two.until(api, { breaker: "open" });
      await one.ask({ do: "probe", target: api });
      await two.until(api, { breaker: "half-open" });
      await two.call(api, DOWN);
      const again = await one.until(api, { breaker: "open" });
      expect(again.since).not.toBe(since);
    });

    it("survives the process that opened it, and so does the way out of a probe that was killed", async () => {
      const api = newTarget();
      const mortal = start();
      await breakIt(mortal, api);
      await two.until(api, { breaker: "open" });
      await mortal.ask({ do: "probe", target: api });
      const hanging = Promise.allSettled([mortal.call(api, { input: { hangs: true } })]);
      await two.until(api, { breaker: "half-open" });
      await mortal.kill();
      await hanging;
      let outcome = await two.call(api);
      while (outcome.code === "CircuitOpen") outcome = await two.call(api);
      expect(outcome).toMatchObject({ status: "done" });
      await two.call(api);
      expect(await two.ask({ do: "report", target: api })).toMatchObject({ breaker: "closed" });
      expect(await start().call(api)).toMatchObject({ status: "done" });
    });
  });

  describe("a target that a person isolated in one process", () => {
    it("is isolated in the others until one of them releases it, also after the process ended", async () => {
      const api = newTarget();
      for (const member of [two, three]) expect(await member.call(api)).toMatchObject({ status: "done" });
      const mortal = start();
      await mortal.ask({ do: "isolate", target: api });
      await mortal.end();
      for (const member of [two, three]) {
        expect(await member.until(api, { breaker: "isolated" })).toMatchObject({ reason: "maintenance" });
        expect(await member.call(api)).toMatchObject({ attempts: 0, code: "CircuitOpen" });
      }
      await three.ask({ do: "release", target: api });
      await two.until(api, { breaker: "closed" });
      expect(await two.call(api)).toMatchObject({ status: "done" });
    });

    it("stays isolated however many breaks and recoveries the others see meanwhile", async () => {
      const api = newTarget();
      await two.call(api);
      const busy = Array.from({ length: 12 }, () => two.call(api, DOWN));
      await one.ask({ do: "isolate", target: api });
      await Promise.all(busy);
      await two.until(api, { breaker: "isolated" });
      const journal = await openJournal(path, { readOnly: true });
      expect(await journal.kept("breaker", api)).toMatchObject({ state: "isolated" });
      await journal.close();
    });
  });

  describe("a wait that a target asked one process for", () => {
    it("holds the others back, without secrets in the journal, until a person releases the target", async () => {
      const api = newTarget();
      await two.call(api);
      await one.call(api, { input: { fails: "RateLimited", retryAfterMs: 600_000 } });
      const { pausedUntil } = (await one.ask({ do: "report", target: api })) as { readonly pausedUntil: number };
      await two.until(api, { pausedUntil });
      expect(await two.call(api, { deadlineMs: 50 })).toMatchObject({ attempts: 0, code: "RateLimited" });
      expect(await start().call(api, { deadlineMs: 50 })).toMatchObject({ attempts: 0, code: "RateLimited" });
      const journal = await openJournal(path, { readOnly: true });
      expect(JSON.stringify(await journal.keptAll("pause"))).not.toContain("aaaa");
      await journal.close();
      await two.ask({ do: "release", target: api });
      await one.until(api, { pausedUntil: null });
      expect(await one.call(api)).toMatchObject({ status: "done" });
    });
  });

  describe("a retry budget", () => {
    it("is spent by all processes together", async () => {
      const api = newTarget();
      const all = [one, two, three];
      await Promise.all(all.map((member) => member.call("warm-up")));
      const spent = await Promise.all(
        all.map(async (member) => {
          let retries = 0;
          for (let made = 0; made < 10; made++) {
            retries += (await member.call(api, { ...DOWN, attempts: 2 })).attempts - 1;
            await member.ask({ do: "release", target: api });
          }
          return retries;
        }),
      );
      const total = spent.reduce((sum, retries) => sum + retries, 0);
      expect(total).toBeGreaterThanOrEqual(BUDGET);
      // Each process may decide on one retry before it has heard of the last ones of the others.
      expect(total).toBeLessThanOrEqual(BUDGET + all.length);
    });

    it("is not refilled by a restart", async () => {
      const api = newTarget();
      const mortal = start();
      let attempts = 2;
      while (attempts === 2) {
        ({ attempts } = await mortal.call(api, { ...DOWN, attempts: 2 }));
        await mortal.ask({ do: "release", target: api });
      }
      await mortal.end();
      expect(await start().call(api, { ...DOWN, attempts: 2 })).toMatchObject({ attempts: 1 });
    });
  });

  describe("a process that listens for what others do", () => {
    it("is not kept alive by that", async () => {
      const api = newTarget();
      const mortal = start();
      await mortal.ask({ do: "report", target: api });
      // A connection that is being made keeps it alive for that moment.
      while (((await mortal.ask({ do: "alive" })) as readonly string[]).length > 0);
      expect(await mortal.end()).toEqual({ code: 0, stderr: "" });
    });
  });
});
