// The recipe page, followed step by step: its files, its command, and the output it promises.

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
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

function results(folder: string): readonly string[] {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const { stdout } = spawnSync(process.execPath, [vitest, "run", "--reporter=verbose", "--testTimeout=60000"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", VITEST: undefined },
  });
  return Array.from(
    stdout.matchAll(/^ ([✓×]) agent\.test\.ts > (survives [\w-]+)/gm),
    ([, mark, name]) => `${mark} ${name}`,
  );
}

it("shows what happens before and after the fix", () => {
  const [before, test, after] = FILES;
  expect([before?.name, test?.name, after?.name, FILES.length]).toEqual(["agent.ts", "agent.test.ts", "agent.ts", 3]);
  expect(PROMISED).toHaveLength(2);
  const folder = createProject([before, test].map((file) => [file?.name ?? "", file?.text ?? ""]));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(results(folder)).toEqual(PROMISED[0]);
  writeFileSync(join(folder, "agent.ts"), after?.text ?? "");
  expect(results(folder)).toEqual(PROMISED[1]);
});
