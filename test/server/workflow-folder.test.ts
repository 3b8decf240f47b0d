// `faultline serve --workflows <folder>`: what is in the folder can be started, also what is put there while the server runs.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { FolderReport } from "../../src/workflow/folder/workflow-folder.ts";
import { startServer } from "../../src/server/server.ts";
import { journalPath, startWorld } from "./world.ts";

const flow = (id: string): string =>
  `faultline: 1\nworkflow: { id: ${id}, version: "1" }\nnodes:\n  only: { type: transform, value: "1" }\n`;

it("starts runs of workflows in its folder, and of one that is added later", async () => {
  const journal = journalPath();
  const folder = join(dirname(journal), "workflows");
  mkdirSync(folder);
  writeFileSync(join(folder, "one.yaml"), flow("one"));
  const reports: FolderReport[] = [];
  const reloaded = Promise.withResolvers<undefined>();
  const { operator } = await startWorld({
    journal,
    workflowsFolder: folder,
    onReload: (report) => {
      reports.push(report);
      if (reports.length === 2) reloaded.resolve(undefined);
    },
  });
  expect((await operator.startRun({ body: { workflow: "one" } })).run).toMatch(/^run/);
  writeFileSync(join(folder, "two.yaml"), flow("two"));
  await reloaded.promise;
  expect(reports[1]?.changed).toEqual(["two.yaml"]);
  expect((await operator.listWorkflows({})).items.map(({ id, canStart }) => [id, canStart])).toEqual([
    ["one", true],
    ["two", true],
  ]);
  expect((await operator.startRun({ body: { workflow: "two" } })).run).toMatch(/^run/);
});

it("refuses to start on a folder that cannot be read", async () => {
  const journal = journalPath();
  const started = startServer({ journal, port: 0, workflowsFolder: join(dirname(journal), "nowhere") });
  await expect(started).rejects.toThrow("cannot be read");
});
