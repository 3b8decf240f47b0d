// `fl.agent` at its door: real processes that say what real agent CLIs said, and what comes of it in the outcome and the journal.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AgentRunEvent,
  ChannelBridge,
  cli,
  type CliOptions,
  type CliTarget,
  createFaultline,
  type Faultline,
  type FaultlineOptions,
  noticeOf,
  openJournal,
} from "../../../src/index.ts";
import { type Clock, systemClock } from "../../../src/host/clock.ts";
import { newPath } from "../../runtime/session/life.ts";
import { captureOf } from "../captures/read-captures.ts";
import { replayedClis } from "./replayed-clis.ts";

/** A second here is ten milliseconds: waits between attempts are short, and processes have time enough. */
const STARTED_AT = systemClock.now();
const HASTY: Clock = {
  ...systemClock,
  now: () => STARTED_AT + (systemClock.now() - STARTED_AT) * 100,
  after: (delayMs, wake) => systemClock.after(delayMs / 100, wake),
};

function runtime(options: FaultlineOptions = {}): Faultline {
  return createFaultline({ clock: HASTY, ...options });
}

const decisionsOf = (fl: Faultline): readonly string[] =>
  fl.recent().flatMap(({ event }) => {
    if (event.type !== "call-failed" && event.type !== "call-decided") return [];
    return [`${event.tool} ${event.fault.code} ${event.decision.recourse}`];
  });

