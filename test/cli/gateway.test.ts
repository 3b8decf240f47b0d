// `faultline gateway` on files with and without mistakes.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../support/run-cli.ts";

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gateway.faultline.yaml");
  writeFileSync(file, text);
  return file;
}

const GOOD = `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1" } }\n`;

it("--check says that a file is good", async () => {
  const { exit, stdout } = await runCli(["gateway", "--check", "--config", fileWith(GOOD)], { isHere: true });
  expect(exit).not.toBe("config");
  expect(stdout).toContain("0 errors, 0 warnings");
});

it.each([["--check"], ["--port", "0"]])("without a file it says how to get one: %s", async (...words) => {
  const file = join(dirname(fileWith(GOOD)), "none.yaml");
  const { exit, stderr } = await runCli(["gateway", ...words, "--config", file], { isHere: true });
  expect(exit).toBe("usage");
  expect(stderr).toContain(`There is no ${file}. \`faultline init gateway\` writes a gateway.faultline.yaml`);
});

it.each([
  ["gateway", "--check", "--config"],
  ["gateway", "--port", "0", "--config"],
  ["serve", "--port", "0", "--gateway"],
])("each mistake is shown with its place, and nothing starts: %s %s", async (...words) => {
  const file = fileWith(`${GOOD}routes: { x: { chain: [b] }, y: { chain: [c/m] } }\n`);
  const { exit, stderr } = await runCli([...words, file], { isHere: true });
  expect(exit).toBe("config");
  expect(stderr).toContain("error[GW103]: there is no target `b`");
  expect(stderr).toContain(`${file}:3:24`);
  expect(stderr).toContain("error[GW103]: there is no target `c`");
  expect(stderr).toContain("= help: Known here: a.");
});

it.each([["gateway"], ["serve"]])(
  "%s refuses a file that is not a journal, and leaves it as it was",
  async (command) => {
    const config = fileWith(GOOD);
    const journal = join(dirname(config), "notes.db");
    writeFileSync(journal, "notes of another program");
    const named = command === "gateway" ? ["--config", config] : ["--gateway", config];
    const { exit, stdout, stderr } = await runCli([command, ...named, "--port", "0", "--journal", journal]);
    expect({ exit, stdout }).toEqual({ exit: "config", stdout: "" });
    expect(stderr).toContain(
      "notes.db is not a journal: it is not an SQLite file. It was not changed; name another file.",
    );
    expect(readFileSync(journal, "utf8")).toBe("notes of another program");
  },
);
