// Every command in Chinese: its help, what it says when it works, and what it says when it does not. Names, codes and data stay as they are;
// no English words of Faultline's own are left.

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usageInWords } from "../../src/cli/render/words/usage-words.ts";
import { englishIn } from "../support/english-in.ts";
import { type Run, runCli } from "../support/run-cli.ts";
import { GATED } from "./workflow-world.ts";
import { writeTrip } from "./journals.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const FILES = {
  "good.policy.yaml":
    "version: 1\nrows:\n  - match: { code: RateLimited }\n    retry: none\n    then: [fallback, fail]\n",
  "bad.policy.yaml": "version: 1\nrows:\n  - match: { code: RateLimted }\n    retri: none\n",
  "warned.policy.yaml":
    "version: 1\nrows:\n  - match: {}\n    retry: none\n    then: [fail]\n  - match: { code: Forbidden }\n    retry: none\n    then: [fail]\n",
  "good.tools.yaml": "tool: { id: search, idempotent: true }\n",
  "bad.tools.yaml": "tools:\n  - { id: a, alternatives: [a], timeout_ms: soon }\n  - { id: a }\n",
  "bad.workflow.yaml":
    "faultline: 1\nworkflow: { id: flow, version: '1' }\nnodes: { a: { type: transform, value: '1 +', next: b } }\n",
  "fails.faultline.yaml":
    "faultline: 1\nworkflow: { id: fails, version: '1', name: 流程 }\nnodes:\n  try: { type: command, run: 'node -e \"process.exit(1)\"' }\n",
  "gated.faultline.yaml": GATED,
  "bad.gateway.yaml":
    "version: 1\ntargets: { a: { dialect: openai, base_url: x, api_key_env: NOPE } }\nroutes: { r: { chain: [b] } }\n",
  "bad.scenario.yaml": "rules:\n  - { when: { request: 4-2 }, repeat: true }\n",
  "inputs.json": "5",
} as const;

/** Commands in the order in which a person might type them. A `!` marks those that must fail. */
const COMMANDS = `
classify 429
! classify
! classify --status 9
! classify --header x boom
! classify --jsonl inputs.json
explain RateLimited
explain --list
! explain RateLimted
! explain run_5f2c1b/coder#1.1
policy check good.policy.yaml
policy check warned.policy.yaml
! policy check bad.policy.yaml
! policy check missing.yaml
policy show
policy show --policy good.policy.yaml
! policy show --policy bad.policy.yaml
policy simulate RateLimited
! policy simulate RateLimted
policy replay --preset eager --journal agent.db
! policy replay
tools check good.tools.yaml
! tools check bad.tools.yaml
journal sessions agent.db
journal show agent.db trip-42
! journal show agent.db nothing
journal verify agent.db
! journal verify missing.db
journal questions agent.db
journal export agent.db trip-42 --out trip.jsonl
! journal export agent.db trip-42 --out trip.jsonl
! journal import agent.db missing.jsonl
! journal answer agent.db q_none yes
journal prune agent.db --older-than 9999d --dry-run
journal copy agent.db copy.db
! journal copy missing.db other.db
! run -- no-such-program
! run --retry 0 -- true
! run --fallback "it's" -- true
! run --frobnicate true
doctor --timeout 1
! doctor nothing
! chaos --port 99999
! chaos --scenario bad.scenario.yaml
chaos --list
init team made
! init team made --with models
! init nothing
! workflow check bad.workflow.yaml
workflow check gated.faultline.yaml
! workflow run bad.workflow.yaml
! workflow run fails.faultline.yaml
! workflow run gated.faultline.yaml
! workflow run gated.faultline.yaml --inputs inputs.json
! workflow run gated.faultline.yaml --input x
! workflow resume nothing
runs list
runs list --status failed
runs show last
! runs show nothing
! runs output last nothing
! runs answer nothing yes
! runs act last frobnicate
! runs export last --format bundle
report last
config --show-origin
token list
! token remove nothing
! serve --port 99999
! serve --notify-url https://hooks.example.com/x
! gateway --config bad.gateway.yaml --check
! gateway --config missing.yaml
! worker --listen x
! drill --only nothing -- true
! completion bsh
! frobnicate
--help
`
  .trim()
  .split("\n");

let folder = "";
const outputs = new Map<string, Run>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "faultline-chinese-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  await writeTrip(join(folder, "agent.db"));
  for (const line of COMMANDS) {
    const words = Array.from(
      line.replace(/^! /, "").matchAll(/"([^"]*)"|(\S+)/g),
      ([, quoted, word]) => quoted ?? word,
    );
    outputs.set(
      line,
      await runCli(words as readonly string[], { folder, env: { NO_COLOR: "1", LANG: "zh_CN.UTF-8" } }),
    );
  }
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Output that is not Faultline's own text. */
const DATA: readonly RegExp[] = [
  // Commands to type.
  /\bfaultline (?:[a-z]+ ?)+/g,
  /\bnpm install [\w@/-]+|^ *cd made$/gm,
  // Words of the policy file.
  /\bsurface (?:cli|tool)\b/g,
  // The name of the workflow.
  /Ship a page/g,
  // What the journal keeps of each failure, as it was reported.
  /no such city|needs hotels, which was skipped|no forecast|Rate limit reached for [^\n]*|book did not answer within [^\n]*/g,
  /the command could not be started [^\n]*/g,
];

it.each(COMMANDS)("%s", (line) => {
  const { stdout = "", stderr = "", exit = "did not run" } = outputs.get(line) ?? {};
  const text = `${stdout}${stderr}`;
  expect(exit === "ok", text).toBe(!line.startsWith("! "));
  const own = DATA.reduce<string>((rest, data) => rest.replaceAll(data, " • "), text);
  expect(englishIn(own)).toEqual([]);
});

describe("words that commands say without a table", () => {
  it("are none: sentences of usage errors come in both languages", () => {
    const english = globSync("src/cli/**/*.ts", { cwd: ROOT }).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), "utf8");
      return Array.from(source.matchAll(/new UsageError\(\s*["`]([A-Za-z][^"`]*)/g), ([, said]) => `${file}: ${said}`);
    });
    expect(english).toEqual([]);
  });

  it("are none: what an option demands is translated", () => {
    const demands = globSync("src/cli/**/*.ts", { cwd: ROOT }).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), "utf8");
      return Array.from(source.matchAll(/InvalidArgumentError\(\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)/g), ([, a, b, c]) =>
        (a ?? b ?? c ?? "").replace(/\$\{\w+\}/, "9"),
      );
    });
    expect(demands.length).toBeGreaterThan(8);
    for (const demand of demands) expect(englishIn(usageInWords(demand, "zh-CN")), demand).toEqual([]);
  });
});