describe("an agent CLI", () => {
  it("answers, with its session, its usage and its price", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({ claude: ["claude-ok-stream"] });
    const events: AgentRunEvent[] = [];
    const outcome = await fl
      .agent([target("claude")])
      .run("say hello", { onEvent: (event) => void events.push(event) });
    expect(outcome).toMatchObject({ status: "done", value: { target: "claude", errorSubtype: null, aborted: false } });
    const value = outcome.status === "done" ? outcome.value : null;
    expect(value?.text).not.toBe("");
    expect(value?.sessionId).not.toBeNull();
    expect(value?.usage).not.toBeNull();
    expect(fl.spending.microcents).toBe(Math.round((value?.totalCostUsd ?? NaN) * 1e8));
    expect(events[0]).toEqual({ type: "attempt", target: "claude", attempt: 1 });
    expect(events.at(-1)).toMatchObject({ type: "finished", isError: false });
    expect(runs()).toMatchObject([{ kind: "claude", stdin: "" }]);
    expect(runs()[0]?.args.at(-1)).toBe("say hello");
  });

  it.each(["onEvent", "onLine", "onExit", "onResult"] as const)(
    "answers although %s throws, and reports that once",
    async (name) => {
      const fl = runtime();
      const { target } = replayedClis({ claude: ["claude-ok-stream"] });
      const broken = (): never => {
        throw new Error("bug in the listener");
      };
      const outcome = await fl.agent([target("claude")]).run("say hello", { [name]: broken });
      expect(outcome).toMatchObject({ status: "done", attempts: 1 });
      const told = fl.recent().flatMap(({ event }) => (event.type === "fault-suppressed" ? [event] : []));
      expect(told).toMatchObject([
        { fault: { message: "bug in the listener" }, reason: expect.stringContaining(name) as string },
      ]);
    },
  );

  it("is tried again after a failure that passes, when it has used no tool", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({ claude: ["claude-529-stream", "claude-ok-stream"] });
    const outcome = await fl.agent([target("claude")]).run("say hello");
    expect(outcome).toMatchObject({ status: "done", attempts: 2 });
    expect(decisionsOf(fl)).toEqual(["claude Overloaded retry"]);
    expect(runs()).toHaveLength(2);
  });

  it("that exits 0 without having answered has failed", async () => {
    const fl = runtime();
    const { target } = replayedClis({ goose: ["goose-500"] });
    const outcome = await fl.agent([target("goose")]).run("say hello");
    expect(outcome.status).not.toBe("done");
    expect(decisionsOf(fl)[0]).toContain("goose Provider5xx");
  });

  it("that is not there says how to get it", async () => {
    const { target } = replayedClis({});
    const outcome = await runtime()
      .agent([target("codex")])
      .run("say hello");
    expect(outcome).toMatchObject({
      status: "failed",
      attempts: 1,
      fault: { code: "BinaryMissing", context: { next: "npm install -g @openai/codex" } },
    });
  });

  it("without a login says what to run, and is not retried", async () => {
    const { target, runs } = replayedClis({ claude: ["claude-noauth-stream"] });
    const outcome = await runtime()
      .agent([target("claude")])
      .run("say hello");
    expect(outcome).toMatchObject({ fault: { code: "AuthFailed" } });
    const next = "fault" in outcome ? outcome.fault.context["next"] : null;
    expect(next).toContain("/login");
    expect(runs()).toHaveLength(1);
  });

  it("whose folder does not exist is not mistaken for a missing one", async () => {
    const { target } = replayedClis({ claude: ["claude-ok-stream"] });
    const outcome = await runtime()
      .agent([target("claude", { cwd: "/does/not/exist" })])
      .run("say hello");
    expect(outcome).toMatchObject({ fault: { code: "ConfigSchemaViolation" } });
  });

  it("gets a long prompt by stdin", async () => {
    const { target, runs } = replayedClis({ claude: ["claude-ok-stream"] });
    const prompt = "word ".repeat(5_000);
    await runtime()
      .agent([target("claude")])
      .run(prompt);
    expect(runs()[0]?.stdin).toBe(prompt);
    expect(runs()[0]?.args.join(" ")).not.toContain("word word");
  });

  it("that asks again and again for what it may not do is stopped, and a person is needed", async () => {
    const [, use = "", denied = "", result = ""] = captureOf("claude-tooldenied-stream").stdout.split("\n");
    const asked = (id: string): string => [use, denied, result].join("\n").replaceAll("toolu_stub01", id);
    const lines = ["a", "b", "c"].map((id) => `${asked(id)}\n`).join("");
    const loop = `process.stdout.write(${JSON.stringify(lines)}); setInterval(() => {}, 1000);`;
    const { target } = replayedClis({});
    const stubborn = target("claude", { command: process.execPath, args: () => ["-e", loop] });
    const outcome = await runtime({ clock: systemClock }).agent([stubborn]).run("tidy up");
    expect(outcome).toMatchObject({ status: "failed", attempts: 1, fault: { code: "PermissionLoop" } });
  });

  it("that is cancelled ends as cancelled, and counts as no failure", async () => {
    const fl = runtime({ clock: systemClock });
    const caller = new AbortController();
    const { target } = replayedClis({});
    const slow = target("generic", { command: "/bin/sleep", args: () => ["600"] });
    const running = fl.agent([slow]).run("", {
      signal: caller.signal,
      onEvent: () => caller.abort(new Error("the user left")),
    });
    expect(await running).toMatchObject({ status: "cancelled", fault: { message: "the user left" } });
    expect(fl.targets()).toMatchObject([{ breaker: "closed" }]);
  });

  it.each([
    ["startup", { startupMs: 100 }, ["-c", "sleep 600"]],
    ["idle", { idleMs: 100 }, ["-c", "echo hello; sleep 600"]],
    ["total", { totalMs: 300 }, ["-c", "while :; do echo tick; sleep 0.05; done"]],
  ] as const)("that hangs is ended, and the fault says which clock did it: %s", async (phase, timeouts, args) => {
    const { target } = replayedClis({});
    const hanging = target("generic", { command: "/bin/sh", args: () => args, timeouts });
    const outcome = await runtime({ clock: systemClock }).agent([hanging]).run("");
    expect(outcome).toMatchObject({ fault: { context: { phase } } });
  });
});

