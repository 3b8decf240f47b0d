// A reader's project: Faultline installed, agent CLIs that answer, a model provider, and the files that the pages talk about. Addresses
// and ports of the pages become those of servers of this test.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { startChaos, type Chaos } from "../../src/testing/index.ts";
import { createFaultline, tool } from "../../src/index.ts";
import { createProject } from "../support/project.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { ROOT, type Snippet, SNIPPETS } from "./pages.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ReaderWorld {
  readonly folder: string;
  readonly chaos: Chaos;
  readonly env: NodeJS.ProcessEnv;
  /** A new folder of the project, with all its files. */
  newFolder(name: string): string;
  /** A snippet's text with the addresses of this test. */
  here(text: string, ports?: Readonly<Record<string, number>>): string;
  run(program: string, args: readonly string[], cwd: string, more?: RunMore): Promise<Ran>;
  close(): Promise<void>;
}

interface RunMore {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The keys that the pages name. */
const KEYS = [
  ...["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "CI_GATEWAY_KEY", "EAST_KEY", "WEST_KEY"],
  ...["LITELLM_KEY", "SECOND_OPENAI_KEY", "OPENROUTER_KEY", "DB_PASSWORD"],
];

/** Leaves a journal behind with a run that waits for a person. */
const TEAM_RUN =
  "faultline init team && { faultline workflow run team.faultline.yaml --input task=slugify || [ $? = 4 ]; }";

/** The reviewer of docs/WORKFLOW-FILE.md approves. */
const SCENARIO = { rules: [{ when: { model: "gpt-5.5" }, json: { decision: "approve", must_fix: [] } }] };

export async function startReaderWorld(): Promise<ReaderWorld> {
  const folder = createProject([]);
  const chaos = await startChaos({ scenario: SCENARIO });
  const elsewhere = await startElsewhere();
  const postgres = await freshJournalUrl();
  const programs = join(folder, "programs");
  cpSync(join(ROOT, "test/doc-snippets/programs"), programs, { recursive: true });
  // MCP servers get a small environment, so this program cannot find its parts there.
  const fileServer = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "test/fixtures/mcp-file-server.mjs")}"\n`;
  writeFileSync(join(programs, "my-file-server"), fileServer, { mode: 0o755 });
  const env: NodeJS.ProcessEnv = {
    ...withoutOwn(process.env),
    PATH: [programs, join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    NO_COLOR: "1",
    NODE: process.execPath,
    MAIN: join(ROOT, "dist/cli/main.js"),
    ELSEWHERE: elsewhere.url,
    OPENAI_BASE_URL: chaos.openaiUrl,
    ANTHROPIC_BASE_URL: chaos.anthropicUrl,
    GOOGLE_GEMINI_BASE_URL: chaos.googleUrl,
    ...Object.fromEntries(KEYS.map((name) => [name, "none"])),
  };
  const base = join(folder, "base");
  await writeBase(base, chaos);
  const teamed = await run("bash", ["-c", TEAM_RUN], base, env);
  if (teamed.code !== 0) throw new Error(teamed.stderr);
  return {
    folder,
    chaos,
    env,
    newFolder(name) {
      const made = join(folder, name.replaceAll(/[^\w]/g, "_"));
      cpSync(base, made, { recursive: true });
      return made;
    },
    here: (text, ports = {}) =>
      Object.entries(ports)
        .reduce((changed, [from, to]) => changed.replaceAll(new RegExp(`\\b${from}\\b`, "g"), String(to)), text)
        .replaceAll(/https:\/\/(?:\w+\.)?example\.com/g, elsewhere.url)
        .replaceAll("postgres://faultline@db.example.org/agents", `"${postgres}"`),
    run: (program, args, cwd, more = {}) => run(program, args, cwd, { ...env, ...more.env }, more.stdin),
    async close() {
      await chaos.close();
      elsewhere.server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Settings of the machine must not reach the snippets. */
function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:LANG|LC_.*|FAULTLINE_.*|VITEST.*|PG.*)$/.test(name)),
  );
}

/** Answers everything that is asked of addresses that exist only in the pages. */
async function startElsewhere(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"rate": 1}');
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** The files that the pages talk about, most of them from the pages themselves. */
async function writeBase(folder: string, chaos: Chaos): Promise<void> {
  cpSync(join(ROOT, "templates/sample-repo"), join(folder, "your-repository"), { recursive: true });
  cpSync(join(ROOT, "examples/executors"), folder, { recursive: true });
  mkdirSync(join(folder, ".faultline"));
  const [policy = "", tools = ""] = yamlOf("docs/POLICY.md");
  const [gateway = ""] = yamlOf("docs/GATEWAY.md");
  const [workflow = ""] = yamlOf("docs/WORKFLOW-FILE.md");
  const files = {
    "policy.yaml": policy,
    "my.policy.yaml": policy,
    "tools.yaml": tools,
    "review.faultline.yaml": workflow,
    "gateway.faultline.yaml": gateway
      .replace("https://api.anthropic.com", chaos.anthropicUrl)
      .replace("https://api.openai.com/v1", chaos.openaiUrl),
    "package.json": JSON.stringify({ type: "module", scripts: { test: "exit 0" } }),
    "agent.js": AGENT_JS,
    "agent.py": AGENT_PY,
    "program.mjs": 'import { createFaultline } from "faultline";\nawait createFaultline().close();\n',
    "page-me.sh": "#!/bin/sh\ncat >/dev/null\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 });
  await writeJournal(join(folder, "agent.db"), "order-7");
}

function yamlOf(page: string): readonly string[] {
  return SNIPPETS.filter((one: Snippet) => one.page === page && one.language === "yaml").map(({ text }) => text);
}

/** A session with a failure to report. */
async function writeJournal(file: string, id: string): Promise<void> {
  const fl = createFaultline({ journal: file, policy: "headless" });
  const search = tool({
    id: "search",
    run: () => {
      throw Object.assign(new Error("the index is broken"), { status: 400 });
    },
  });
  const session = await fl.session(id);
  await session.protect(search, {});
  await session.end();
  await fl.close();
}

const AGENT_JS = `const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer none" },
  body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: process.argv.at(-1) }] }),
});
console.log((await response.json()).choices[0].message.content);
`;

const AGENT_PY = `import json, os, sys, urllib.request
url = sys.argv[sys.argv.index("--base-url") + 1] if "--base-url" in sys.argv else os.environ["OPENAI_BASE_URL"]
body = {"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]}
headers = {"content-type": "application/json", "authorization": "Bearer none"}
request = urllib.request.Request(url + "/chat/completions", json.dumps(body).encode(), headers)
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])
`;

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  stdin = "",
): Promise<Ran> {
  const child = spawn(program, args, { cwd, env, stdio: "pipe" });
  child.stdin.on("error", (error: NodeJS.ErrnoException) => {
    // A program may end without reading its input; its exit code says how it went.
    if (error.code !== "EPIPE") throw error;
  });
  child.stdin.end(stdin);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [stdout, stderr, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** Ports that nothing listens on, for the servers of one page. */

/** The servers that a page has started, by the files that its programs left. */
export function endServers(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const pid = Number(readFileSync(join(folder, name), "utf8"));
    process.kill(pid, "SIGKILL");
  }
}
