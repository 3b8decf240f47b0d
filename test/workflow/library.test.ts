// Which workflows a process keeps in memory: all that its program defined, and the last fifty that were made of texts.

import { describe, expect, it } from "vitest";
import { createMemoryJournal } from "../../src/index.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { type RunsDeps, resolveRunsOptions } from "../../src/workflow/runs-options.ts";
import type { Workflow, WorkflowSource } from "../../src/workflow-model/stage.ts";
import { thrown } from "../support/engine-world.ts";

const named = (id: string): Workflow => defineWorkflow({ id, stages: { a: stage({ act: () => null }) } });

const textual = (number: number, file = "/srv/flow.yaml"): Workflow => ({
  ...named(`flow-${number}`),
  digest: `digest-${number}`,
  source: { file, text: String(number), files: {} },
});

interface Library {
  readonly library: RunsDeps["library"];
  readonly find: (number: number, file?: string | null) => Promise<string | undefined>;
  /** The texts that were made into workflows again. */
  readonly loaded: string[];
}

async function libraryOf(workflows: readonly Workflow[], texts: number): Promise<Library> {
  const [clock, chance] = [createFakeClock(0), createSeededChance(1)];
  const journal = createMemoryJournal({ clock, chance });
  for (let number = 0; number < texts; number += 1)
    await journal.keep([{ kind: "definition", key: `digest-${number}`, value: textual(number).source }]);
  const loaded: string[] = [];
  const load = (source: WorkflowSource): Promise<Workflow> => {
    loaded.push(source.text);
    return Promise.resolve(textual(Number(source.text), source.file));
  };
  const { library } = resolveRunsOptions({ workflows, load, journal, clock, chance });
  const find: Library["find"] = async (number, file = "/srv/flow.yaml") =>
    (await library.find({ workflow: `flow-${number}`, digest: `digest-${number}`, file }))?.source?.file;
  return { library, find, loaded };
}

describe("the workflows in memory", () => {
  it("are at most fifty that were made of texts; the oldest is made again when it is needed", async () => {
    const { find, loaded } = await libraryOf([], 51);
    for (let number = 0; number < 50; number += 1) await find(number);
    for (let number = 0; number < 50; number += 1) await find(number);
    expect(loaded).toHaveLength(50);
    await find(50);
    expect(loaded).toHaveLength(51);
    for (let number = 1; number <= 50; number += 1) await find(number);
    expect(loaded).toHaveLength(51);
    await find(0);
    expect(loaded.slice(51)).toEqual(["0"]);
  });

  it("are apart for each folder that a text lies in", async () => {
    const { find, loaded } = await libraryOf([], 1);
    expect([await find(0, "/a.yaml"), await find(0, "/b.yaml"), await find(0, "/a.yaml")]).toEqual([
      "/a.yaml",
      "/b.yaml",
      "/a.yaml",
    ]);
    expect(loaded).toEqual(["0", "0"]);
    // Without a folder of its own, a run uses the one that the text was kept with.
    expect(await find(0, null)).toBe("/srv/flow.yaml");
  });

  it("are all that the program defined, however many there are", async () => {
    const own = Array.from({ length: 60 }, (_one, number) => named(`own-${number}`));
    const { library, find } = await libraryOf(own, 60);
    for (let number = 0; number < 60; number += 1) await find(number);
    for (const workflow of own)
      expect(await library.get({ workflow: workflow.id, digest: workflow.digest, file: null })).toBe(workflow);
  });

  it("do not include one that is neither known nor kept", async () => {
    const { library } = await libraryOf([], 0);
    const sought = { workflow: "gone", digest: "digest-0", file: null };
    expect(await library.find(sought)).toBeNull();
    expect(await library.findReadable(sought)).toBeNull();
    await expect(library.get(sought)).rejects.toMatchObject({ fault: { code: "ResumeMismatch" } });
  });

  it.each([
    [thrown("ResumeMismatch"), true],
    [new TypeError("a defect"), false],
  ])("do not include one whose text this program cannot read (%s)", async (error, isFault) => {
    const clock = createFakeClock(0);
    const journal = createMemoryJournal({ clock });
    await journal.keep([{ kind: "definition", key: "digest-0", value: textual(0).source }]);
    const { library } = resolveRunsOptions({ journal, clock, load: () => Promise.reject(error) });
    const sought = { workflow: "flow-0", digest: "digest-0", file: null };
    await expect(library.find(sought)).rejects.toBe(error);
    if (isFault) expect(await library.findReadable(sought)).toBeNull();
    else await expect(library.findReadable(sought)).rejects.toBe(error);
  });
});
