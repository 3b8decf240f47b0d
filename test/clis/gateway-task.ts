// A whole small task with a tool, by a real CLI through the gateway: the model asks it to read a file, and answers with what the file says.
// The first provider fails with each request, so that every answer of the task comes after a failover. One run of each CLI is set up as the
// docs say, and in no other way.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AGENT_CLIS } from "../../src/agent/verdict/cli-table.ts";
import { runProcess } from "../../src/agent/process/run-process.ts";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import { createFaultline } from "../../src/faultline.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import { startGateway, type StartedGateway } from "../../src/gateway/start-gateway.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { ChaosFaultId } from "../../src/chaos/faults.ts";
import type { RealCli } from "./install.ts";
import { cleanEnvironment, type CliSettings, SETUPS } from "./setups.ts";

/** In the file, and nowhere else: a CLI that prints it has used its tool. */
const CODE_WORD = "otter-5913";

interface TaskSetup {
  /** The CLI's tool that reads a file. */
  readonly call: (file: string) => { readonly tool: string; readonly input: unknown };
  readonly extraArgs?: readonly string[];
}

const TASKS: Readonly<Record<RealCli, TaskSetup>> = {
  claude: { call: (file) => ({ tool: "Read", input: { file_path: file } }) },
  codex: { call: (file) => ({ tool: "exec_command", input: { cmd: `cat ${file}` } }) },
  gemini: { call: (file) => ({ tool: "read_file", input: { file_path: file } }) },
  opencode: { call: (file) => ({ tool: "read", input: { filePath: file } }) },
  qwen: { call: (file) => ({ tool: "read_file", input: { file_path: file } }) },
  goose: {
    call: (file) => ({ tool: "shell", input: { command: `cat ${file}` } }),
    extraArgs: ["--with-builtin", "developer"],
  },
};

export const TASK_FAULTS = [
  "overloaded",
  "cut-stream",
  "reset",
  "invalid-key",
] as const satisfies readonly ChaosFaultId[];

export interface TaskSeen {
  readonly kind: RealCli;
  readonly fault: ChaosFaultId;
  readonly ending: string;
  /** Requests that failed, and those that another provider answered. */
  readonly failed: number;
  readonly rescued: number;
  readonly durationMs: number;
  readonly problems: readonly string[];
  readonly printed: string;
}

const TIMEOUT_MS = 120_000;