describe("agent CLIs in a chain", () => {
  it("are fallbacks of each other by the rules of any chain", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({ claude: ["claude-529-stream"], codex: ["codex-ok-json"] });
    const switches: unknown[] = [];
    fl.subscribe((entry) => {
      const notice = noticeOf(entry);
      if (notice?.kind === "switch") switches.push([notice.from, notice.to, notice.why]);
    });
    const outcome = await fl.agent([target("claude"), target("codex")]).run("say hello");
    expect(outcome).toMatchObject({ status: "done", from: "codex", value: { target: "codex" } });
    expect(switches).toEqual([["claude", "codex", "Overloaded"]]);
    expect(runs().map(({ kind }) => kind)).toEqual(["claude", "codex"]);
  });

  it("fall back when a plan's limit is reached, and say when it lifts if no target is left", async () => {
    const fl = runtime({ clock: systemClock });
    const { target } = replayedClis({ claude: ["claude-oauth-429unified-stream"] });
    const outcome = await fl.agent([target("claude")]).run("say hello");
    expect(outcome).toMatchObject({ fault: { code: "QuotaExhausted" } });
    expect("fault" in outcome ? outcome.fault.resetAt : 0).toBeGreaterThan(0);
  });

  const endless = (line: string): readonly string[] => ["-c", `while :; do echo '${line}'; sleep 0.05; done`];

  it("a run that never comes to an end is ended, and the next CLI answers", async () => {
    const fl = runtime({ clock: systemClock });
    const { target } = replayedClis({ codex: ["codex-ok-json"] });
    const talking = endless('{"type":"system","subtype":"init","session_id":"s"}');
    const hanging = target("claude", { command: "/bin/sh", args: () => talking, timeouts: { totalMs: 300 } });
    const outcome = await fl.agent([hanging, target("codex")]).run("say hello");
    expect(outcome).toMatchObject({ status: "done", from: "codex" });
    expect(decisionsOf(fl)).toEqual(["claude NetworkTimeout fallback"]);
  });

  it("a run that has used a tool when its time is over is not handed to the next CLI, unless that does no harm", async () => {
    const used = captureOf("claude-tooldenied-stream").stdout.split("\n")[1] ?? "";
    expect(used).toContain("tool_use");
    const { target, runs } = replayedClis({ codex: ["codex-ok-json"] });
    const ask = (idempotent: boolean): ReturnType<ReturnType<Faultline["agent"]>["run"]> =>
      runtime({ clock: systemClock })
        .agent([
          target("claude", { command: "/bin/sh", args: () => endless(used), timeouts: { totalMs: 300 }, idempotent }),
          target("codex"),
        ])
        .run("tidy up");
    expect(await ask(false)).toMatchObject({
      fault: { code: "NetworkTimeout", context: { phase: "total", ran: true } },
    });
    expect(runs()).toEqual([]);
    expect(await ask(true)).toMatchObject({ status: "done", from: "codex" });
  });

  it("an answer of goose that was cut is a lost connection, and the next CLI answers", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({ goose: ["goose-closemid"], codex: ["codex-ok-json"] });
    const outcome = await fl.agent([target("goose"), target("codex")]).run("say hello");
    expect(outcome).toMatchObject({ status: "done", from: "codex" });
    expect(decisionsOf(fl)).toEqual(["goose NetworkDisconnect fallback"]);
    expect(runs()).toHaveLength(2);
  });

  it("a request that is wrong is not carried from one to the other", async () => {
    const { target, runs } = replayedClis({ claude: ["claude-400-stream"], codex: ["codex-ok-json"] });
    const outcome = await runtime()
      .agent([target("claude"), target("codex")])
      .run("say hello");
    expect(outcome).toMatchObject({ fault: { code: "RequestInvalid" } });
    expect(runs()).toHaveLength(1);
  });
});

describe("a session that became too long", () => {
  it("is left for a fresh one with its gist, once", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({ claude: ["claude-400ctx-stream", "claude-ok-stream"] });
    const agent = fl.agent([target("claude")], { summarize: () => "We spoke of trains." });
    const outcome = await agent.run("and now?", { sessions: { claude: "old-session" } });
    expect(outcome).toMatchObject({ status: "done" });
    const [first, second] = runs();
    expect(first?.args).toContain("old-session");
    expect(second?.args).not.toContain("old-session");
    expect(second?.args.at(-1)).toContain("We spoke of trains.");
    expect(second?.args.at(-1)).toContain("and now?");
    expect(decisionsOf(fl)).toEqual(["claude ContextOverflow compact"]);
  });
});

