// Lists of runs: every filter, by index and by search, and pages that miss nothing and repeat nothing.

import { describe, expect, it } from "vitest";
import { createMemoryJournal, type Journal } from "../../../src/index.ts";
import { heldRuns, listRuns, pageOfRuns } from "../../../src/workflow/report/list-runs.ts";
import type { RunsFilter, RunSummary } from "../../../src/workflow/runs-api.ts";
import type { RunsDeps } from "../../../src/workflow/runs-options.ts";

const depsOf = (journal: Journal): RunsDeps => ({ journal }) as unknown as RunsDeps;

function summary(run: string, startedAt: number, more: Partial<RunSummary> = {}): RunSummary {
  return {
    ...{ run, workflow: "team", version: "1", digest: "d", file: null, status: "completed", outcome: "" },
    ...{ nodes: [], target: null, code: null, questions: [], attempt: 0, of: 0, wakeAt: null, wait: null },
    ...{ startedAt, updatedAt: startedAt, endedAt: null, spentMicrocents: 0, predecessor: null, successor: null },
    limits: { maxParallel: 1, maxNodes: 1, timeoutMs: 1, maxCostMicrocents: 0, onExceed: "warn" },
    ...more,
  } as unknown as RunSummary;
}

/** A journal with these runs, each with a session of its own. */
async function journalWith(runs: readonly RunSummary[]): Promise<Journal> {
  const journal = createMemoryJournal();
  for (const run of runs) {
    const event = { type: "turn-started", turn: "t", deadlineAt: null } as const;
    await journal.append(run.run, 0, [{ at: run.startedAt, event }], []);
    await journal.keep([{ kind: "run", key: run.run, value: run }]);
  }
  return journal;
}

const RUNS: readonly RunSummary[] = [
  summary("r1", 10),
  summary("r2", 20, { status: "failed", code: "AuthFailed", target: "gpt", successor: "r4" }),
  summary("r3", 20, { status: "running", workflow: "other" }),
  summary("r4", 30, { status: "paused", code: "RateLimited", target: "gpt", predecessor: "r2" }),
  summary("r5", 40, { status: "cancelled", code: "AuthFailed" }),
];

describe.each([
  ["by index", {}],
  ["by search", { text: "r" }],
] as const)("a list of runs %s", (_how, base) => {
  it.each<[RunsFilter, readonly string[]]>([
    [{}, ["r5", "r4", "r3", "r2", "r1"]],
    [{ limit: 2 }, ["r5", "r4"]],
    [{ limit: 0 }, []],
    [{ workflow: "other" }, ["r3"]],
    [{ workflow: "none" }, []],
    [{ target: "gpt" }, ["r4", "r2"]],
    [{ code: "AuthFailed" }, ["r5", "r2"]],
    [{ cause: "rate-limited" }, ["r4"]],
    [{ cause: "rate-limited", code: "RateLimited" }, ["r4"]],
    [{ cause: "rate-limited", code: "AuthFailed" }, []],
    [{ status: "failed" }, ["r2"]],
    [{ isOpen: true }, ["r4", "r3"]],
    [{ isOpen: false }, ["r5", "r4", "r3", "r2", "r1"]],
    [{ isOpen: true, status: "paused" }, ["r4"]],
    [{ isOpen: true, status: "failed" }, []],
    [{ superseded: false }, ["r5", "r4", "r3", "r1"]],
    [{ superseded: true }, ["r5", "r4", "r3", "r2", "r1"]],
    [{ since: 20 }, ["r5", "r4", "r3", "r2"]],
    [{ since: 21 }, ["r5", "r4"]],
    [{ until: 20 }, ["r3", "r2", "r1"]],
    [{ until: 19 }, ["r1"]],
    [{ since: 20, until: 30, workflow: "team" }, ["r4", "r2"]],
    [{ code: "AuthFailed", isOpen: true }, []],
    [{ code: "AuthFailed", superseded: false, target: "gpt" }, []],
  ])("with %j has %j", async (filter, expected) => {
    const found = await listRuns(depsOf(await journalWith(RUNS)), { ...base, ...filter });
    expect(found.map(({ run }) => run)).toEqual(expected);
  });

  it.each([1, 2, 3, 4, 5, 6])("in pages of %i misses nothing and repeats nothing", async (limit) => {
    const deps = depsOf(await journalWith(RUNS));
    const pages: (readonly string[])[] = [];
    for (let after: RunsFilter["after"]; pages.length < 10;) {
      const page = await pageOfRuns(deps, { ...base, limit, ...(after === undefined ? {} : { after }) });
      pages.push(page.runs.map(({ run }) => run));
      if (page.next === null) break;
      after = page.next;
    }
    expect(pages.flat()).toEqual(["r5", "r4", "r3", "r2", "r1"]);
    expect(pages.map((page) => page.length)).toEqual(
      Array.from({ length: Math.ceil(5 / limit) }, (_one, page) => Math.min(limit, 5 - page * limit)),
    );
  });

  it("has only runs that fit what no filter names, and pages of these", async () => {
    const deps = depsOf(await journalWith(RUNS));
    const fits = ({ run }: RunSummary): boolean => run !== "r4" && run !== "r1";
    const first = await pageOfRuns(deps, { ...base, limit: 2 }, { fits });
    expect(first.runs.map(({ run }) => run)).toEqual(["r5", "r3"]);
    const second = await pageOfRuns(
      deps,
      { ...base, limit: 2, ...(first.next === null ? {} : { after: first.next }) },
      { fits },
    );
    expect([second.runs.map(({ run }) => run), second.next]).toEqual([["r2"], null]);
  });
});

