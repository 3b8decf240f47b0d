// Python's `openai` and `anthropic` through the gateway: whole and streamed, with tools, while the first provider fails with each request; and
// each error as the SDK's own exception, after one request. Both SDKs keep their own retries.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess } from "../../src/agent/process/run-process.ts";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { createFaultline } from "../../src/faultline.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import { startGateway } from "../../src/gateway/start-gateway.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { ChaosFaultId } from "../../src/chaos/faults.ts";

const PYTHON_PACKAGES = ["openai==3.22.1", "anthropic==1.13.0"] as const;
const PROGRAM = fileURLToPath(new URL("python_clients.py", import.meta.url));
const KEY = "key-of-a-python-client";
const TIMEOUT_MS = 240_000;

/** Python with both packages, or why there is none. An environment that is there is used again. */
export function installPython(
  tell: (line: string) => void,
): { readonly python: string } | { readonly missing: string } {
  const system = spawnSync("python3", ["--version"], { encoding: "utf8" });
  if (system.status !== 0) return { missing: "there is no python3" };
  const about = `${system.stdout.trim()} ${PYTHON_PACKAGES.join(" ")}`;
  const folder = join(tmpdir(), `faultline-python-${createHash("sha256").update(about).digest("hex").slice(0, 12)}`);
  const [python, stamp] = [join(folder, "bin", "python"), join(folder, "installed")];
  if (existsSync(stamp)) return { python };
  tell(`installing ${PYTHON_PACKAGES.join(" and ")} for ${system.stdout.trim()}`);
  mkdirSync(folder, { recursive: true });
  const steps = [
    ["python3", "-m", "venv", folder],
    [python, "-m", "pip", "install", "--quiet", ...PYTHON_PACKAGES],
  ];
  for (const [command = "", ...args] of steps) {
    const done = spawnSync(command, args, { encoding: "utf8" });
    if (done.status !== 0)
      return { missing: `${args.join(" ")} failed: ${done.stderr.trim().split("\n").at(-1) ?? ""}` };
  }
  writeFileSync(stamp, about);
  return { python };
}

/** One line of the program. */
interface PythonCase {
  readonly api: "chat" | "responses" | "messages";
  readonly streaming: boolean;
  readonly model: string;
  readonly text: string | null;
  readonly error: string | null;
  readonly status: number | null;
  /** Requests that the SDK sent. */
  readonly sent: number;
}

/** The exception of each model's failure; both SDKs have the same names. In the end the breaker of the broken model opens (503). */
const ERRORS: Readonly<Partial<Record<string, { readonly error: string; readonly statuses: readonly number[] }>>> = {
  "refused": { error: "BadRequestError", statuses: [400] },
  "limited": { error: "RateLimitError", statuses: [429] },
  "broken": { error: "InternalServerError", statuses: [502, 503] },
  "missing": { error: "NotFoundError", statuses: [404] },
  "forbidden": { error: "PermissionDeniedError", statuses: [403] },
  "wrong-key": { error: "AuthenticationError", statuses: [401] },
};

export interface PythonSeen {
  readonly fault: ChaosFaultId;
  readonly cases: number;
  readonly failed: number;
  readonly problems: readonly string[];
  readonly printed: string;
}

export async function seePythonClients(python: string, fault: ChaosFaultId): Promise<PythonSeen> {
  const failing = await startChaos({
    scenario: {
      rules: [
        { when: { model: "refused" }, fault: "bad-request" },
        { "when": { model: "limited" }, "fault": "rate-limit", "retry-after": 3_600 },
        { when: { model: "broken" }, fault: "malformed-json" },
        { when: { model: "cut", streaming: true }, fault: "cut-stream" },
        { when: { model: "cut" }, fault: "bad-request" },
        { fault },
      ],
    },
  });
  const good = await startChaos({
    scenario: { rules: [{ calls: [{ tool: "weather", input: { city: "Oslo" } }] }] },
  });
  const { settings, diagnostics } = parseGateway(fileFor(failing.url, good.url), "gateway", { PYTHON_KEY: KEY });
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const faultline = createFaultline({});
  const gateway = await startGateway(faultline, settings, { port: 0, host: "127.0.0.1" });
  const printed: string[] = [];
  const running = runProcess(
    {
      ...{ command: python, args: [PROGRAM, gateway.url, KEY], cwd: tmpdir(), env: { ...process.env } },
      ...{ stdin: null, clock: systemClock, signal: new AbortController().signal, endsAll: true },
      timeouts: { startupMs: Infinity, idleMs: Infinity, totalMs: TIMEOUT_MS },
      maxLineBytes: 1_048_576,
      maxTailBytes: 2_000,
    },
    { stdout: (line) => void printed.push(line), stderr: (line) => void printed.push(line) },
  );
  const { exitCode } = await running.done;
  const leaks = [...failing.received(), ...good.received()].filter(({ key }) => key !== null);
  const failed = failing.received().length;
  await gateway.close();
  await faultline.close();
  await failing.close();
  await good.close();
  const cases = printed.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as PythonCase] : []));
  const problems = [
    ...(exitCode === 0 ? [] : [`Python ended with ${exitCode ?? "a signal"}`]),
    ...(leaks.length === 0 ? [] : [`${leaks.length} requests reached a provider with a key, and the gateway has none`]),
    ...(cases.length === APIS * KINDS * MODELS ? [] : [`there are ${cases.length} cases`]),
    ...cases.flatMap(problemsOf),
  ];
  return { fault, cases: cases.length, failed, problems, printed: printed.join("\n") };
}

const APIS = 3;
const KINDS = 2;
const MODELS = 8;

function problemsOf(one: PythonCase): readonly string[] {
  const { api, streaming, model, text, error, status, sent } = one;
  const name = `${api}, ${streaming ? "streamed" : "whole"}, ${model}`;
  if (model === "team") {
    const isRight = text?.includes("rain in Oslo") === true && sent === 2;
    return isRight ? [] : [`${name}: ${JSON.stringify(one)} is not the answer after two requests`];
  }
  const expected = ERRORS[model];
  // After content, the status is 200 and the exception is that of the error event.
  const isTold =
    expected === undefined ? error !== null : error === expected.error && expected.statuses.includes(status ?? 0);
  return isTold && sent === 1
    ? []
    : [`${name}: ${error ?? text ?? ""} with status ${status ?? "none"} after ${sent} requests`];
}

function fileFor(failing: string, good: string): string {
  const dialects = "[openai-chat, openai-responses, anthropic-messages]";
  return `version: 1
targets:
  first: { dialect: ${dialects}, base_url: "${failing}/v1" }
  second: { dialect: ${dialects}, base_url: "${good}/v1" }
routes:
  team: { chain: [first, second], mid_stream: restart, affinity: false }
  refused: { chain: [first] }
  limited: { chain: [first] }
  broken: { chain: [first] }
  cut: { chain: [first] }
  forbidden: { chain: [second] }
keys:
  python: { key_env: PYTHON_KEY, routes: [team, refused, limited, broken, cut] }
`;
}
