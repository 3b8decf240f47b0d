// The memory of past incidents: recourses that never worked are skipped, those that worked come first, and every choice is
// explained.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MIN_REST_MS, MAX_REST_MS } from "../../../src/core/decide/decide.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { type Decision, explain, type JournalEvent, type Policy, tool } from "../../../src/index.ts";
import { tempFolder, type TempFolder } from "../../journal/temp-folder.ts";
import {
  broken,
  callTimes,
  failure,
  liveOnDisk,
  type More,
  type Scripted,
  scripted,
  START_AT,
  type World,
  world,
} from "../../support/world.ts";

/** The default policy, with a breaker that does not interfere. */
const POLICY: Policy = { ...DEFAULT_POLICY, breaker: { ...DEFAULT_POLICY.breaker, failures: 1_000 } };
const TWICE: More = { retry: { maxAttempts: 2 } };
const HOUR_MS = 3_600_000;

const decisions = (events: readonly JournalEvent[]): readonly Decision[] =>
  events.flatMap((event) => (event.type === "call-failed" ? [event.decision] : []));

describe("a retry that did not help five times in a row", () => {
  it("is skipped from then on, and the decision says why", async () => {
    const here = world({ policy: POLICY });
    const down = broken("down", "ToolUnavailable", TWICE);
    const outcomes = await callTimes(here, down.tool, 7);
    expect(outcomes.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2, 1, 1]);
    const last = decisions(here.events()).at(-1);
    expect(last?.considered[0]).toEqual({ recourse: "retry", refused: "never-worked" });
    expect(last && explain(last, "en").why).toContain("not retried: it did not help the last times");
  });

  it("is made as before for a fault of another kind, and for another tool", async () => {
    const here = world({ policy: POLICY });
    const kinds = [...Array.from({ length: 12 }, () => failure("ToolUnavailable")), failure("ResourceBusy")];
    const down = scripted("down", kinds, TWICE);
    const other = broken("other", "ToolUnavailable", { ...TWICE, target: "down" });
    await callTimes(here, down.tool, 7);
    expect((await callTimes(here, down.tool, 1))[0]).toMatchObject({ status: "done", attempts: 2 });
    expect((await callTimes(here, other.tool, 1))[0]).toMatchObject({ attempts: 2 });
  });

  it("is not skipped when one of the last five helped", async () => {
    const here = world({ policy: POLICY });
    const bad = failure("ToolUnavailable");
    const pairs = Array.from({ length: 4 }, () => [bad, bad]).flat();
    const moody = scripted("moody", [...pairs, bad, undefined, ...pairs, bad], TWICE);
    const outcomes = await callTimes(here, moody.tool, 10);
    expect(outcomes.every(({ attempts }) => attempts === 2)).toBe(true);
  });

  it("is tried once more after a while, and is no longer skipped if that helped", async () => {
    const here = world({ policy: POLICY });
    const bad = failure("ToolUnavailable");
    const down = scripted("down", [...Array.from({ length: 12 }, () => bad), bad, undefined, bad, undefined], TWICE);
    const outcomes = await callTimes(here, down.tool, 7);
    expect(outcomes.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2, 1, 1]);
    await here.clock.advance(MIN_REST_MS);
    const after = await callTimes(here, down.tool, 2);
    expect(after).toMatchObject([
      { status: "done", attempts: 2 },
      { status: "done", attempts: 2 },
    ]);
  });

  it("is skipped again when that try did not help either", async () => {
    const here = world({ policy: POLICY });
    const down = broken("down", "ToolUnavailable", TWICE);
    await callTimes(here, down.tool, 5);
    await here.clock.advance(MIN_REST_MS);
    const outcomes = await callTimes(here, down.tool, 3);
    expect(outcomes.map(({ attempts }) => attempts)).toEqual([2, 1, 1]);
  });

  it("is still made under a cautious policy, which does not learn", async () => {
    const here = world({ policy: "cautious" });
    const down = broken("down", "ToolUnavailable", { ...TWICE, breaker: { failures: 1_000 } });
    const outcomes = await callTimes(here, down.tool, 12);
    expect(outcomes.every(({ attempts }) => attempts === 2)).toBe(true);
  });

  it("does not count when the call was cancelled before its effect was known", async () => {
    const here = world({ policy: POLICY });
    const down = broken("down", "ToolUnavailable", TWICE);
    for (let made = 0; made < 10; made++) {
      const controller = new AbortController();
      const running = here.fl.protect(down.tool, "x", { signal: controller.signal });
      controller.abort();
      expect(await running).toMatchObject({ status: "cancelled" });
    }
    expect((await callTimes(here, down.tool, 1))[0]).toMatchObject({ attempts: 2 });
  });
});

