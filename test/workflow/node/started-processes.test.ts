// A started process has run, whatever its failure says: work that is not idempotent is never repeated, on any path.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { createFaultline, type Decision, type Outcome, tool } from "../../../src/index.ts";
import type { ToolSpec } from "../../../src/workflow-model/node-options.ts";
import { toolsOf } from "../../../src/workflow/node/workflow-tools.ts";
import { until } from "../../support/look-again.ts";
import { processClock } from "../../agent/process/children.ts";
import { driven } from "./node-world.ts";

/** Final output that would be retried at once on other surfaces. */
const SAID = [
  "429 Too Many Requests",
  "Error: EBUSY: resource busy or locked",
  "Error: connect ECONNREFUSED 127.0.0.1:4010",
  "HTTP 503 Service Unavailable",
  "529 Overloaded",
  "401 Unauthorized: invalid api key",
  "Error: read ECONNRESET",
  "something nobody has seen before",
] as const;

const ENDS = { "exit code 1": "exit 1", "exit code 127": "exit 127", "a signal": "kill -9 $$" } as const;

interface Shell {
  readonly folder: string;
  readonly script: (said: string, end: string) => string;
  readonly charges: () => number;
}

function shell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), "faultline-ran-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    script: (said, end) => `echo charged >> charges; echo '${said}' >&2; ${end}`,
    charges: () => readFileSync(join(folder, "charges"), "utf8").split("\n").length - 1,
  };
}

function spec(script: string, over: Partial<ToolSpec> = {}): ToolSpec {
  const run = { kind: "command", command: "sh", args: ["-c", script], env: [] } as const;
  return {
    id: "pay",
    description: "",
    input: null,
    run,
    idempotent: false,
    timeoutMs: 60_000,
    modelDetail: "none",
    maxAttempts: null,
    optional: false,
    fallbackValue: null,
    alternatives: [],
    ...over,
  };
}

describe.each(Object.entries(ENDS))("a command that charged a card and ended with %s", (_how, end) => {
  it.each(SAID)("as a tool of a workflow: %s", async (said) => {
    const { folder, script, charges } = shell();
    const fl = createFaultline();
    const env = { PATH: process.env["PATH"] };
    const tools = toolsOf([spec(script(said, end))], { runtime: fl, env, cwd: folder, clock: systemClock });
    onTestFinished(() => tools.close());
    const found = tools.find("pay");
    if (found === undefined) throw new Error("there is no tool pay");
    expect(ranOnce(await fl.protect(found, {} as never))).toBe(true);
    expect(charges()).toBe(1);
  });

  it.each(SAID)("as a tool of a program that spawns it: %s", async (said) => {
    const { folder, script, charges } = shell();
    const pay = tool<object, unknown>({
      id: "pay",
      run: () => promisify(execFile)("sh", ["-c", script(said, end)], { cwd: folder }),
    });
    const outcome = await createFaultline().protect(pay, {});
    expect(outcome).toMatchObject({ attempts: 1 });
    expect(charges()).toBe(1);
  });
});

function ranOnce(outcome: Outcome<unknown>): boolean {
  return "fault" in outcome && outcome.fault.context["ran"] === true && outcome.attempts === 1;
}

describe("a workflow tool that may be called twice", () => {
  it("waits as the policy's row for its fault says", async () => {
    const { folder, script } = shell();
    const clock = processClock();
    const fl = createFaultline({ clock });
    const env = { PATH: process.env["PATH"] };
    const specs = [spec(script("429 Too Many Requests", "exit 1"), { idempotent: true, maxAttempts: 3 })];
    const tools = toolsOf(specs, { runtime: fl, env, cwd: folder, clock });
    onTestFinished(() => tools.close());
    const found = tools.find("pay");
    if (found === undefined) throw new Error("there is no tool pay");
    const decisions: Decision[] = [];
    fl.subscribe(({ event }) => {
      if (event.type === "call-failed") decisions.push(event.decision);
    });
    const called = fl.protect(found, {} as never);
    for (const tries of [1, 2]) {
      const isDecided = until(() => decisions.length === tries);
      await driven(clock, isDecided, 0);
      const decision = decisions.at(-1);
      const waitMs = decision?.recourse === "retry" ? decision.delayMs : 0;
      const baseMs = 5_000 * 2 ** (tries - 1);
      expect(waitMs).toBeGreaterThanOrEqual(baseMs * 0.8);
      expect(waitMs).toBeLessThanOrEqual(baseMs * 1.2);
      await clock.advance(waitMs);
    }
    expect(await driven(clock, called, 0)).toMatchObject({ attempts: 3, fault: { code: "RateLimited" } });
  });
});
