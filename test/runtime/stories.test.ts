// Whole stories of calls, compared with files: what each call gave, every event with its time, and the targets at the end. They show what a
// table of single cases does not: who waits for whom, what is booked, and what each guard leaves behind. A change that is meant shows as a
// difference of these files (`npx vitest run -u` writes them again).

import { describe, expect, it } from "vitest";
import type { FaultCode } from "../../src/core/fault/catalogue.ts";
import { fault, type FaultDetail, FaultError } from "../../src/core/fault/fault.ts";
import { createFaultline, createMemoryJournal, type Faultline, type FaultlineOptions, tool } from "../../src/index.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

const START_AT = 1_000_000;

interface World {
  readonly fl: Faultline;
  readonly clock: FakeClock;
  readonly journal: Journal;
  /** Tells what came of it, and when. */
  readonly note: (name: string, result: Promise<unknown>) => Promise<void>;
}

interface Story {
  readonly options?: FaultlineOptions;
  readonly happens: (world: World) => Promise<void>;
}

const failure = (code: FaultCode, more: FaultDetail = {}): FaultError => new FaultError(fault(code, more));

interface Step {
  readonly takesMs?: number;
  readonly costMicrocents?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly throws?: Error;
}

/** Does one step per attempt, and then answers at once. */
function stepping(
  id: string,
  clock: FakeClock,
  steps: readonly Step[],
  more: object = {},
): ReturnType<typeof tool<string, string>> {
  let next = 0;
  return tool<string, string>({
    id,
    idempotent: true,
    async run(input, { cost, responseHeaders, signal }) {
      const { takesMs = 0, costMicrocents, headers, throws } = steps[next++] ?? {};
      if (takesMs > 0)
        await new Promise<void>((resolve) => {
          clock.after(takesMs, resolve);
          signal.addEventListener("abort", () => resolve());
        });
      if (costMicrocents !== undefined) cost(costMicrocents);
      if (headers !== undefined) responseHeaders(headers);
      if (throws !== undefined) throw throws;
      return `${id}:${input}`;
    },
    ...more,
  });
}

const BUSY = { throws: failure("Overloaded", { message: "busy" }) };

