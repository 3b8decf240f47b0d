// A signal stops a run cleanly whatever runs in it, and `workflow resume` continues it.

import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runCli, runShell } from "../support/run-cli.ts";
import { type TempFolder, tempFolder } from "../journal/temp-folder.ts";

/** On its first start it signals its parent and hangs. On its second start it ends at once. */
const firstTime = (signal: string): string =>
  `if [ -e begun ]; then %DONE%; exit 0; fi; touch begun; kill -${signal} $PPID; exec sleep 600`;

interface Case {
  readonly nodes: string;
  /** The program's output when it works. */
  readonly done: string;
  /** Its name on the PATH, or in the folder. */
  readonly program: string;
}

const CASES = {
  "a command": {
    nodes: "nodes:\n  work: { type: command, run: ./work }\n",
    done: "echo fine",
    program: "work",
  },
  "a tool": {
    nodes: [
      "tools: { work: { command: [ ./work ] } }",
      "nodes:",
      "  work: { type: tool, tool: work, input: {} }",
      "",
    ].join("\n"),
    done: "echo '\"fine\"'",
    program: "work",
  },
  "an agent CLI": {
    nodes: "agents: { coder: { cli: claude } }\nnodes:\n  work: { type: agent, agent: coder, prompt: hello }\n",
    done: `echo '{"type":"result","subtype":"success","is_error":false,"result":"fine","session_id":"s"}'`,
    program: "claude",
  },
} as const satisfies Record<string, Case>;

let temp: TempFolder;

beforeEach(() => {
  temp = tempFolder();
});

afterEach(() => temp.remove());

function folderFor({ nodes, done, program }: Case, signal: string): string {
  const { path: folder } = temp;
  mkdirSync(join(folder, "bin"));
  const path = join(folder, program === "claude" ? "bin/claude" : program);
  writeFileSync(path, `#!/bin/sh\ncd "${folder}"\n${firstTime(signal).replace("%DONE%", () => done)}\n`);
  chmodSync(path, 0o755);
  writeFileSync(join(folder, "flow.faultline.yaml"), `faultline: 1\nworkflow: { id: flow, version: "1" }\n${nodes}`);
  return folder;
}

const GRID = [
  ["INT", "a command"],
  ["INT", "a tool"],
  ["INT", "an agent CLI"],
  ["TERM", "a command"],
  ["HUP", "a command"],
] as const;

describe("a signal that comes while a stage works", () => {
  it.each(GRID)(
    "SIG%s during %s stops the run, says how to continue, and resume completes it",
    async (signal, name) => {
      const folder = folderFor(CASES[name], signal);
      const here = { folder, isHere: true, env: { PATH: `${folder}/bin:${process.env["PATH"]}` } };
      const shell = `PATH="${folder}/bin:$PATH"; faultline workflow run flow.faultline.yaml --run r; echo $?`;
      const { stdout, stderr } = await runShell(shell, { folder });
      expect(stdout).toBe("130\n");
      expect(stderr).toContain("stopped; nothing is lost. What was running (work) runs again when you resume.\n");
      expect(stderr).toContain("faultline: Next: faultline workflow resume r\n");
      const list = async (): Promise<string> => (await runCli(["runs", "list"], here)).stdout.split("\n")[1] ?? "";
      expect(await list()).toMatch(/^r +flow +stopped +work .* resume$/);
      expect(await runCli(["workflow", "resume", "r"], here)).toMatchObject({ stdout: "completed\n", exit: "ok" });
      expect(await list()).toMatch(/^r +flow +completed /);
    },
  );
});

const GATEWAY = 'version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1" } }\n';

describe("a command that works until a signal comes", () => {
  it.each([
    ["gateway", "--config", "gateway.yaml", "--port", "USED"],
    ["serve", "--port", "USED"],
    ["worker", "--driver", "restate://127.0.0.1:USED?admin=127.0.0.1:USED", "--listen", "127.0.0.1:0"],
  ])("leaves no listener behind when it cannot start: %s", async (...words) => {
    // Takes the port and answers nothing.
    const taken = createServer((socket) => void socket.destroy()).listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const used = String((taken.address() as AddressInfo).port);
    const listeners = (): readonly number[] =>
      ["SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
    const before = listeners();
    const args = [...words.map((word) => word.replaceAll("USED", used)), "--journal", "journal.db"];
    const { exit } = await runCli(args, { files: { "gateway.yaml": GATEWAY }, isHere: true });
    expect([exit, listeners()]).toEqual(["failed", before]);
  });
});
