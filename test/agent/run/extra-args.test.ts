// Where the arguments that a caller adds end up on the command line.

import { describe, expect, it } from "vitest";
import { cli } from "../../../src/index.ts";

const SHOT = { prompt: "say hello", model: "m1", resume: null };

describe("extra arguments", () => {
  it.each([
    ["claude", ["--allowedTools", "Bash", "-p"]],
    ["codex", ["exec", "--allowedTools", "Bash", "--json"]],
    ["gemini", ["--allowedTools", "Bash", "-o"]],
    ["opencode", ["run", "--allowedTools", "Bash", "--format"]],
    ["qwen", ["--allowedTools", "Bash", "-o"]],
    ["goose", ["run", "--allowedTools", "Bash", "--no-session"]],
  ] as const)("of %s stand behind its subcommand and before all else", (kind, start) => {
    const args = cli(kind, { extraArgs: ["--allowedTools", "Bash"] }).args(SHOT);
    expect(args.slice(0, start.length)).toEqual(start);
  });

  it.each(["gemini", "goose"] as const)("never come between %s's option for the prompt and the prompt", (kind) => {
    const args = cli(kind, { extraArgs: ["--debug"] }).args(SHOT);
    expect(args.slice(-2)).toEqual([kind === "gemini" ? "-p" : "-t", "say hello"]);
  });

  it("of Codex come before `resume`, which has fewer options", () => {
    const args = cli("codex", { extraArgs: ["-s", "read-only"] }).args({ ...SHOT, resume: "t-1" });
    expect(args.slice(0, 5)).toEqual(["exec", "-s", "read-only", "resume", "t-1"]);
  });
});
