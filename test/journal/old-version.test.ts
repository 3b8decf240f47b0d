// A journal of the previous version: a turn with its result, and a run that waits at a gate. It opens, keeps both, and continues.

import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFaultline, openJournal, step, tool } from "../../src/index.ts";
import { createWorkflows, defineWorkflow, stage } from "../../src/workflow/index.ts";
import { SCHEMA_VERSION } from "../../src/journal/sqlite/schema.ts";
import { readAll } from "../../src/testing/journal-samples.ts";
import { tempFolder, type TempFolder } from "./temp-folder.ts";

const SQL = readFileSync(new URL("../fixtures/journal-version-3.sql", import.meta.url), "utf8");
let folder: TempFolder;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  path = folder.file("old.db");
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA auto_vacuum = INCREMENTAL; ${SQL}; PRAGMA journal_mode = WAL`);
  db.close();
});
afterEach(() => folder.remove());

const gated = defineWorkflow({
  id: "gated",
  stages: {
    ask: stage({
      act: async (_request, { ask }) => ask({ payload: { kind: "Confirm", prompt: "Go on?" }, timeoutMs: 3e12 }),
    }),
  },
});

it("is migrated with its runs and results, and both continue", async () => {
  const journal = await openJournal(path);
  expect(await journal.verify()).toEqual({ sessions: 2, entries: 20, firstBad: null });
  expect(await journal.keptByTime("wake", { order: "oldest", limit: 9 })).toMatchObject([
    { key: "run_old", at: 4794865033938 },
  ]);
  expect(await journal.keptByTime("run", { order: "newest", tags: ["status:paused"], limit: 9 })).toMatchObject([
    { key: "run_old" },
  ]);
  let paid = 0;
  const session = await createFaultline({ journal }).session("trip");
  const pay = tool({ id: "pay", run: () => ({ amount: ++paid }) });
  const again = await session.turn({ pay: step(pay, null) });
  expect(again.outcomes["pay"]).toMatchObject({ status: "done", value: { amount: 1003 } });
  expect(paid).toBe(0);
  await session.leave();
  const workflows = createWorkflows({ journal, workflows: [gated] });
  const [question] = await journal.keptByTime("question", { order: "oldest", tags: ["session:run_old"], limit: 1 });
  await workflows.runs.answer(question?.key ?? "", { status: "accepted", value: true });
  expect(await workflows.runs.advance("run_old")).toMatchObject({ status: "completed" });
  expect((await journal.verify()).firstBad).toBeNull();
  await workflows.close();
});

it("of the version before gets the tags that it did not have", async () => {
  const journal = await openJournal(path);
  const query = { order: "newest", tags: ["status:paused"], limit: 9 } as const;
  const tagged = await journal.keptByTime("run", query);
  expect(tagged).toHaveLength(1);
  await journal.close();
  const db = new DatabaseSync(path);
  db.exec(`DELETE FROM kept_tags; PRAGMA user_version = ${SCHEMA_VERSION - 1}`);
  db.close();
  const again = await openJournal(path);
  expect(await again.keptByTime("run", query)).toEqual(tagged);
  expect((await again.verify()).firstBad).toBeNull();
  await again.close();
});

it.each([{ readOnly: true }, {}])("still says who holds what, opened with %j", async (options) => {
  const db = new DatabaseSync(path);
  db.exec("INSERT INTO holds (key, owner, until) VALUES ('sweep', 'elsewhere', 9e12)");
  db.close();
  const journal = await openJournal(path, options);
  expect(await journal.holds()).toMatchObject([{ key: "sweep", owner: "elsewhere", until: 9e12 }]);
  await journal.close();
});

it("is read and verified without a migration", async () => {
  const db = new DatabaseSync(path);
  db.exec("INSERT INTO holds VALUES ('run_old', 'worker', 4_000_000_000_000)");
  db.close();
  const before = readFileSync(path);
  const journal = await openJournal(path, { readOnly: true });
  expect(await readAll(journal, "run_old")).toHaveLength(13);
  expect(await journal.holds()).toMatchObject([{ key: "run_old", owner: "worker", until: 4_000_000_000_000 }]);
  expect(await journal.kept("input", "run_old/inputs")).toEqual({});
  expect(await journal.keptByTime("run", { order: "newest", limit: 9 })).toMatchObject([{ key: "run_old" }]);
  expect(await journal.search("run_old gated", { limit: 9 })).toMatchObject([{ kind: "run", run: "run_old" }]);
  expect(await journal.verify()).toEqual({ sessions: 2, entries: 20, firstBad: null });
  await journal.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});
