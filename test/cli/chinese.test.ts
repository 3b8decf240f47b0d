// Every command in Chinese: its help, what it says when it works, and what it says when it does not. Names, codes and data stay as they are;
// no English words of Faultline's own are left.

import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { pathOf } from "../../src/cli/render/help.ts";
import { usageInWords } from "../../src/cli/render/words/usage-words.ts";
import { chineseFlaws } from "../support/chinese-flaws.ts";
import { englishIn } from "../support/english-in.ts";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";
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
  "good.gateway.yaml":
    "version: 1\ntargets: { a: { dialect: openai, base_url: http://127.0.0.1:1/v1 } }\nroutes: { r: { chain: [a/m] } }\n",
  "asserts.faultline.yaml":
    "faultline: 1\nworkflow: { id: asserts, version: '1', name: 流程 }\nnodes:\n  check: { type: transform, value: 'inputs.none.x' }\n",
  "denied.faultline.yaml":
    "faultline: 1\nworkflow: { id: denied, version: '1', name: 流程 }\nnodes:\n  try: { type: command, allow: [npm test], run: git push }\n",
  "late.faultline.yaml":
    "faultline: 1\nworkflow: { id: late, version: '1', name: 流程 }\nnodes:\n  try: { type: command, run: sleep 5, timeout: 200ms }\n",
  "keyless.faultline.yaml":
    "faultline: 1\nworkflow: { id: keyless, version: '1', name: 流程 }\nagents: { a: { model: openai/gpt-5.5 } }\nnodes:\n  ask: { type: agent, agent: a, prompt: 你好 }\n",
  "takes.faultline.yaml":
    "faultline: 1\nworkflow: { id: takes, version: '1', name: 流程 }\ninputs: { version: { type: integer } }\nnodes:\n  try: { type: transform, value: '1' }\n",
  "passes.faultline.yaml":
    "faultline: 1\nworkflow: { id: passes, version: '1', name: 流程 }\nnodes:\n  try: { type: transform, value: '1' }\n",
  "torn.db": "SQLite format 3\u0000and nothing more",
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
! journal copy agent.db agent.db
! journal copy agent.db postgres://127.0.0.1:1/none
! journal verify good.policy.yaml
! journal verify torn.db
! journal verify other-program.db
! journal verify postgres://127.0.0.1:1/none
! journal verify postgres://
! journal sessions postgres://127.0.0.1:1/none?schemaa=x
! journal sessions postgres://127.0.0.1:1/none?schema=A-B
! journal import new.db trip.jsonl
! journal import new.db inputs.json --adopt
! journal import agent.db inputs.json
! journal prune agent.db
! doctor --journal good.policy.yaml --timeout 1
! run -- false
! run --retry 2 --idempotent -- false
! run --journal run.db -- false
journal sessions run.db
! run --timeout 200ms -- sleep 5
! run -- ./good.policy.yaml
! run -- sh -c "kill -9 $$"
! run -- no-such-program
! run --retry 0 -- true
! run --fallback "it's" -- true
! run --frobnicate true
doctor --timeout 1
! doctor nothing
! chaos --port 99999
! chaos --port USED
! chaos --port 0 --host 203.0.113.7
! chaos --scenario missing.yaml
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
! workflow run passes.faultline.yaml --input versoin=2
! workflow run takes.faultline.yaml --input versoin=2
! workflow run takes.faultline.yaml --input other=2
! workflow run takes.faultline.yaml
! workflow run takes.faultline.yaml --input version=x
! workflow run fails.faultline.yaml
report last
! workflow resume nothing
runs list
runs list --status failed
runs show last
! runs show nothing
! runs output last nothing
! runs answer nothing yes
! runs do last frobnicate
! runs export last --format bundle
! runs watch nothing
! runs cancel nothing
! runs continue last --text more
! runs do last raise-limit --max-cost-usd 0
! report nothing
report last
! workflow run asserts.faultline.yaml
runs show last
journal show .faultline/journal.db LAST
explain LAST
! runs do last raise-limit --max-nodes 5
! runs do last grant-and-retry
! workflow run denied.faultline.yaml
runs show last
! runs do last grant-and-retry --tool x
! workflow run late.faultline.yaml
runs show last
! workflow run keyless.faultline.yaml
runs show last
workflow run passes.faultline.yaml
runs show last
! runs retry last
! runs switch last
! runs answer last yes
! runs cancel last
! workflow run passes.faultline.yaml --run LAST
config --show-origin
token add watcher
! token add watcher
token list
! token remove nothing
! serve --port 99999
! serve --port USED
! serve --host 0.0.0.0
! serve --public-url ftp://example.com
! serve --public-url https://example.com/x --behind-tls-proxy
! serve --workflows missing-folder --port 0
! serve --driver foo://x
! serve --gateway missing.yaml --port 0
! serve --gateway bad.gateway.yaml --port 0
! serve --journal good.policy.yaml --port 0
! serve --journal postgres://127.0.0.1:1/none --port 0
! serve --notify-url https://hooks.example.com/x
! gateway --config bad.gateway.yaml --check
! gateway --config missing.yaml
! gateway --config good.gateway.yaml --port USED
! gateway --config good.gateway.yaml --port 0 --host 0.0.0.0
! gateway --config good.gateway.yaml --port 0 --journal good.policy.yaml
! gateway --config good.gateway.yaml --port 0 --journal postgres://127.0.0.1:1/none
! worker --listen x
! worker --driver foo://x
! worker --driver restate://127.0.0.1:1
! worker --driver restate://127.0.0.1:1?frob=1
! worker --workflows missing-folder
! drill --only nothing -- true
! drill -- no-such-program
! completion bsh
! frobnicate
--help
`
  .trim()
  .split("\n");

const ENV = { NO_COLOR: "1", LANG: "zh_CN.UTF-8", OPENAI_API_KEY: "" };
const NO_IO = {
  stdout: { write: () => Promise.resolve() },
  stderr: { write: () => Promise.resolve() },
  env: {},
} as never;

function commandsUnder(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsUnder)];
}

let folder = "";
/** In the order of the commands. */
const outputs: Run[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "faultline-chinese-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  await writeTrip(join(folder, "agent.db"));
  new DatabaseSync(join(folder, "other-program.db")).exec("CREATE TABLE mine (a)");
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const used = String((listening.address() as AddressInfo).port);
  for (const line of COMMANDS) {
    const last = line.includes("LAST") ? await lastRun() : "";
    const words = Array.from(line.replace(/^! /, "").matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) =>
      (quoted ?? word ?? "").replace("USED", used).replace("LAST", last),
    );
    outputs.push(await runCli(words, { folder, env: ENV, isHere: true }));
  }
  listening.close();
}, 300_000);

/** The id of the newest run. */
async function lastRun(): Promise<string> {
  const listed = jsonOf(await runCli(["runs", "list", "--limit", "1", "--json"], { folder }));
  return (listed as readonly { readonly run: string }[])[0]?.run ?? "";
}

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
  // What others said, as the journal keeps it.
  /no such city|no forecast|Rate limit reached for [^\n]*/g,
  // What the system said.
  /listen E[A-Z]+: [^\n]*|fetch failed/g,
  // The stack of what was thrown.
  /^ +at .*$/gm,
];

it.each(COMMANDS.map((line, index) => ({ line, index })))("$line", ({ line, index }) => {
  const { stdout = "", stderr = "", exit = "did not run" } = outputs[index] ?? {};
  const text = `${stdout}${stderr}`;
  expect(exit === "ok", text).toBe(!line.startsWith("! "));
  const own = DATA.reduce<string>((rest, data) => rest.replaceAll(data, " • "), text);
  expect(englishIn(own)).toEqual([]);
  // The name of the sample workflow is Chinese.
  expect(chineseFlaws(text.replaceAll("流程", "x"))).toEqual([]);
});

describe("the help of every command", () => {
  it.each(commandsUnder(createProgram([], "0.0.0", NO_IO)).map((command) => pathOf(command)))("%s", async (path) => {
    const { stdout } = await runCli([...path.split(" ").slice(1), "--help"], { env: ENV });
    expect(chineseFlaws(stdout)).toEqual([]);
  });
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
