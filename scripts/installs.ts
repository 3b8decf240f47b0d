// `npm run test:installs`: what strangers have. Installs the packed package into projects with AI SDK 5, 6 and 7 and on Node 20, 22
// and 24, type-checks and runs them against the chaos provider; builds and starts an app of Next.js, and runs Jest; runs `faultline/core`
// in Deno, Bun and workerd. Needs the package registry; takes minutes.
// `-- --only ai@6` runs one part.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { build } from "esbuild";
import { startChaos } from "../src/chaos/start-chaos.ts";
import { pack, ROOT } from "../test/package/stranger.ts";

const only = process.argv[process.argv.indexOf("--only") + 1] ?? "";
const isWanted = (name: string): boolean => !process.argv.includes("--only") || name.startsWith(only);
const tarball = pack();
const failures: string[] = [];

/** Programs in the project use this Node. */
const ENV = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}` };

/** The package of OpenAI that belongs to each AI SDK, and the interface of its models. */
const SDKS = [
  { ai: "ai@5", openai: "@ai-sdk/openai@2", version: "v2" },
  { ai: "ai@6", openai: "@ai-sdk/openai@3", version: "v3" },
  { ai: "ai@7", openai: "@ai-sdk/openai@4", version: "v4" },
] as const;

const WITH_SDK = `
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import { createFaultline } from "faultline";

const openai = createOpenAI({ baseURL: process.argv[2] + "/v1", apiKey: "chaos" });
const fl = createFaultline();
const model = fl.model([openai.chat("overloaded"), openai.chat("gpt-5")]);
const { text } = await generateText({ model, prompt: "Say hello.", maxRetries: 0 });
const streamed = streamText({ model, prompt: "Say hello.", maxRetries: 0 });
let length = 0;
for await (const piece of streamed.textStream) length += piece.length;
await fl.close();
const version: string = model.specificationVersion;
if (text === "" || length === 0 || version !== process.argv[3]) throw new Error(JSON.stringify({ text, length, version }));
`;

/** Everything that `faultline/core` is for, in a runtime without Node's modules. */
const WITH_CORE = `
import { classify, decide, DEFAULT_POLICY, situation } from "faultline/core";
export function check() {
  const fault = classify({ surface: "http", status: 429, headers: [["retry-after", "7"]], message: "Too Many Requests" });
  const { recourse } = decide(situation(fault), DEFAULT_POLICY);
  if (fault.code !== "RateLimited" || fault.retryAfterMs !== 7000 || recourse !== "retry") throw new Error(fault.code + " " + recourse);
}
`;

const WORKERD_CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const worker :Workerd.Worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01");
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
`;

/** A route with a chain, a tool, a session in a journal and a workflow, so that everything that loads on first use is loaded. */
const NEXT_ROUTE = `
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { createFaultline, step, tool } from "faultline";
import { createWorkflows } from "faultline/workflow";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const dynamic = "force-dynamic";

const folder = mkdtempSync(join(tmpdir(), "faultline-next-"));
const fl = createFaultline({ journal: join(folder, "agent.db") });
const mail = { type: "object", properties: { mail: { type: "string", format: "email" } } } as const;
const book = tool({ id: "book", input: mail, run: () => 1 });
const WORKFLOW = \`
faultline: 1
workflow: { id: one, version: "1" }
nodes:
  see: { type: command, run: node --version, next: add }
  add: { type: transform, value: "1 + 1", next: { to: end, outcome: added } }
\`;

export async function GET(): Promise<Response> {
  const openai = createOpenAI({ baseURL: process.env["CHAOS_URL"] + "/v1", apiKey: "chaos" });
  const model = fl.model([openai.chat("overloaded"), openai.chat("gpt-5")]);
  const { text } = await generateText({ model, prompt: "Say hello.", maxRetries: 0 });
  const refused = await fl.protect(book, { mail: "no" });
  const session = await fl.session("s");
  const { status } = await session.turn({ one: step(book, { mail: "a@b.org" }) });
  const file = join(folder, "one.faultline.yaml");
  writeFileSync(file, WORKFLOW);
  const workflows = createWorkflows({});
  const { workflow } = await workflows.file(file);
  if (workflow === null) throw new Error("the workflow has a mistake");
  const { outcome } = await workflows.runs.advance(await workflows.runs.start(workflow));
  await workflows.close();
  return Response.json([text !== "", refused.status === "done" ? null : refused.fault?.code, status, outcome]);
}
`;