describe("a prompt that is too long", () => {
  it.each<readonly [string, Readonly<Record<string, string>>, CliOptions]>([
    ["without a session", {}, {}],
    ["with a session of another CLI only", { codex: "codex-session" }, {}],
    ["with a session that was in a private home", { claude: "old-session" }, { privateHome: true }],
  ])("is not sent again by the same CLI: %s", async (_what, sessions, options) => {
    const { target, runs } = replayedClis({ claude: ["claude-400ctx-stream"], codex: ["codex-ok-json"] });
    await runtime()
      .agent([target("claude", options), target("codex")])
      .run("and now?", { sessions });
    expect(runs().filter(({ kind }) => kind === "claude")).toHaveLength(1);
    const [ofCodex] = runs().filter(({ kind }) => kind === "codex");
    expect(ofCodex?.args.at(-1)).toBe("and now?");
    expect(ofCodex?.args.includes("codex-session")).toBe("codex" in sessions);
  });

  it("leaves the session of its CLI and keeps those of others", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({
      claude: ["claude-400ctx-stream", "claude-529-stream"],
      codex: ["codex-ok-json"],
    });
    const outcome = await fl
      .agent([target("claude"), target("codex")], { summarize: () => "We spoke of trains." })
      .run("and now?", { sessions: { claude: "old-session", codex: "codex-session" } });
    expect(outcome).toMatchObject({ status: "done", from: "codex" });
    expect(decisionsOf(fl).slice(0, 2)).toEqual(["claude ContextOverflow compact", "claude Overloaded fallback"]);
    const [first, second, third] = runs().map(({ args }) => args);
    expect([first?.includes("old-session"), second?.includes("old-session")]).toEqual([true, false]);
    expect(third).toContain("codex-session");
  });
});

describe("the cost of a session that a CLI reports as a whole", () => {
  /** Claude Code in one session: after each run it reports this cost, and whether the run failed. */
  function reporting(runs: readonly (readonly [usd: number, fails: boolean])[]): CliTarget {
    let made = 0;
    const args = (): readonly string[] => {
      const [usd, fails] = runs[made++] ?? [0, true];
      const { stdout } = captureOf(fails ? "claude-400-stream" : "claude-resume-1");
      const said = stdout
        .replace(/,"model_usage_since_last_result":\{[^}]*\}/, "")
        .replace(/"total_cost_usd":[\d.e-]+/, `"total_cost_usd":${usd}`)
        .replaceAll(/"session_id":"[^"]*"/g, '"session_id":"one"');
      return ["-e", `process.stdout.write(${JSON.stringify(said)}); process.exitCode = ${fails ? 1 : 0};`];
    };
    return cli("claude", { command: process.execPath, args });
  }

  it.each([
    [
      "each run succeeds",
      [
        [1, false],
        [1.5, false],
        [1.8, false],
      ],
      [1, 0.5, 0.3],
    ],
    [
      "a run fails",
      [
        [1, false],
        [1.5, true],
        [1.8, false],
      ],
      [1, 0.5, 0.3],
    ],
    [
      "the first run fails",
      [
        [1, true],
        [1.5, false],
      ],
      [1, 0.5],
    ],
    [
      "a run fails before it has cost anything",
      [
        [1, false],
        [0, true],
        [1.8, false],
      ],
      [1, 0, 0.8],
    ],
  ] as const)("is booked once: %s", async (_what, runs, booked) => {
    const fl = runtime();
    const agent = fl.agent([reporting(runs)]);
    const before = [0, ...booked.map(() => 0)];
    for (const index of booked.keys()) {
      const outcome = await agent.run("go on", { sessions: { claude: "one" } });
      expect(outcome.status === "done").toBe(runs[index]?.[1] === false);
      before[index + 1] = fl.spending.microcents;
    }
    const each = booked.map((_usd, index) => ((before[index + 1] ?? 0) - (before[index] ?? 0)) / 1e8);
    expect(each.map((usd) => usd.toFixed(6))).toEqual(booked.map((usd) => usd.toFixed(6)));
  });
});

describe("a conversation that became too long, without a summariser", () => {
  it("continues in a fresh session with the last answer", async () => {
    const { target, runs } = replayedClis({ claude: ["claude-resume-1", "claude-400ctx-stream", "claude-resume-2"] });
    const bridge = new ChannelBridge(runtime().agent([target("claude")]));
    const { text } = await bridge.handle("chat", "one");
    expect(await bridge.handle("chat", "two")).toMatchObject({ fault: null });
    expect(runs().at(-1)?.args.at(-1)).toContain(`Summary of the conversation so far:\n${text}`);
  });
});

