// Login evidence: every row is reached by its example, and nothing but presence counts.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXAMINED_KINDS, LOGIN_EVIDENCE } from "../../../src/agent/doctor/login-evidence.ts";
import { loginOf } from "../../../src/agent/doctor/login-state.ts";
import { AGENT_CLIS } from "../../../src/agent/verdict/cli-table.ts";
import { createFakeMachine, type FakeMachine } from "./fake-clis.ts";

let machine: FakeMachine;
beforeEach(() => void (machine = createFakeMachine()));
afterEach(() => machine.remove());

/** Makes the machine of an example; gives its environment. */
function enact(example: string): Record<string, string> {
  const env: Record<string, string> = { ...machine.env };
  for (const word of example.split(" ")) {
    const [, name, value = ""] = /^([A-Z_]+)=(.*)$/.exec(word) ?? [];
    if (name !== undefined) env[name] = value.replace("~", machine.home);
    else machine.addFile(word.replace("~/", ""));
  }
  return env;
}

describe("the table of evidence", () => {
  const rows = EXAMINED_KINDS.flatMap((kind) => LOGIN_EVIDENCE[kind].map((row) => ({ kind, ...row })));

  it.each(rows)("$kind: $example shows $proves", ({ kind, example, proves, variables, files }) => {
    const login = loginOf(kind, enact(example));
    expect(login).toEqual({ state: proves, variables, byFile: files.length > 0 });
    // Without the machine of the example the same question has another answer.
    expect(loginOf(kind, { HOME: join(machine.root, "elsewhere") })).toMatchObject({ state: "no" });
  });

  it.each(EXAMINED_KINDS)("knows every variable that may hold a key of %s", (kind) => {
    const known = LOGIN_EVIDENCE[kind].flatMap(({ variables }) => variables);
    expect(known).toEqual(expect.arrayContaining([...AGENT_CLIS[kind].keyEnv]));
  });
});

describe("evidence", () => {
  it.each(EXAMINED_KINDS)("is missing for %s on an empty machine", (kind) => {
    expect(loginOf(kind, machine.env)).toEqual({ state: "no", variables: [], byFile: false });
  });

  it.each(["", "  "])("is not a variable that is set to %j", (value) => {
    expect(loginOf("claude", { ...machine.env, ANTHROPIC_API_KEY: value }).state).toBe("no");
  });

  it("is not an empty file, and not a folder", () => {
    machine.addFile(".codex/auth.json", "");
    mkdirSync(join(machine.home, ".claude/.credentials.json"), { recursive: true });
    expect([loginOf("codex", machine.env).state, loginOf("claude", machine.env).state]).toEqual(["no", "no"]);
  });

  it("is searched in the CLI's configured folder, and no longer in the home", () => {
    machine.addFile(".claude/.credentials.json");
    expect(loginOf("claude", machine.env).state).toBe("yes");
    expect(loginOf("claude", { ...machine.env, CLAUDE_CONFIG_DIR: join(machine.home, "empty") }).state).toBe("no");
  });

  it("that proves it counts before evidence that does not", () => {
    machine.addFile(".claude.json");
    machine.addFile(".claude/.credentials.json");
    expect(loginOf("claude", { ...machine.env, CLAUDE_CODE_USE_BEDROCK: "1" })).toMatchObject({
      state: "yes",
      byFile: true,
    });
  });

  it("never shows a value", () => {
    machine.addFile(".codex/auth.json");
    const env = { ...machine.env, ANTHROPIC_API_KEY: "SECRET-OF-A-VARIABLE", GOOSE_PROVIDER: "SECRET-OF-A-VARIABLE" };
    expect(JSON.stringify(EXAMINED_KINDS.map((kind) => loginOf(kind, env)))).not.toContain("SECRET");
  });
});
