// What commands about one run read from the journal: each entry once, and no list of runs to find one by its id.

import { describe, expect, it, vi } from "vitest";
import type { Journal } from "../../../src/journal/journal.ts";
import { gated, WorkflowWorld } from "../workflow-world.ts";

/** Of one command: how often it read each entry, as `run#seq`, and what it listed. */
const seen = vi.hoisted(() => ({ entries: new Map<string, number>(), lists: [] as string[] }));

vi.mock(import("../../../src/journal/open-journal.ts"), async (original) => {
  const { openJournal } = await original();
  return { openJournal: async (path, options) => counting(await openJournal(path, options)) };
});

function counting(journal: Journal): Journal {
  return {
    ...journal,
    async *read(session, after) {
      for await (const entry of journal.read(session, after)) {
        const key = `${session}#${entry.seq}`;
        seen.entries.set(key, (seen.entries.get(key) ?? 0) + 1);
        yield entry;
      }
    },
    keptAll: (kind, under) => {
      if (kind === "run") seen.lists.push("keptAll");
      return journal.keptAll(kind, under);
    },
    keptByTime: (kind, query) => {
      if (kind === "run") seen.lists.push(`keptByTime ${query.limit}`);
      return journal.keptByTime(kind, query);
    },
  };
}

async function readsOf(world: WorkflowWorld, args: readonly string[]): Promise<string> {
  seen.entries.clear();
  seen.lists.length = 0;
  const { exit } = await world.call(args);
  return exit;
}

const parked = async (): Promise<WorkflowWorld> => {
  const world = new WorkflowWorld(true);
  const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
  chaos.script([{ "fault": "quota-reset", "retry-after": 3600 }, "ok"]);
  expect(await readsOf(world, ["workflow", "run", file, "--run", "one"])).toBe("parked");
  return world;
};

const failed = async (): Promise<WorkflowWorld> => {
  const world = new WorkflowWorld(true);
  const { chaos, file } = await world.withModels(["write: { type: agent, agent: patient, prompt: Write. }"]);
  chaos.script(["bad-request", "ok"]);
  expect(await readsOf(world, ["workflow", "run", file, "--run", "one"])).toBe("failed");
  return world;
};

const waiting = (): Promise<WorkflowWorld> => gated("one");

const COMMANDS: readonly (readonly [string, () => Promise<WorkflowWorld>, string])[] = [
  ["runs show one", waiting, "ok"],
  ["runs show one", failed, "ok"],
  ["runs output one", waiting, "ok"],
  ["runs watch one", failed, "failed"],
  ["runs answer one yes", waiting, "ok"],
  ["runs answer one yes --no-wait", waiting, "ok"],
  ["runs retry one --now --detach", parked, "ok"],
  ["runs switch one", failed, "ok"],
  ["runs switch one --detach", failed, "ok"],
  ["runs cancel one", waiting, "ok"],
  ["workflow resume one", parked, "parked"],
  ["workflow resume one", waiting, "waiting"],
  ["workflow resume one --detach", waiting, "ok"],
];

describe("a command about one run", () => {
  it.each(COMMANDS)("reads no entry twice and lists no runs: %s", async (words, begin, exit) => {
    const world = await begin();
    expect(await readsOf(world, words.split(" "))).toBe(exit);
    const again = [...seen.entries].filter(([, times]) => times > 1);
    expect(again).toEqual([]);
    expect(seen.lists).toEqual([]);
  });

  it("reads an entry a second time only to write the files about a failed stage: runs retry one --now", async () => {
    const world = await parked();
    expect(await readsOf(world, ["runs", "retry", "one", "--now"])).toBe("ok");
    expect(Math.max(...seen.entries.values())).toBe(2);
    expect(seen.lists).toEqual([]);
  });

  it("finds the newest run by reading one line", async () => {
    const world = await waiting();
    await readsOf(world, ["runs", "show", "last"]);
    expect(seen.lists).toEqual(["keptByTime 1"]);
  });
});