const STORIES: Readonly<Record<string, Story>> = {
  "attempts that fail and then work": {
    async happens({ fl, clock, note }) {
      const steps = [{ ...BUSY, takesMs: 20 }, { throws: failure("NetworkDisconnect"), takesMs: 5 }, { takesMs: 7 }];
      await note("thrice", clock.runUntil(fl.protect(stepping("thrice", clock, steps), "x")));
      const once = stepping("once", clock, [{ takesMs: 30, throws: failure("NetworkDisconnect") }], {
        idempotent: false,
      });
      await note("not repeatable", clock.runUntil(fl.protect(once, "x")));
      const worse = stepping("worse", clock, [{ throws: failure("NotFound", { message: "no such flight" }) }]);
      await note("terminal", clock.runUntil(fl.protect(worse, "x")));
    },
  },
  "a time limit of an attempt, and a deadline of a call": {
    async happens({ fl, clock, note }) {
      const slow = stepping("slow", clock, [{ takesMs: 500 }, { takesMs: 50 }], { timeoutMs: 100 });
      await note("slow", clock.runUntil(fl.protect(slow, "x")));
      const late = stepping("late", clock, [{ takesMs: 80, ...BUSY }, { takesMs: 80, ...BUSY }, {}]);
      await note("late", clock.runUntil(fl.protect(late, "x", { deadlineMs: 120 })));
      const never = stepping("never", clock, [{ takesMs: 80 }]);
      await note("no time", clock.runUntil(fl.protect(never, "x", { deadlineMs: 0 })));
    },
  },
  "a breaker that opens, lets one probe through, and closes": {
    async happens({ fl, clock, note }) {
      const dead = stepping("dead", clock, Array<Step>(6).fill({ ...BUSY, takesMs: 3 }), {
        retry: "none",
        breaker: { failures: 3, openMs: 1_000 },
      });
      for (let call = 0; call < 5; call++)
        await note(`call ${call}`, clock.runUntil(fl.protect(dead, "x", { deadlineMs: 500 })));
      await clock.advance(1_000);
      const beside = [fl.protect(dead, "probe"), fl.protect(dead, "beside", { deadlineMs: 10 })];
      await note("probe and beside", clock.runUntil(Promise.all(beside)));
      await clock.advance(10_000);
      for (let call = 0; call < 4; call++)
        await note(`again ${call}`, clock.runUntil(fl.protect(dead, "x", { deadlineMs: 60_000 })));
    },
  },
  "a pause that a provider asks for": {
    async happens({ fl, clock, note }) {
      const limited = { throws: failure("RateLimited", { retryAfterMs: 2_000 }) };
      const api = stepping("api", clock, [limited, limited]);
      const first = note("first", fl.protect(api, "a"));
      await clock.advance(0);
      const second = note("second", fl.protect(api, "b"));
      const short = note("short", fl.protect(api, "c", { deadlineMs: 1_999 }));
      await clock.runUntil(Promise.all([first, second, short]));
      const empty = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "3s" };
      const told = stepping("told", clock, [{ headers: empty }, {}]);
      await note("told", clock.runUntil(fl.protect(told, "a")));
      await note("after it was told", clock.runUntil(fl.protect(told, "b")));
    },
  },
  "a target that is paced, narrow, and full": {
    async happens({ fl, clock, note }) {
      const paced = stepping("paced", clock, [{ takesMs: 10 }, { takesMs: 10 }, { takesMs: 10 }], { maxPerMinute: 60 });
      const calls = ["a", "b", "c"].map((input) => note(`paced ${input}`, fl.protect(paced, input)));
      const stopped = new AbortController();
      const cancelled = note("paced and cancelled", fl.protect(paced, "d", { signal: stopped.signal }));
      await clock.advance(500);
      stopped.abort();
      await clock.runUntil(Promise.all([...calls, cancelled]));
      const narrow = stepping("narrow", clock, Array<Step>(9).fill({ takesMs: 100 }), {
        maxConcurrent: 1,
        maxQueued: 2,
      });
      const waits = ["a", "b", "c", "d"].map((input, index) =>
        note(`narrow ${input}`, fl.protect(narrow, input, index === 1 ? { deadlineMs: 50 } : {})),
      );
      await clock.runUntil(Promise.all(waits));
    },
  },
  "alternatives, defaults and optional results": {
    async happens({ fl, clock, note }) {
      const wrong = { throws: failure("AuthFailed", { message: "no key" }) };
      const spare = stepping("spare", clock, [{ takesMs: 4 }]);
      const main = stepping("main", clock, [wrong], { alternatives: [spare] });
      await note("alternative", clock.runUntil(fl.protect(main, "x")));
      const both = stepping("both", clock, [wrong], {
        alternatives: [stepping("spare2", clock, [wrong])],
        default: "nothing",
      });
      await note("default", clock.runUntil(fl.protect(both, "x")));
      const optional = stepping("optional", clock, [wrong], { optional: true });
      await note("optional", clock.runUntil(fl.protect(optional, "x")));
    },
  },
  "a budget that warns, stops and books every attempt": {
    options: { budget: { maxUsd: 1e-5, onExceed: "fail" } },
    async happens({ fl, clock, note }) {
      const session = await clock.runUntil(fl.session("spending", { mode: "headless" }));
      const paid = stepping(
        "paid",
        clock,
        [{ costMicrocents: 300, ...BUSY }, { costMicrocents: 350 }, { costMicrocents: 200 }],
        {
          cost: { estimate: () => 250 },
        },
      );
      for (const input of ["a", "b", "c", "d"])
        await note(`paid ${input}`, clock.runUntil(session.turn((turn) => turn.call(paid, input))));
      const unknown = stepping("unknown", clock, [{ costMicrocents: 900 }, { costMicrocents: 5 }], {
        cost: { estimate: () => null },
      });
      for (const input of ["a", "b"])
        await note(`unknown ${input}`, clock.runUntil(session.turn((turn) => turn.call(unknown, input))));
    },
  },
  "calls that are cancelled before, while and after they run": {
    async happens({ fl, clock, note }) {
      const slow = stepping("slow", clock, [{ takesMs: 100 }, { takesMs: 100, ...BUSY }, { takesMs: 100 }], {
        maxConcurrent: 1,
      });
      const gone = new AbortController();
      gone.abort();
      await note("before", clock.runUntil(fl.protect(slow, "x", { signal: gone.signal })));
      const whileRunning = new AbortController();
      const running = note("while", fl.protect(slow, "x", { signal: whileRunning.signal }));
      const queued = new AbortController();
      const waiting = note("in the queue", fl.protect(slow, "y", { signal: queued.signal }));
      await clock.advance(40);
      queued.abort();
      await clock.advance(20);
      whileRunning.abort();
      await clock.runUntil(Promise.all([running, waiting]));
      const retried = new AbortController();
      const retrying = note("between attempts", fl.protect(slow, "z", { signal: retried.signal }));
      await clock.advance(101);
      retried.abort();
      await clock.runUntil(retrying);
      await note("afterwards", clock.runUntil(fl.protect(slow, "x")));
    },
  },
  "reports of an executor elsewhere": {
    async happens({ fl, clock, note }) {
      const search = { tool: "search", session: "chat", idempotent: true } as const;
      await note(
        "first",
        clock.runUntil(fl.report({ ...search, evidence: { status: 503 }, durationMs: 40, costUsd: 0.002 })),
      );
      await clock.advance(100);
      await note(
        "its own call",
        clock.runUntil(fl.report({ ...search, evidence: { status: 429, headers: { "retry-after": "2" } } })),
      );
      await note(
        "again",
        clock.runUntil(fl.report({ ...search, call: "c1", attempt: 2, evidence: { status: 503 }, durationMs: 15 })),
      );
      await note(
        "repeated",
        clock.runUntil(fl.report({ ...search, call: "c1", attempt: 2, evidence: { status: 503 } })),
      );
      await note("as it stands", clock.runUntil(fl.reported("chat~c1")));
      await note("may it", Promise.resolve(fl.mayCall({ tool: "search", alternatives: ["other"] })));
      await note("none", clock.runUntil(fl.reported("chat~c9")));
      await clock.advance(5_000);
      await note(
        "done",
        clock.runUntil(
          fl.reportOutcome("chat~c1", { status: "succeeded", output: "found", durationMs: 30, costUsd: 0.001 }),
        ),
      );
      await note("done twice", clock.runUntil(fl.reportOutcome("chat~c1", { status: "succeeded" })));
      await note(
        "gave up",
        clock.runUntil(fl.reportOutcome("chat~c2", { status: "cancelled", reason: "no longer needed" })),
      );
      await note("worked at once", clock.runUntil(fl.reportSuccess({ tool: "search", durationMs: 12 })));
      await note("worked, unknown how long", clock.runUntil(fl.reportSuccess({ tool: "search" })));
      await note(
        "asks a person",
        clock.runUntil(fl.report({ tool: "pay", session: "chat", call: "p", code: "AuthFailed", ran: false })),
      );
      await note("its question", clock.runUntil(fl.reported("chat~p")));
      await note("ended", clock.runUntil(fl.endReports("chat", "done")));
      await note("ended twice", clock.runUntil(fl.endReports("chat", "failed")));
      const own = fl.report({
        tool: "alone",
        evidence: { status: 503 },
        retry: "none",
        committed: true,
        hasPartial: true,
      });
      await note("a session of its own", clock.runUntil(own));
      await note("silent, too early", clock.runUntil(fl.endSilentReports(clock.now())));
      await clock.advance(1);
      await note("silent", clock.runUntil(fl.endSilentReports(clock.now() + 1)));
    },
  },
};

