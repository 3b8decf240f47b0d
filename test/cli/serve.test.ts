// What `faultline serve` prints.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { SERVE_WORDS } from "../../src/cli/render/words/serve-words.ts";
import { signInLines } from "../../src/cli/serve/run-serve.ts";
import { runCli } from "../support/run-cli.ts";

it.each([
  ["on a terminal", true, "https://x/#login=1", ["open https://x/#login=1"], 1],
  ["on a terminal, without a token to stand for", true, null, [], 1],
  ["into a log", false, "https://x/#login=1", [], 0],
])("a sign-in link is printed only to a terminal: %s", (_where, isTTY, link, expected, made) => {
  let links = 0;
  const signInLink = (): string | null => {
    links += 1;
    return link;
  };
  expect(signInLines({ signInLink }, { stdout: { isTTY } }, (shown) => `open ${shown}`)).toEqual(expected);
  expect(links).toBe(made);
});

it.each([["list"], ["remove", "ci"], ["add", "ci"]])(
  "a damaged file of tokens is named by `token %s`",
  async (...words) => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-tokens-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "tokens.json"), "{");
    const { exit, stderr } = await runCli(["token", ...words, "--journal", join(folder, "journal.db")]);
    expect([exit, stderr]).toEqual(["usage", expect.stringContaining("tokens.json is not a file of tokens")]);
  },
);

it.each([
  [["serve", "--journal", tmpdir()], `Cannot write the journal ${tmpdir()}: it is a folder. Name a file in it.`],
  [["policy", "check", "/dev/zero"], "Cannot read /dev/zero: it is longer than 64 MB."],
])("a path that is not a file ends with a sentence: %j", async (words, sentence) => {
  const { exit, stderr } = await runCli(words);
  expect([exit, stderr]).toEqual(["usage", expect.stringContaining(sentence)]);
});

it.each([
  ["usage", ["--host", "0.0.0.0"], "refusing to listen on 0.0.0.0"],
  ["usage", ["--public-url", "ftp://x"], "publicUrl"],
  ["usage", ["--workflows", "/nowhere/at/all"], "the folder /nowhere/at/all cannot be read"],
  ["usage", ["--notify-url", "https://example.com"], "FAULTLINE_WEBHOOK_SECRET"],
  ["usage", ["--driver", "restate://"], "restate://"],
  [
    "usage",
    ["--notify-command", "cat >> notices"],
    "there is no program cat >> notices. It takes one program without arguments",
  ],
  ["usage", ["--gateway", "none.yaml"], "There is no none.yaml. `faultline init gateway` writes"],
  ["config", ["--gateway", "bad.yaml"], "targets is missing"],
])("distinguishes wrong usage from a bad file: %s for %j", async (expected, words, sentence) => {
  const files = { "bad.yaml": "version: 1\nroutes: 7\n" };
  const { exit, stdout, stderr } = await runCli(["serve", "--port", "0", ...words], { files, isHere: true });
  expect([exit, stdout]).toEqual([expected, ""]);
  expect(stderr).toContain(sentence);
});

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const GATEWAY = `version: 1
targets: { a: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1" } }
routes: { team: { chain: [a/gpt-4o] } }
keys: { ci: { key_env: CI_KEY } }
`;

it("says that a gateway runs, and takes its file for no workflow", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "faultline-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "gateway.faultline.yaml"), GATEWAY);
  const words = [
    "serve",
    "--port",
    "0",
    "--journal",
    "j.db",
    "--workflows",
    ".",
    "--gateway",
    "gateway.faultline.yaml",
  ];
  const env = { ...process.env, CI_KEY: "ci-key-0123456789", NO_COLOR: "1" };
  const server = spawn(process.execPath, [MAIN, ...words], { cwd: folder, env });
  let told = "";
  const ended = once(server, "exit");
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (data: Buffer) => {
      told += String(data);
      if (told.includes("Ctrl-C stops.")) server.kill("SIGTERM");
    });
  }
  await ended;
  const url = /Listening on (\S+)/.exec(told)?.[1] ?? "";
  expect(told).toContain(`Gateway on ${url}\nTargets: a. Routes: team. Keys: 1.\n`);
  expect(told).not.toContain("has a mistake");
  expect(told).not.toContain("ci-key");
});

it.each(["en", "zh-CN"] as const)("says once who advances the runs (%s)", (locale) => {
  const { journal, onRestate } = SERVE_WORDS[locale];
  const advances = locale === "en" ? /advance/ : /推进/;
  expect(
    [journal("j.db", true), journal("j.db", false), onRestate("restate:8080")].every((line) => advances.test(line)),
  ).toBe(true);
  expect(journal("j.db", null)).not.toMatch(advances);
});