const NEXT_APP = {
  "package.json": '{ "type": "module", "private": true }',
  // Turbopack refuses optional packages that are not installed; docs/SERVERLESS.md and the guide about bundlers have this line.
  "next.config.mjs": 'export default { serverExternalPackages: ["faultline"] };',
  "app/layout.tsx":
    "export default function Layout({ children }: { children: React.ReactNode }) { return <html><body>{children}</body></html>; }",
  "app/try/route.ts": NEXT_ROUTE,
};

const JEST_TEST = `
import { chaosMatchers, withChaos } from "faultline/testing";
expect.extend(chaosMatchers);

async function ask(url) {
  const request = { model: "gpt-5", messages: [{ role: "user", content: "hi" }] };
  for (let attempt = 1; attempt <= 3; attempt++) {
    const headers = { "content-type": "application/json", "authorization": "Bearer chaos" };
    const response = await fetch(url + "/chat/completions", { method: "POST", headers, body: JSON.stringify(request) });
    if (response.ok) return (await response.json()).choices[0].message.content;
  }
  throw new Error("three failures");
}

test("a fault that was met and survived", async () => {
  const run = await withChaos(["rate-limit"], ({ openaiUrl }) => ask(openaiUrl));
  expect(run.value).toContain("You said");
  expect(run).toHaveSurvived("rate-limit");
});

test("a fault that was not met", async () => {
  const run = await withChaos([], ({ openaiUrl }) => ask(openaiUrl));
  expect(run).not.toHaveSurvived("rate-limit");
  expect(() => expect(run).toHaveSurvived("rate-limit")).toThrow(/rate-limit/);
});
`;

for (const { ai, openai, version } of SDKS) await part(ai, () => trySdk(ai, openai, version));
for (const node of ["node@20", "node@22", "node@24"]) await part(node, () => tryNode(node));
await part("next", tryNext);
await part("jest", tryJest);
for (const runtime of ["deno", "bun"]) await part(runtime, () => tryRuntime(runtime));
await part("workerd", tryWorkerd);