/** Errors hold stacks, and a stack differs from machine to machine. */
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return JSON.stringify(value, (key, item: unknown) => {
    if (key === "stack") return undefined;
    return item instanceof Map ? [...(item as Map<unknown, unknown>)] : item;
  });
}

async function told({ options = {}, happens }: Story): Promise<string> {
  const clock = createFakeClock(START_AT);
  const chance = createSeededChance(1);
  const journal = createMemoryJournal({ clock, chance });
  const fl = createFaultline({ clock, chance, journal, ...options });
  const lines: string[] = [];
  const at = (time: number): string => `+${time - START_AT}`;
  const note = async (name: string, result: Promise<unknown>): Promise<void> => {
    const [came] = await Promise.allSettled([result]);
    const text = came.status === "fulfilled" ? shown(came.value) : `throws ${String(came.reason)}`;
    lines.push(`${at(clock.now())} ${name}: ${text}`);
  };
  await happens({ fl, clock, journal, note });
  lines.push("", "targets", ...fl.targets().map(shown), "", "outside sessions");
  for (const { at: time, event } of fl.recent()) lines.push(`${at(time)} ${shown(event)}`);
  for (const { session, status } of (await journal.sessions()).toReversed()) {
    lines.push("", `${session}: ${status}`);
    for await (const entry of journal.read(session)) lines.push(`${at(entry.at)} ${shown(entry.event)}`);
  }
  return `${lines.join("\n")}\n`;
}

describe("the story of", () => {
  it.each(Object.entries(STORIES))("%s", async (title, story) => {
    await expect(await told(story)).toMatchFileSnapshot(`./stories/${title.replaceAll(/\W+/g, "-")}.txt`);
  });
});