describe("within a session", () => {
  it("a failed run leaves its raw output and its events as files, without secrets", async () => {
    const path = newPath();
    const fl = runtime({ journal: await openJournal(path), clock: systemClock, secrets: ["say hello"] });
    const session = await fl.session("s");
    const { target } = replayedClis({ claude: ["claude-401-stream"] });
    await fl.agent([target("claude")], { within: session }).run("say hello");
    await fl.close();
    const files = readdirSync(dirname(path), { recursive: true, encoding: "utf8" });
    const raw = files.find((file) => file.endsWith("_raw.md"));
    expect(files.some((file) => file.endsWith(".events.jsonl"))).toBe(true);
    expect(raw === undefined ? "" : readFileSync(join(dirname(path), raw), "utf8")).toContain("# claude: AuthFailed");
  });
});

describe("a channel bridge", () => {
  it("continues a channel's session, and never loses a good one to a failed run", async () => {
    const fl = runtime();
    const { target, runs } = replayedClis({
      claude: ["claude-resume-1", "claude-401-stream", "claude-resume-2"],
    });
    const bridge = new ChannelBridge(fl.agent([target("claude")]));
    const first = await bridge.handle("chat", "one");
    expect(first).toMatchObject({ fault: null, errorSubtype: null });
    const known = bridge.sessionsOf("chat");
    expect(known).toEqual({ claude: first.sessionId });
    const second = await bridge.handle("chat", "two");
    expect(second).toMatchObject({ errorSubtype: "fatal", target: "claude" });
    expect(second.fault).not.toBeNull();
    expect(bridge.sessionsOf("chat")).toEqual(known);
    await bridge.handle("chat", "three");
    expect(runs().map(({ args }) => args.includes(first.sessionId ?? "?"))).toEqual([false, true, true]);
  });

  it("answers the messages that wait behind one that is refused", async () => {
    const { target, runs } = replayedClis({ claude: ["claude-ok-stream"] });
    const bridge = new ChannelBridge(runtime().agent([target("claude")]));
    const unknown: object = { onEnd: () => undefined };
    const messages = [
      bridge.handle("chat", "one", unknown),
      bridge.handle("chat", "two"),
      bridge.handle("chat", "three"),
    ];
    const [first, ...others] = await Promise.allSettled(messages);
    expect(first).toMatchObject({ status: "rejected", reason: { fault: { code: "ConfigSchemaViolation" } } });
    expect(others).toMatchObject([{ value: { fault: null } }, { value: { fault: null } }]);
    expect(runs().map(({ args }) => args.at(-1))).toEqual(["two", "three"]);
  });

  it.each([
    ["claude", "claude-resume-1", "claude-badresume", "claude-resume-2"],
    ["gemini", "gemini-ok-stream-json", "gemini-badresume", "gemini-ok-stream-json"],
    ["qwen", "qwen-ok-stream", "qwen-badresume", "qwen-ok-stream"],
    ["opencode", "opencode-ok-json", "opencode-badsession", "opencode-ok-json"],
  ] as const)("leaves a session that %s has lost, with its gist", async (kind, first, lost, later) => {
    const { target, runs } = replayedClis({ [kind]: [first, lost, later, later] });
    const bridge = new ChannelBridge(runtime().agent([target(kind)]));
    const { text, sessionId } = await bridge.handle("chat", "one");
    expect(await bridge.handle("chat", "two")).toMatchObject({ fault: null });
    expect(runs().map(({ args }) => args.includes(sessionId ?? "?"))).toEqual([false, true, false]);
    expect(runs().at(-1)?.args.join(" ")).toContain(`Summary of the conversation so far:\n${text}`);
  });

  it("calls its own clock a timeout and a caller who leaves an abort, whatever the words", async () => {
    const { target } = replayedClis({});
    const hanging = target("generic", {
      command: "/bin/sh",
      args: () => ["-c", "sleep 600"],
      timeouts: { startupMs: 50 },
    });
    const bridge = new ChannelBridge(runtime({ clock: systemClock }).agent([hanging]));
    expect(await bridge.handle("a", "x")).toMatchObject({ errorSubtype: "timeout", aborted: false });
    const caller = new AbortController();
    const left = bridge.handle("b", "x", { signal: caller.signal, onEvent: () => caller.abort() });
    expect(await left).toMatchObject({ errorSubtype: "aborted", aborted: true });
  });
});