process.stdout.write(
  failures.length === 0 ? "every install works\n" : `${failures.length} failed: ${failures.join(", ")}\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

async function part(name: string, run: () => Promise<string> | string): Promise<void> {
  if (!isWanted(name)) return;
  const startedAt = performance.now();
  const problem = await run();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  if (problem !== "") failures.push(name);
  process.stdout.write(`${problem === "" ? "✓" : "✗"} ${name} (${seconds} s)\n${problem === "" ? "" : `${problem}\n`}`);
}

function project(
  files: Readonly<Record<string, string>>,
  ...packages: readonly string[]
): { folder: string; problem: string } {
  const folder = mkdtempSync(join(tmpdir(), "faultline-install-"));
  for (const [name, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files }))
    writeInto(folder, name, text);
  const flags = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
  return { folder, problem: problemOf("npm", [...flags, tarball, ...packages], folder) };
}

function writeInto(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** Empty when the command succeeds. */
function problemOf(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  return status === 0 ? "" : `${command} ${args.join(" ")}\n${error?.message ?? ""}${stdout}${stderr}`;
}

async function trySdk(ai: string, openai: string, version: string): Promise<string> {
  const { folder, problem } = project({ "program.ts": WITH_SDK }, ai, openai, "zod@4", "@types/node@24");
  if (problem !== "") return problem;
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const flags = [
    "--noEmit",
    "--strict",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--skipLibCheck",
    "--types",
    "node",
  ];
  const untyped = problemOf(process.execPath, [tsc, ...flags, "program.ts"], folder);
  if (untyped !== "") return untyped;
  const chaos = await startChaos();
  try {
    // In a process of its own, so that this one can answer.
    const child = spawn(process.execPath, ["program.ts", chaos.url, version], { cwd: folder, stdio: "pipe" });
    const said: Buffer[] = [];
    child.stderr.on("data", (bytes: Buffer) => said.push(bytes));
    const code = await new Promise((resolve) => child.on("close", resolve));
    return code === 0 ? "" : Buffer.concat(said).toString();
  } finally {
    await chaos.close();
  }
}

/** Builds the app, starts it, and asks its route once. */
async function tryNext(): Promise<string> {
  const types = ["typescript@5", "@types/node@24", "@types/react@19"];
  const { folder, problem } = project(
    NEXT_APP,
    "next@16",
    "react@19",
    "react-dom@19",
    "ai@7",
    "@ai-sdk/openai@4",
    ...types,
  );
  if (problem !== "") return problem;
  const next = join(folder, "node_modules", "next", "dist", "bin", "next");
  const quiet = { ...ENV, NEXT_TELEMETRY_DISABLED: "1" };
  const unbuilt = problemOf(process.execPath, [next, "build"], folder, quiet);
  if (unbuilt !== "") return unbuilt;
  const chaos = await startChaos();
  const app = spawn(process.execPath, [next, "start", "--port", "0"], {
    cwd: folder,
    env: { ...quiet, CHAOS_URL: chaos.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await addressIn(app.stdout);
    const said = await (await fetch(`${url}/try`)).text();
    return said === '[true,"InputInvalid","done","added"]' ? "" : said;
  } finally {
    app.kill();
    await chaos.close();
  }
}

/** The address that a server prints; rejects if it ends without one. */
async function addressIn(output: AsyncIterable<Buffer>): Promise<string> {
  let said = "";
  for await (const piece of output) {
    said += piece.toString();
    const [address] = /http:\/\/localhost:[1-9]\d*/.exec(said) ?? [];
    if (address !== undefined && said.includes("Ready")) return address;
  }
  throw new Error(`it ended without an address: ${said}`);
}

/** As modules, which Jest runs with a flag of Node. */
function tryJest(): string {
  const { folder, problem } = project(
    { "agent.test.js": JEST_TEST, "jest.config.js": "export default { transform: {} };" },
    "jest@30",
  );
  if (problem !== "") return problem;
  const jest = join(folder, "node_modules", "jest", "bin", "jest.js");
  return problemOf(process.execPath, ["--experimental-vm-modules", jest], folder, ENV);
}

/** The tests about versions of Node, with this one. */
function tryNode(node: string): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-node-"));
  writeFileSync(join(folder, "package.json"), "{}");
  const missing = problemOf("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", node], folder);
  if (missing !== "") return missing;
  const program = join(folder, "node_modules", "node", "bin", "node");
  const env = { ...process.env, FAULTLINE_TEST_NODES: [program].join(delimiter) };
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  return problemOf(process.execPath, [vitest, "run", "test/package/nodes.test.ts"], ROOT, env);
}

function tryRuntime(runtime: string): string {
  const { folder, problem } = project({ "program.mjs": `${WITH_CORE}check();` }, runtime);
  return problem === ""
    ? problemOf(join(folder, "node_modules", ".bin", runtime), ["run", "program.mjs"], folder)
    : problem;
}

/** `workerd test` calls the worker's `test()`. */
async function tryWorkerd(): Promise<string> {
  const worker = `${WITH_CORE}export default { test: check };`.replace("export function", "function");
  const { folder, problem } = project({ "program.mjs": worker, "config.capnp": WORKERD_CONFIG }, "workerd");
  if (problem !== "") return problem;
  await build({
    ...{ absWorkingDir: folder, entryPoints: ["program.mjs"], outfile: join(folder, "worker.js") },
    ...{ bundle: true, format: "esm", platform: "browser" },
  });
  return problemOf(join(folder, "node_modules", ".bin", "workerd"), ["test", "config.capnp"], folder);
}
