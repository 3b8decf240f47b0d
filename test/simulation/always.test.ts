// Each check of the simulation is shown a story that breaks its sentence, and says so. The stories are true ones with one
// thing changed.

import { beforeAll, describe, expect, it } from "vitest";
import { fault } from "../../src/core/fault/fault.ts";
import { RECOURSES } from "../../src/core/policy/policy.ts";
import { toolOf } from "./call-history.ts";
import { ALWAYS } from "./always.ts";
import { simulate } from "./simulate.ts";
import { type Run, Story, type Written } from "./story.ts";

const SEEDS = 120;
let stories: readonly Story[] = [];

beforeAll(async () => {
  const all: Story[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) all.push((await simulate(seed)).story);
  stories = all;
});

/** Checks remember what they have read of a story, so a changed one is a new one. */
function copyOf(story: Story): Story {
  const copy = new Story(story.world);
  copy.written.push(...story.written);
  copy.runs.push(...story.runs.map((run) => ({ ...run })));
  copy.outcomes.push(...story.outcomes);
  copy.turns.push(...story.turns);
  copy.cancels.push(...story.cancels);
  copy.breakers.push(...story.breakers);
  copy.lives.push(...story.lives.map((life) => ({ ...life })));
  copy.told.push(...story.told);
  copy.entries.push(...story.entries);
  copy.shown.push(...story.shown);
  copy.refusals = story.refusals;
  copy.snapshot = story.snapshot;
  for (const [key, result] of story.kept) copy.kept.set(key, result);
  return copy;
}

const LAST = Number.MAX_SAFE_INTEGER;

function eventsOf<Type extends Written["entry"]["event"]["type"]>(
  story: Story,
  type: Type,
): readonly (Written & { entry: { event: { type: Type } } })[] {
  return story.written.filter((written) => written.entry.event.type === type) as never;
}

function runOf(story: Story, { call, attempt }: { readonly call: string; readonly attempt: number }): Run | undefined {
  return story.runs.find((run) => run.call === call && run.attempt === attempt);
}

/** Changes a story so that the sentence does not hold; false when there is nothing in it to change. */
type Change = (story: Story) => boolean;

