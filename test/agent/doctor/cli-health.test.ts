// The recommended next step, with CLIs named and without.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliHealth, examineClis, isUsable } from "../../../src/agent/doctor/cli-health.ts";
import { EXAMINED_KINDS, type ExaminedKind } from "../../../src/agent/doctor/login-evidence.ts";
import { nextStep } from "../../../src/agent/doctor/cli-health.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { createFakeMachine, type FakeMachine } from "./fake-clis.ts";

let machine: FakeMachine;
beforeEach(() => void (machine = createFakeMachine()));
afterEach(() => machine.remove());

function examine(kinds: readonly ExaminedKind[]): Promise<readonly CliHealth[]> {
  return examineClis(kinds, { env: machine.env, clock: systemClock, timeoutMs: 600_000 });
}

/** claude is logged in, codex is not, gemini crashes, goose may be logged in, the others are missing. */
function fill(): void {
  machine.addCli("claude", "echo 2.1.325");
  machine.addFile(".claude/.credentials.json");
  machine.addCli("codex", "echo 0.155.0");
  machine.addCli("gemini", "exit 1");
  machine.addFile(".config/goose/config.yaml");
  machine.addCli("goose", "echo 1.20.0");
}

describe("the health of CLIs", () => {
  it("has the order of the question and names what each needs", async () => {
    fill();
    const clis = await examine(["goose", "qwen", "gemini", "codex", "claude"]);
    expect(clis.map(({ kind, remedy }) => [kind, remedy])).toEqual([
      ["goose", "ask-it"],
      ["qwen", "install"],
      ["gemini", "repair"],
      ["codex", "log-in"],
      ["claude", null],
    ]);
    expect(clis.filter(isUsable).map(({ kind }) => kind)).toEqual(["goose", "claude"]);
  });
});

describe("the next step", () => {
  it.each([
    ["the first that cannot be used", ["claude", "qwen", "codex"], { remedy: "install", kind: "qwen" }],
    ["what cannot be used before what cannot be known", ["goose", "codex"], { remedy: "log-in", kind: "codex" }],
    ["what cannot be known", ["claude", "goose"], { remedy: "ask-it", kind: "goose" }],
    ["nothing when all are ready", ["claude"], null],
  ] as const)("for who asks by name is %s", async (_what, kinds, step) => {
    fill();
    expect(nextStep(await examine(kinds), true)).toEqual(step);
  });

  it.each([
    ["what is installed and cannot be used", ["qwen", "claude", "gemini"], { remedy: "repair", kind: "gemini" }],
    ["nothing when one is certain", ["qwen", "claude", "goose"], null],
    ["what cannot be known when none is certain", ["qwen", "goose"], { remedy: "ask-it", kind: "goose" }],
    ["the first to install when none is", ["qwen", "opencode"], { remedy: "install", kind: "qwen" }],
  ] as const)("for who only looks is %s", async (_what, kinds, step) => {
    fill();
    expect(nextStep(await examine(kinds), false)).toEqual(step);
  });

  it("on an empty machine is to install the first", async () => {
    expect(nextStep(await examine(EXAMINED_KINDS), false)).toEqual({ remedy: "install", kind: "claude" });
  });
});
