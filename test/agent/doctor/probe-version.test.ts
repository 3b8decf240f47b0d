// Versions asked of real processes: scripts on a PATH of their own that answer, hang, crash and talk nonsense.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeVersion, type ProbeOptions, versionIn } from "../../../src/agent/doctor/probe-version.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { until } from "../../support/look-again.ts";
import { processClock } from "../process/children.ts";
import { createFakeMachine, type FakeMachine } from "./fake-clis.ts";

let machine: FakeMachine;
beforeEach(() => void (machine = createFakeMachine()));
afterEach(() => machine.remove());

function options(over: Partial<ProbeOptions> = {}): ProbeOptions {
  return { env: machine.env, clock: systemClock, timeoutMs: 600_000, ...over };
}

describe("a CLI that is asked for its version", () => {
  it("is missing when it is not on the PATH", async () => {
    expect(await probeVersion("claude", options())).toEqual({ status: "missing", version: null, detail: null });
  });

  it.each([
    ["claude", 'echo "2.1.325 (Claude Code)"', "2.1.325"],
    ["codex", 'echo "WARNING: proceeding" >&2; echo "codex-cli 0.155.0"', "0.155.0"],
    ["gemini", "echo 0.30.0-nightly.1", "0.30.0-nightly.1"],
    ["opencode", "echo 1.2.3 >&2", "1.2.3"],
    ["goose", "echo ' 1.20.0'", "1.20.0"],
  ] as const)("%s, is ready with %s", async (kind, script, version) => {
    machine.addCli(kind, script);
    expect(await probeVersion(kind, options())).toEqual({ status: "ready", version, detail: null });
  });

  it("is given nothing but the flag for it, and a closed stdin", async () => {
    machine.addCli("claude", 'read line && exit 9; [ "$#" = 1 ] && [ "$1" = --version ] && echo 1.0.0');
    expect(await probeVersion("claude", options())).toMatchObject({ status: "ready" });
  });

  it("hangs when it says nothing in time, and does not outlive that", async () => {
    const pidFile = join(machine.root, "pid");
    machine.addCli("codex", `echo "starting up" >&2; echo $$ > ${pidFile}; while :; do :; done`);
    const clock = processClock();
    const probe = probeVersion("codex", options({ clock, timeoutMs: 5_000 }));
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
    await clock.advance(5_000);
    expect(await probe).toEqual({ status: "hangs", version: null, detail: "starting up" });
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it.each([
    [
      "with a code and words",
      'echo "at line 1" >&2; echo "Error: no room" >&2; echo bye >&2; exit 3',
      "exit code 3: Error: no room",
    ],
    ["with a code alone", "exit 1", "exit code 1"],
    ["with a version all the same", "echo 1.2.3; exit 1", "exit code 1: 1.2.3"],
    ["by a signal", "kill -s KILL $$", "SIGKILL"],
  ])("fails when it ends badly %s", async (_how, script, detail) => {
    machine.addCli("qwen", script);
    expect(await probeVersion("qwen", options())).toEqual({ status: "fails", version: null, detail });
  });

  it("fails when the program that should run it is not there", async () => {
    machine.addCli("gemini", "");
    const { PATH = "" } = machine.env;
    writeFileSync(join(PATH, "gemini"), "#!/nowhere/node\n");
    const probe = await probeVersion("gemini", options());
    expect(probe).toMatchObject({ status: "fails", detail: expect.stringContaining("(#!)") as string });
  });

  it.each([
    ["nonsense", String.raw`printf '\033[2J\007hello\000 world\n'`, "[2J hello world"],
    ["nothing", "exit 0", null],
    ["an address", "echo listening on 127.0.0.1", "listening on 127.0.0.1"],
  ])("is unclear when it ends well and says %s", async (_what, script, detail) => {
    machine.addCli("goose", script);
    expect(await probeVersion("goose", options())).toEqual({ status: "unclear", version: null, detail });
  });

  it.each([
    { chars: 200, said: "x".repeat(200) },
    { chars: 201, said: `${"x".repeat(199)}…` },
  ])("is quoted with up to 200 characters: a line of $chars", async ({ chars, said }) => {
    machine.addCli("goose", `echo ${"x".repeat(chars)}`);
    expect(await probeVersion("goose", options())).toEqual({ status: "unclear", version: null, detail: said });
  });

  it("is quoted in one short line without secrets", async () => {
    machine.addCli("claude", `echo "Error: key sk-ant-api03-${"a".repeat(40)} is bad ${"x".repeat(500)}" >&2; exit 1`);
    const { detail } = await probeVersion("claude", options());
    expect(detail).toMatch(/^exit code 1: Error: key .*redacted/);
    expect(detail).not.toContain("aaaa");
    expect(detail?.length).toBeLessThan(250);
  });
});

describe("the question", () => {
  const witness = (): string => readFileSync(join(machine.root, "witness"), "utf8");
  const WITNESS = `export -p > "$WITNESS"; : > "$HOME/mess"; : > "$CLAUDE_CONFIG_DIR/mess"; echo 1.0.0`;

  it("is asked in a home of its own that is gone afterwards", async () => {
    machine.addCli("claude", WITNESS);
    const own = join(machine.home, ".claude");
    const env = { ...machine.env, WITNESS: join(machine.root, "witness"), CLAUDE_CONFIG_DIR: own, XDG_CACHE_HOME: own };
    expect(await probeVersion("claude", options({ env }))).toMatchObject({ status: "ready" });
    expect(readdirSync(machine.home)).toEqual([]);
    expect(witness()).not.toContain(machine.home);
    const [, home = ""] = /HOME='?([^'\n]+)/.exec(witness()) ?? [];
    expect(home).toContain("faultline-doctor-claude-");
    expect(existsSync(home)).toBe(false);
  });

  it("reaches the program behind a version manager's shim", async () => {
    machine.addFile(".volta/version-of-claude", "2.1.325\n");
    machine.addCli("claude", 'read version < "$VOLTA_HOME/version-of-claude" && echo "$version"');
    expect(await probeVersion("claude", options())).toMatchObject({ status: "ready", version: "2.1.325" });
    const env = { ...machine.env, VOLTA_HOME: "/nowhere" };
    expect(await probeVersion("claude", options({ env })), "what the user says counts").toMatchObject({
      status: "fails",
    });
  });

  it("comes without the keys of the user", async () => {
    machine.addCli("claude", WITNESS);
    const keys = { ANTHROPIC_API_KEY: "SECRET", OPENAI_API_KEY: "SECRET", CODEX_API_KEY: "SECRET" };
    await probeVersion("claude", options({ env: { ...machine.env, ...keys, WITNESS: join(machine.root, "witness") } }));
    expect(witness()).toContain("DISABLE_AUTOUPDATER");
    expect(witness()).not.toContain("SECRET");
  });
});

describe("a version", () => {
  it("is found in any surrounding text", () => {
    const number = fc.integer({ min: 0, max: 9999 });
    fc.assert(
      fc.property(
        number,
        number,
        number,
        fc.constantFrom("", "v", "codex-cli ", "version: v", "(", "\n"),
        (a, b, c, before) => {
          const version = `${a}.${b}.${c}`;
          expect(versionIn(`${before}${version} and more`)).toBe(version);
        },
      ),
    );
  });

  it("is none of these", () => {
    for (const text of ["", "1", "127.0.0.1", "go1.22", "usage: claude", "a.b.c"]) expect(versionIn(text)).toBeNull();
  });
});
