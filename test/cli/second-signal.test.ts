// Two signals for a long-running command. The second one right behind the first is the same request; later it ends a command that still
// works at once. A command that has stopped keeps exit code 0.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { ask } from "../gateway/dialect-clients.ts";
import { shareOf } from "../support/grid.ts";
import { runCli } from "../support/run-cli.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** On a busy machine, too. */
const PATIENT = { timeout: 30_000, interval: 50 };

const GATEWAY = (url: string): string => `version: 1
targets: { one: { dialect: openai-chat, base_url: "${url}", timeouts: { headers_ms: 60000, first_token_ms: 60000 } } }
routes: { hangs: { chain: [one/hangs] } }
`;
const FLOW = (begun: string): string => `faultline: 1
workflow: { id: flow, version: "1" }
nodes: { work: { type: command, run: ["touch ${begun}", "sleep 600"], timeout: 20m } }
`;

const COMMANDS = {
  gateway: ["gateway", "--config", "gateway.yaml", "--port", "0"],
  serve: ["serve", "--gateway", "gateway.yaml", "--port", "0"],
  worker: ["worker", "--workflows", "flows", "--drain", "2s"],
} as const;
type Command = keyof typeof COMMANDS;

interface Started {
  readonly ended: Promise<unknown>;
  signal(name: NodeJS.Signals): void;
}

/** The command at work in its own folder: idle, or with a call or a run that does not end by itself. */
async function started(command: Command, isBusy: boolean): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-signals-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const chaos = await startChaos({ scenario: { rules: [{ when: { model: "hangs" }, fault: "hang" }] } });
  onTestFinished(() => chaos.close());
  mkdirSync(join(folder, "flows"));
  writeFileSync(join(folder, "flows", "flow.faultline.yaml"), FLOW(join(folder, "begun")));
  writeFileSync(join(folder, "gateway.yaml"), GATEWAY(chaos.openaiUrl));
  const options = ["--journal", join(folder, "journal.db"), "--json"];
  if (command === "worker" && isBusy)
    await runCli(["workflow", "run", "flows/flow.faultline.yaml", "--detach", ...options], {
      folder,
      isHere: true,
    });
  const child = spawn(process.execPath, [MAIN, ...COMMANDS[command], ...options], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code, signal]: unknown[]) => code ?? signal);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { listening } = JSON.parse(line) as { readonly listening?: { readonly url: string } };
  if (isBusy && listening !== undefined) {
    void Promise.allSettled([ask(listening.url, "openai-chat", { model: "hangs" })]);
    await vi.waitFor(() => expect(chaos.received()).toHaveLength(1), PATIENT);
  } else if (isBusy) {
    await vi.waitFor(() => expect(existsSync(join(folder, "begun"))).toBe(true), PATIENT);
  }
  return { ended, signal: (name) => void child.kill(name) };
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const GRID = (Object.keys(COMMANDS) as Command[]).flatMap((command, index) => {
  const signal = SIGNALS[index % SIGNALS.length] ?? "SIGTERM";
  return [
    ...shareOf([0, 10, 20, 40], 4, index).map((afterMs) => ({
      ...{ command, state: "idle", signal, afterMs },
      exit: EXIT_CODES.ok.code,
    })),
    { command, state: "busy", signal, afterMs: 40, exit: EXIT_CODES.ok.code },
    { command, state: "busy", signal, afterMs: 500, exit: EXIT_CODES.cancelled.code },
  ];
});

describe("a second signal", () => {
  it.each(GRID)(
    "ends $state `$command` with $exit, $afterMs ms after the first $signal",
    { timeout: 120_000 },
    async ({ command, state, signal, afterMs, exit }) => {
      const one = await started(command, state === "busy");
      one.signal(signal);
      await delay(afterMs);
      one.signal(signal);
      expect(await one.ended).toBe(exit);
    },
  );
});
