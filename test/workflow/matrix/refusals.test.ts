// Cases that are refused before anything happens: no run starts, and no question is asked.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { classify } from "../../../src/core/classify/classify.ts";
import { type Refusal, REFUSALS } from "./rows/refusals.ts";
import { type MatrixWorld, openWorld } from "./world.ts";

interface Refused {
  readonly with: readonly string[];
  readonly says: string;
}

const WAYS: Readonly<Record<Refusal["refusedAt"], (world: MatrixWorld, row: Refusal) => Promise<Refused>>> = {
  "reading the file": ({ life: { workflow, diagnostics } }) => {
    expect(workflow).toBeNull();
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return Promise.resolve({ with: errors.map(({ code }) => code), says: textOf(errors) });
  },
  "starting the run": (world, { inputs = {} }) => refused(world, start(world, inputs)),
  "resuming the run": async (world, { file, changedTo = {} }) => {
    const run = await world.run(start(world, {}));
    const path = join(world.folder, file);
    const changed = Object.entries(changedTo).reduce(
      (text, [from, to]) => text.replace(from, to),
      readFileSync(path, "utf8"),
    );
    writeFileSync(path, changed);
    const { workflows, workflow } = await world.nextLife();
    return refused(world, workflows.runs.resume(run, workflow));
  },
};

function start(
  { life: { workflows, workflow } }: MatrixWorld,
  inputs: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (workflow === null) throw new Error("the file was not to be refused");
  return workflows.runs.start(workflow, { inputs });
}

function refused(world: MatrixWorld, work: Promise<unknown>): Promise<Refused> {
  const seen = work.then(
    () => ({ with: [], says: "" }),
    (error: unknown) => {
      const { class: faultClass, code, message } = classify({ surface: "node", error });
      return { with: [`${faultClass}/${code}`], says: message };
    },
  );
  return world.run(seen);
}

function textOf(diagnostics: readonly { readonly message: string; readonly help: string }[]): string {
  return diagnostics.map(({ message, help }) => `${message} ${help}`).join("\n");
}

describe("refused before anything happens", () => {
  it.each(REFUSALS.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const world = await openWorld(row);
    const seen = await WAYS[row.refusedAt](world, row);
    expect(seen.with).toEqual(row.with);
    expect(seen.says).toContain(row.says);
    const runs = await world.run(world.life.workflows.runs.list());
    expect(runs.map(({ status }) => status)).toEqual(row.refusedAt === "resuming the run" ? ["running"] : []);
    expect(world.chaos.received()).toEqual([]);
  });
});