const CHANGES: Readonly<Record<string, Change>> = {
  "attempts never exceed the policys number": (story) => {
    const [admitted] = eventsOf(story, "call-admitted");
    if (admitted === undefined) return false;
    for (let attempt = 20; attempt < 40; attempt++) {
      const event = { ...admitted.entry.event, attempt };
      story.written.push({ ...admitted, order: LAST, entry: { ...admitted.entry, event } });
    }
    return true;
  },
  "no wait outlives the deadline": (story) => {
    const run = story.runs.find(({ call }) => call.includes("/"));
    if (run === undefined) return false;
    story.runs[story.runs.indexOf(run)] = { ...run, at: LAST };
    return true;
  },
  "nothing that may have happened is run again unless idempotent or approved": (story) => {
    const run = story.runs.find(({ tool }) => !tool.idempotent);
    if (run === undefined) return false;
    story.written.splice(story.written.findIndex(({ order }) => order > run.order));
    story.runs.push({ ...run, order: LAST });
    return true;
  },
  "a breaker ends no schedule that has begun": (story) => {
    const failed = eventsOf(story, "call-failed").find(({ entry }) => {
      const { decision, tool } = entry.event as unknown as { decision: { recourse: string }; tool: string };
      return decision.recourse === "retry" && toolOf(story.world, tool).target.breaker.counts !== "attempts";
    });
    if (failed === undefined) return false;
    const { call, tool, decision } = failed.entry.event as unknown as { call: string; tool: string; decision: never };
    const event = { type: "call-decided", call, tool, fault: fault("CircuitOpen"), decision, breaker: "open" } as const;
    story.written.splice(story.written.indexOf(failed) + 1, 0, { ...failed, entry: { ...failed.entry, event } });
    return true;
  },
  "a shared attempt is one that failed": (story) => {
    const [failed] = eventsOf(story, "call-failed");
    if (failed === undefined) return false;
    const event = { ...failed.entry.event, type: "call-decided" } as never;
    story.written.splice(story.written.indexOf(failed), 1, { ...failed, entry: { ...failed.entry, event } });
    return true;
  },
  "an open breaker lets no call begin but its probe": (story) => {
    const admitted = eventsOf(story, "call-admitted").find(
      ({ life, entry }) => entry.at < (story.lives[life]?.endedAt ?? 0),
    );
    const run =
      admitted === undefined
        ? undefined
        : story.runs.find(({ call }) => call === (admitted.entry.event as { call?: string }).call);
    if (admitted === undefined || run === undefined) return false;
    const { life, entry } = admitted;
    const breaker = { state: "open", generation: 1, opens: 1, openedAt: 0, openMs: LAST } as const;
    story.breakers.splice(0, Infinity, { order: 0, life, at: entry.at - 1, target: run.tool.target.id, breaker });
    return true;
  },
  "a session ends once and cancel wins": (story) => {
    const [end] = eventsOf(story, "session-ended");
    if (end !== undefined) story.written.push({ ...end, order: LAST });
    return end !== undefined;
  },
  "an event is on disk before anyone sees it": (story) => {
    const [run] = story.runs;
    if (run !== undefined) story.runs[0] = { ...run, order: 0 };
    return run !== undefined;
  },
  "a resumed run ends as one that did not crash": (story) => story.world.isPlain && story.kept.has("turn0"),
  "finished calls do not run twice": (story) => {
    const [succeeded] = eventsOf(story, "call-succeeded");
    const run = succeeded === undefined ? undefined : runOf(story, succeeded.entry.event);
    if (run !== undefined) story.runs.push({ ...run, order: LAST });
    return run !== undefined;
  },
  "a finished call is told as it ended": (story) => {
    const [succeeded] = eventsOf(story, "call-succeeded");
    if (succeeded === undefined) return false;
    const { call } = succeeded.entry.event as unknown as { call: string };
    const seen = { order: LAST, life: 0, at: 0, call, fault: null, attempts: 1, isRefusal: false };
    story.outcomes.push({ ...seen, status: "skipped" });
    return true;
  },
  "a turn that is over leaves no attempt open": (story) => {
    const end = eventsOf(story, "turn-ended").find(({ entry }) => {
      const { status, fault } = entry.event as unknown as { status: string; fault: unknown };
      return status !== "waiting" && fault === null;
    });
    const [started] = eventsOf(story, "call-admitted");
    if (end === undefined || started === undefined) return false;
    const { turn } = end.entry.event as unknown as { turn: string };
    const event = { ...started.entry.event, call: `${turn}/1/new` };
    story.written.push({ ...started, order: 0, entry: { ...started.entry, event } });
    return true;
  },
  "cost booked is the sum of all attempts": (story) => {
    const run = story.runs.find(({ reports, ended }) => reports.length > 0 && ended !== null);
    if (
      run === undefined ||
      !eventsOf(story, "call-succeeded").some(({ entry }) => (entry.event as { call?: string }).call === run.call)
    )
      return false;
    run.reports = [{ isFirst: false, microcents: 1_000_000 }];
    return true;
  },
  "what comes late is written down": (story) => {
    const late = eventsOf(story, "call-late").find(({ life }) => story.lives[life]?.end === "done");
    if (late === undefined || story.refusals > 0) return false;
    const run = runOf(story, late.entry.event);
    if (run?.ended === null || run === undefined || run.ended.at <= run.deadlineAt + 1) return false;
    story.written.splice(story.written.indexOf(late), 1);
    return true;
  },
  "a retry announced is a retry made": (story) => {
    const failed = eventsOf(story, "call-failed").find(({ entry }) => {
      const { decision, call } = entry.event as unknown as { decision: { recourse: string }; call: string };
      return decision.recourse === "retry" && call.includes("/");
    });
    if (failed === undefined) return false;
    const { call } = failed.entry.event as unknown as { call: string };
    const later = story.written.filter(
      ({ order, entry }) => order > failed.order && (entry.event as { call?: string }).call === call,
    );
    const isOver = eventsOf(story, "turn-ended").some(({ entry }) => {
      const { turn, status } = entry.event as unknown as { turn: string; status: string };
      return status !== "waiting" && call.startsWith(`${turn}/`);
    });
    for (const written of later) story.written.splice(story.written.indexOf(written), 1);
    return isOver;
  },
  "no planted secret gets out": (story) => {
    const [secret] = story.world.secrets;
    if (secret !== undefined) story.shown.push(`here it is: ${secret}`);
    return secret !== undefined;
  },
  "every world ends": (story) => {
    const last = story.lives.at(-1);
    if (last === undefined || story.world.disk.brokenFrom !== null) return false;
    last.end = "stuck";
    return true;
  },
  "only the store ends a session early": (story) => {
    const [first] = story.lives;
    if (first === undefined || story.refusals > 0) return false;
    first.lostStore = true;
    return true;
  },
  "folding the journal from scratch gives the live state": (story) => {
    if (story.snapshot === null) return false;
    story.snapshot = { ...(story.snapshot as object), startedAt: 1 };
    return true;
  },
  "every decision can be made again from its entry": (story) => {
    const at = story.written.findIndex(({ entry: { event } }) => event.type === "call-failed");
    const written = story.written[at];
    if (written?.entry.event.type !== "call-failed" || written.entry.event.saw === undefined) return false;
    const event = { ...written.entry.event, saw: { ...written.entry.event.saw, attempt: 99, denied: RECOURSES } };
    story.written[at] = { ...written, entry: { ...written.entry, event } };
    return true;
  },
  "concurrency limits hold": (story) => {
    const run = story.runs.find(({ tool, at, deadlineAt }) => tool.target.maxConcurrent === 1 && at < deadlineAt);
    if (run === undefined) return false;
    run.ended = null;
    story.runs.push({ ...run, order: run.order + 0.5 });
    return true;
  },
};

/** For the one check that compares two worlds: the same story with another result. */
function otherTwin(story: Story): Story {
  const twin = copyOf(story);
  const result = story.kept.get("turn0");
  if (result === undefined) throw new Error("the story has no first turn");
  twin.kept.set("turn0", { ...result, status: result.status === "done" ? "partial" : "done" });
  return twin;
}

describe("a check of the simulation", () => {
  it.each(ALWAYS.map(({ property, broken }) => ({ property, broken })))(
    'complains about a story in which it is not true that "$property"',
    ({ property, broken }) => {
      const change = CHANGES[property];
      if (change === undefined) throw new Error(`no story breaks "${property}": add one`);
      const complaints = stories.flatMap((story) => {
        const copy = copyOf(story);
        const twin = change(copy) ? (copy.world.isPlain && copy.kept.has("turn0") ? otherTwin(copy) : null) : undefined;
        return twin === undefined ? [] : [broken(copy, twin)];
      });
      expect(complaints.length).toBeGreaterThan(0);
      expect(complaints.filter((complaint) => complaint !== null).length).toBeGreaterThan(complaints.length / 2);
    },
  );

  it("has nothing to say about true stories", () => {
    for (const story of stories) {
      for (const { broken } of ALWAYS) expect(broken(copyOf(story), null)).toBeNull();
    }
  });
});