describe("a list of many runs", () => {
  const many = Array.from({ length: 450 }, (_one, index) => summary(`r${String(index).padStart(4, "0")}`, index + 1));

  it("has all of them, however they are read", async () => {
    const deps = depsOf(await journalWith(many));
    expect(await listRuns(deps, {})).toHaveLength(450);
    expect((await pageOfRuns(deps, {})).runs).toHaveLength(200);
    expect(await listRuns(deps, { limit: 300 })).toHaveLength(300);
    const fits = ({ startedAt }: RunSummary): boolean => startedAt === 1;
    expect((await pageOfRuns(deps, { limit: 1 }, { fits })).runs.map(({ run }) => run)).toEqual(["r0000"]);
  });
});

describe("the questions of a listed run", () => {
  it("are those that were not answered; with the last one its time goes", async () => {
    const waiting = summary("r1", 10, { status: "paused", questions: ["q1", "q2"], wakeAt: 99 });
    const journal = await journalWith([waiting]);
    const shown = async (): Promise<unknown> => {
      const [run] = await listRuns(depsOf(journal), {});
      return [run?.questions, run?.wakeAt];
    };
    expect(await shown()).toEqual([["q1", "q2"], 99]);
    await journal.keepFirst({ kind: "answer", key: "q1", value: { answer: { status: "timeout" }, by: "ada" } });
    expect(await shown()).toEqual([["q2"], 99]);
    await journal.keepFirst({ kind: "answer", key: "q2", value: { answer: { status: "timeout" }, by: "ada" } });
    expect(await shown()).toEqual([[], null]);
  });
});

describe("the runs that a process advances now", () => {
  it("are those whose hold has not expired and whose process is not gone", async () => {
    const holds = [
      { key: "r1", owner: "here", until: 101 },
      { key: "r2", owner: "here", until: 100 },
      { key: "r3", owner: "dead", until: 101 },
    ];
    const deps = {
      ...{ journal: { holds: () => Promise.resolve(holds) }, clock: { now: () => 100 } },
      worker: { name: "here", isGone: (owner: string) => owner === "dead" },
    } as unknown as RunsDeps;
    expect(await heldRuns(deps)).toEqual(new Set(["r1"]));
  });
});