describe("a recourse that helped five times in a row", () => {
  /** A row in which another tool is not the first recourse. */
  const limited: More = { retry: { maxAttempts: 1 } };

  it("comes first, and the decision says so", async () => {
    const here = world({ policy: POLICY });
    const second = scripted("second", []);
    const down = broken("down", "RateLimited", { ...limited, alternatives: [second.tool] });
    const outcomes = await callTimes(here, down.tool, 6);
    expect(outcomes.every((outcome) => outcome.status === "done" && outcome.from === "second")).toBe(true);
    const made = decisions(here.events());
    expect(made.map(({ preferred }) => preferred)).toEqual([null, null, null, null, null, "alternative"]);
    expect(made.map(({ considered }) => considered.map(({ recourse }) => recourse))).toEqual([
      ...Array.from({ length: 5 }, () => ["retry", "fallback"]),
      ["retry"],
    ]);
    const last = made.at(-1);
    expect(last && explain(last, "en").why).toContain("another tool first: it worked the last times");
  });

  it("no longer comes first once it failed", async () => {
    const here = world({ policy: POLICY });
    const second = scripted("second", [...Array.from({ length: 5 }, () => undefined), failure("NotFound")]);
    const down = broken("down", "RateLimited", { ...limited, alternatives: [second.tool], default: "none" });
    const outcomes = await callTimes(here, down.tool, 7);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array<string>(5).fill("done"), "defaulted", "done"]);
    const ofDown = decisions(here.events()).filter(({ recourse }) => recourse === "alternative");
    expect(ofDown.map(({ preferred }) => preferred)).toEqual([...Array<null>(5).fill(null), "alternative", null]);
  });

  it("that never helped is skipped too, in favour of the next", async () => {
    const here = world({ policy: POLICY });
    const second = broken("second", "NotFound");
    const down = broken("down", "NotFound", { alternatives: [second.tool], default: "none" });
    const outcomes = await callTimes(here, down.tool, 6);
    expect(outcomes.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2, 1]);
    expect(decisions(here.events()).at(-1)?.considered).toContainEqual({
      recourse: "alternative",
      refused: "never-worked",
    });
  });
});

describe("after an outage of some minutes", () => {
  const OUTAGE_MS = 180_000;

  interface Moody {
    readonly tool: Scripted["tool"];
    /** Which attempts of a call fail. */
    isDown: (attempt: number) => boolean;
  }

  function moody(id: string, more: More = {}): Moody {
    const state: Moody = {
      isDown: () => true,
      tool: tool<string, string>({
        ...more,
        id,
        run: (input, { attempt }) => {
          if (state.isDown(attempt)) throw failure("ToolUnavailable");
          return `${id}:${input}`;
        },
      }),
    };
    return state;
  }

  /** One call every five seconds. */
  async function callFor(here: World, called: Scripted["tool"], forMs: number): Promise<void> {
    const untilAt = here.clock.now() + forMs;
    while (here.clock.now() < untilAt) {
      await callTimes(here, called, 1);
      await here.clock.advance(5_000);
    }
  }

  it("a tool that has worked again for a minute is retried at its next transient failure", async () => {
    const here = world({ policy: POLICY });
    const search = moody("search", TWICE);
    await callFor(here, search.tool, OUTAGE_MS);
    expect(decisions(here.events()).at(-1)?.considered[0]?.refused).toBe("never-worked");
    search.isDown = () => false;
    await callFor(here, search.tool, MAX_REST_MS);
    search.isDown = (attempt) => attempt === 1;
    expect(await callTimes(here, search.tool, 3)).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: "done", attempts: 2 })),
    );
  });

  it("an alternative that was down too is used again, although the first tool still is down", async () => {
    const here = world({ policy: POLICY });
    const second = moody("second", { retry: { maxAttempts: 1 } });
    const first = moody("first", { retry: { maxAttempts: 1 }, alternatives: [second.tool] });
    await callFor(here, first.tool, OUTAGE_MS);
    second.isDown = () => false;
    await callFor(here, first.tool, MAX_REST_MS);
    expect(await callTimes(here, first.tool, 2)).toMatchObject([
      { status: "done", from: "second" },
      { status: "done", from: "second" },
    ]);
  });
});

describe("experience in a journal on disk", () => {
  let folder: TempFolder;
  beforeEach(() => void (folder = tempFolder()));
  afterEach(() => folder.remove());

  const live = (now: number, body: (here: World) => Promise<void>): Promise<void> =>
    liveOnDisk(folder.file("journal.db"), now, { policy: POLICY }, body);

  it("is still known after a restart, for as long as without one", async () => {
    const down = broken("down", "ToolUnavailable", TWICE);
    let learnedAt = 0;
    await live(START_AT, async (here) => {
      await callTimes(here, down.tool, 5);
      learnedAt = here.clock.now();
    });
    await live(learnedAt + MIN_REST_MS - 1, async (here) => {
      expect((await callTimes(here, down.tool, 1))[0]).toMatchObject({ attempts: 1 });
      expect(decisions(here.events()).at(-1)?.considered[0]?.refused).toBe("never-worked");
    });
    await live(learnedAt + MIN_REST_MS, async (here) => {
      expect((await callTimes(here, down.tool, 1))[0]).toMatchObject({ attempts: 2 });
      expect((await callTimes(here, down.tool, 1))[0]).toMatchObject({ attempts: 1 });
    });
  });

  it("is forgotten an hour after it was learned", async () => {
    const down = broken("down", "ToolUnavailable", TWICE);
    await live(START_AT, async (here) => void (await callTimes(here, down.tool, 5)));
    await live(START_AT + 2 * HOUR_MS, async (here) => {
      expect((await callTimes(here, down.tool, 2)).map(({ attempts }) => attempts)).toEqual([2, 2]);
    });
  });
});