/** `asDocumented`: set up with the line of docs/GATEWAY.md. */
export async function seeGatewayTask(
  kind: RealCli,
  fault: ChaosFaultId,
  commands: string,
  asDocumented = false,
): Promise<TaskSeen> {
  const home = mkdtempSync(join(tmpdir(), `faultline-task-${kind}-`));
  for (const folder of ["work", "tmp"]) mkdirSync(join(home, folder));
  const file = join(home, "work", "note.txt");
  writeFileSync(file, `The code word is ${CODE_WORD}.\n`);
  const failing = await startChaos({ scenario: { rules: [{ fault }] } });
  const good = await startChaos({ scenario: { rules: [{ calls: [TASKS[kind].call(file)] }] } });
  const gateway = await gatewayTo(failing, good);
  try {
    const startedAt = systemClock.now();
    const printed: string[] = [];
    const settings = asDocumented ? documented(kind, gateway.url, home) : ownSettings(kind, gateway.url, home);
    const running = runProcess(processOf(kind, settings, home, commands), {
      stdout: (line) => void printed.push(line),
      stderr: (line) => void printed.push(line),
    });
    const { exitCode, signal } = await running.done;
    const [failed, rescued] = [failing.received().length, good.received().length];
    const said = printed.join("\n");
    const problems = [
      ...(exitCode === 0 ? [] : [`ended with ${exitCode ?? signal ?? "nothing"}`]),
      ...(said.includes(CODE_WORD) ? [] : ["did not print what the file says"]),
      ...(failed > 0 ? [] : ["met no fault"]),
      ...(rescued > 1 ? [] : ["did not ask twice, so it used no tool"]),
    ];
    const durationMs = systemClock.now() - startedAt;
    return { kind, fault, ending: String(exitCode ?? signal), failed, rescued, durationMs, problems, printed: said };
  } finally {
    await gateway.close();
    await failing.close();
    await good.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function ownSettings(kind: RealCli, url: string, home: string): CliSettings {
  return SETUPS[kind].options({ url, openaiUrl: `${url}/v1`, anthropicUrl: url }, home, "own");
}

const DOCUMENTED: Readonly<Record<RealCli, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "opencode",
  goose: "goose",
  qwen: "qwen",
};

/** What the line of the docs sets: variables, options, and for some a file. */
function documented(kind: RealCli, url: string, home: string): CliSettings {
  const page = readFileSync(new URL("../../docs/GATEWAY.md", import.meta.url), "utf8");
  const line = new RegExp(`^\\| ${DOCUMENTED[kind]} \\| (.+) \\|$`, "m").exec(page)?.[1];
  if (line === undefined) throw new Error(`docs/GATEWAY.md has no line about ${DOCUMENTED[kind]}`);
  const here = line.replaceAll("http://127.0.0.1:7430", url).replaceAll("…", "not-a-real-key");
  const env = Object.fromEntries(
    [...here.matchAll(/\b([A-Z][A-Z_]+)=(\S+)/g)].map(([, name = "", value]) => [name, value]),
  );
  const [, path, content = ""] = /in `([^`]+)`: `(".+?)`, then/.exec(here) ?? [];
  if (path !== undefined) {
    const file = path.startsWith("~/") ? join(home, path.slice(2)) : join(home, "work", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `{ ${content} }`);
  }
  const keyName = /env_key="(\w+)"/.exec(here)?.[1];
  const options = [...here.matchAll(/ (-c|--auth-type) (?:'([^']+)'|(\S+?)(?=[ `]))/g)];
  const model = / -m (\S+?)`/.exec(here)?.[1];
  return {
    env: { ...env, ...(keyName === undefined ? {} : { [keyName]: "not-a-real-key" }) },
    extraArgs: options.flatMap(([, name = "", quoted, plain = ""]) => [name, quoted ?? plain]),
    ...(model === undefined ? {} : { model }),
  };
}

function processOf(
  kind: RealCli,
  { env, extraArgs = [], model }: CliSettings,
  home: string,
  commands: string,
): Parameters<typeof runProcess>[0] {
  const { oneShotArgs, subcommandWords } = AGENT_CLIS[kind];
  const prompt = "What does the file note.txt say? Read it and answer in one line.";
  const own = [...extraArgs, ...(TASKS[kind].extraArgs ?? [])];
  return {
    command: join(commands, kind),
    args: oneShotArgs({ prompt, model: model ?? null, resume: null }).toSpliced(subcommandWords, 0, ...own),
    cwd: join(home, "work"),
    // Opencode takes its project from PWD.
    env: { ...process.env, ...cleanEnvironment(home), ...env, PWD: join(home, "work") },
    ...{ stdin: null, clock: systemClock, signal: new AbortController().signal, endsAll: true },
    timeouts: { startupMs: Infinity, idleMs: Infinity, totalMs: TIMEOUT_MS },
    maxLineBytes: 1_048_576,
    maxTailBytes: 2_000,
  };
}

async function gatewayTo(failing: Chaos, good: Chaos): Promise<Pick<StartedGateway, "url" | "close">> {
  const dialects = "[openai-chat, openai-responses, anthropic-messages, google-generate]";
  const yaml = `version: 1
targets:
  first: { dialect: ${dialects}, base_url: "${failing.url}/v1" }
  second: { dialect: ${dialects}, base_url: "${good.url}/v1" }
routes:
  "*": { chain: [first, second], mid_stream: restart, affinity: false }
`;
  const { settings, diagnostics } = parseGateway(yaml, "gateway", {});
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const faultline = createFaultline({});
  const started = await startGateway(faultline, settings, { port: 0, host: "127.0.0.1" });
  return {
    url: started.url,
    async close() {
      await started.close();
      await faultline.close();
    },
  };
}
