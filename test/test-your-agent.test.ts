// The recipe page, followed step by step: its files, its command, and the output it promises.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createProject } from "./support/project.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/TEST-YOUR-AGENT.md"), "utf8");

/** The files of the page in its order; a later one replaces an earlier one of the same name. */
const FILES = Array.from(PAGE.matchAll(/^`([\w.]+)`\n\n```ts\n([\s\S]*?)^```/gm), ([, name = "", text = ""]) => ({
  name,
  text,
}));
const PROMISED = Array.from(PAGE.matchAll(/^```text\n([\s\S]*?)^```/gm), ([, text = ""]) => text.trim().split("\n"));

/** The results in each folder of the project, from one start of the test runner. */
function results(project: string): Readonly<Record<string, readonly string[]>> {
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const { stdout } = spawnSync(process.execPath, [vitest, "run", "--reporter=verbose", "--testTimeout=60000"], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", VITEST: undefined },
  });
  const lines = Array.from(
    stdout.matchAll(/^ ([✓×]) (\w+)\/agent\.test\.ts > (survives [\w-]+)/gm),
    ([, mark, folder = "", name]) => [folder, `${mark} ${name}`] as const,
  );
  return Object.fromEntries(
    [...new Set(lines.map(([folder]) => folder))].map((folder) => [
      folder,
      lines.filter(([of]) => of === folder).map(([, line]) => line),
    ]),
  );
}

it("shows what happens before and after the fix", () => {
  const [before, test, after] = FILES;
  expect([before?.name, test?.name, after?.name, FILES.length]).toEqual(["agent.ts", "agent.test.ts", "agent.ts", 3]);
  expect(PROMISED).toHaveLength(2);
  const project = createProject([]);
  onTestFinished(() => rmSync(project, { recursive: true }));
  for (const [folder, agent] of Object.entries({ before, after })) {
    mkdirSync(join(project, folder));
    for (const file of [agent, test]) writeFileSync(join(project, folder, file?.name ?? ""), file?.text ?? "");
  }
  expect(results(project)).toEqual({ before: PROMISED[0], after: PROMISED[1] });
});
