// Starts `member-process.ts` as a real child process.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { FaultCode, TargetReport } from "../../../src/index.ts";
import { bundledProgram } from "../../support/bundled-program.ts";

export type MemberCommand =
  | {
      readonly do: "call";
      readonly target: string;
      readonly input?: { readonly fails?: FaultCode; readonly retryAfterMs?: number; readonly hangs?: boolean };
      readonly attempts?: number;
      readonly deadlineMs?: number;
    }
  | { readonly do: "isolate" | "release" | "probe" | "report"; readonly target: string }
  /** Waits until the target's report has these values. */
  | { readonly do: "until"; readonly target: string; readonly shows: Partial<TargetReport> }
  | { readonly do: "alive" };

export interface Called {
  readonly status: string;
  readonly attempts: number;
  readonly code?: FaultCode;
  readonly message?: string;
}

export interface Member {
  readonly call: (
    target: string,
    more?: Omit<Extract<MemberCommand, { do: "call" }>, "do" | "target">,
  ) => Promise<Called>;
  readonly until: (target: string, shows: Partial<TargetReport>) => Promise<TargetReport>;
  readonly ask: (command: MemberCommand) => Promise<unknown>;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Ends its input, and resolves when the process has ended by itself. */
  readonly end: () => Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export function startMember(journal: string): Member {
  const script = bundledProgram(new URL("member-process.ts", import.meta.url));
  const child = spawn(process.execPath, [script, journal], { env: { ...process.env, NODE_NO_WARNINGS: "1" } });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));

  async function ask(command: MemberCommand): Promise<unknown> {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await answers.next();
    if (done === true) throw new Error(`the process ended: ${stderr}`);
    return JSON.parse(value) as unknown;
  }

  return {
    call: async (target, more = {}) => (await ask({ do: "call", target, ...more })) as Called,
    until: async (target, shows) => (await ask({ do: "until", target, shows })) as TargetReport,
    ask,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async end() {
      child.stdin.end();
      return { code: await ended, stderr };
    },
  };
}
