// Retrying a stage: unchanged, at once, on another target, or with a renewed credential.

import { expect, it } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { captureOf } from "../../agent/captures/read-captures.ts";
import { type Case, goThrough } from "./case.ts";

const LATER = "retry: { max_attempts: 2, initial: 10m, max: 1h, jitter: 0 }";

const flow = (agent: string, node = "", head = ""): string => `${head}
agents:
  planner: { model: openai/planner }
  coder: ${agent}
nodes:
  plan: { type: agent, agent: planner, prompt: Plan it., next: code }
  code: { type: agent, agent: coder, prompt: "Write {{ nodes.plan.output }}", ${node === "" ? "" : `${node}, `}next: done }
  done: { type: transform, value: "({ code: nodes.code.output })", next: { to: end, outcome: written } }
`;

const ALL_ONCE = { plan: 1, code: 2, done: 1 } as const;
const KEEPS_PLAN = ["plan"] as const;
const WRITTEN = { status: "completed", outcome: "written" } as const;
const ASKS = (code: string): string => `policy: { rows: [{ match: { code: [${code}] }, then: [ask, fail] }] }`;
const PARKS = (code: string): string => `policy: { rows: [{ match: { code: [${code}] }, then: [park, fail] }] }`;
const OVERWORKED: ScenarioRule = { when: { model: "coder" }, sequence: ["unavailable", "unavailable", "unavailable"] };

const played = (name: string): string => {
  const { stdout, stderr, exitCode } = captureOf(name);
  return `process.stdout.write(${JSON.stringify(stdout)}); process.stderr.write(${JSON.stringify(stderr)}); process.exitCode = ${exitCode ?? 1};`;
};

const CASES: readonly Case[] = [
  {
    name: "retry-stage continues a failed run in a successor",
    action: "retry-stage",
    form: "successor",
    yaml: flow("{ model: openai/coder }"),
    rules: [OVERWORKED],
    fault: "Overloaded",
    offer: { node: "code", redoes: ["code", "new run"], keeps: KEEPS_PLAN },
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked }) => {
      expect([asked("planner").length, asked("coder").length]).toEqual([1, 4]);
      expect(asked("coder").at(3)).toBe(asked("coder").at(0));
    },
  },
  {
    name: "retry-stage gives a stage that waits for its next attempt this one now",
    action: "retry-stage",
    form: "in place",
    yaml: flow("{ model: openai/coder }", LATER),
    rules: [OVERWORKED],
    fault: "Overloaded",
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: KEEPS_PLAN },
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked, clock }, { at }) => {
      expect([asked("planner").length, asked("coder").length]).toEqual([1, 4]);
      expect(clock.now() - at).toBeLessThan(60_000);
    },
  },
  {
    name: "retry-now does not wait for the time of the next attempt",
    action: "retry-now",
    form: "in place",
    yaml: flow("{ model: openai/coder }", LATER),
    rules: [OVERWORKED],
    fault: "Overloaded",
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: KEEPS_PLAN },
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked, clock }, { at }) => {
      expect(asked("coder")).toHaveLength(4);
      expect(clock.now() - at).toBeLessThan(60_000);
    },
  },
  {
    name: "retry-now does not wait for a quota that comes back in an hour",
    action: "retry-now",
    form: "in place",
    yaml: flow("{ model: openai/coder }"),
    rules: [{ when: { model: "coder" }, sequence: ["quota-reset"] }],
    fault: "QuotaExhausted",
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: KEEPS_PLAN },
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked, clock }, { at }) => {
      expect(asked("coder")).toHaveLength(2);
      expect(clock.now() - at).toBeLessThan(60_000);
    },
  },
  {
    name: "retry-now does not wait for a limit that the provider says to wait for",
    action: "retry-now",
    form: "in place",
    yaml: flow("{ model: openai/coder }"),
    rules: [{ when: { model: "coder" }, sequence: [{ "fault": "rate-limit", "retry-after": 1_200 }] }],
    fault: "RateLimited",
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: KEEPS_PLAN },
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked, clock }, { at }) => {
      expect(asked("coder")).toHaveLength(2);
      expect(clock.now() - at).toBeLessThan(60_000);
    },
  },
  {
    name: "retry-now is offered and done again when the limit was still there",
    action: "retry-now",
    form: "in place",
    yaml: flow("{ model: openai/coder }"),
    rules: [
      {
        when: { model: "coder" },
        sequence: Array.from({ length: 2 }, () => ({ "fault": "rate-limit", "retry-after": 1_200 })),
      },
    ],
    fault: "RateLimited",
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: KEEPS_PLAN },
    end: { status: "paused" },
    started: { plan: 1, code: 2 },
    sees: async ({ asked, runs, until, advance, clock }, { run, at }) => {
      expect(asked("coder")).toHaveLength(2);
      expect(await until(runs.act(run, "retry-now"))).toEqual({ run, did: true });
      expect(await advance(run)).toMatchObject(WRITTEN);
      expect(clock.now() - at).toBeLessThan(60_000);
    },
  },
  {
    name: "switch-provider asks the other model in a new run, and not the first one",
    action: "switch-provider",
    form: "successor",
    yaml: flow("{ model: openai/coder, fallback: [openai/second, anthropic/third] }"),
    rules: [{ when: { model: "coder" }, fault: "unauthorized" }],
    fault: "AuthFailed",
    offer: {
      node: "code",
      needs: "target",
      choices: ["openai/second", "anthropic/third"],
      redoes: ["code", "chosen provider", "new run"],
      keeps: KEEPS_PLAN,
    },
    params: { target: "anthropic/third" },
    wrong: [
      [{}, "target"],
      [{ target: "openai/coder" }, "target"],
    ],
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked }) => {
      expect(["coder", "second", "third"].map((model) => asked(model).length)).toEqual([1, 0, 1]);
      expect(asked("planner")).toHaveLength(1);
    },
  },
  {
    name: "switch-provider asks the other model in place of one whose quota is used up",
    action: "switch-provider",
    form: "in place",
    yaml: flow("{ model: openai/coder, fallback: [anthropic/third] }", "", PARKS("QuotaExhausted")),
    rules: [{ when: { model: "coder" }, fault: "quota-reset" }],
    fault: "QuotaExhausted",
    offer: {
      node: "code",
      needs: "target",
      choices: ["anthropic/third"],
      redoes: ["code", "chosen provider", "attempt 2"],
      keeps: KEEPS_PLAN,
    },
    params: { target: "anthropic/third" },
    wrong: [[{ target: "" }, "target"]],
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked, clock }, { at }) => {
      expect([asked("coder").length, asked("third").length]).toEqual([1, 1]);
      expect(clock.now() - at).toBeLessThan(60_000);
    },
  },
  {
    name: "sign-in-again tries a key that became valid, in a new run",
    action: "sign-in-again",
    form: "successor",
    yaml: flow("{ model: openai/coder }"),
    rules: [{ when: { model: "coder", key: "sk-of-the-test" }, fault: "unauthorized" }],
    fault: "AuthFailed",
    offer: { node: "code", redoes: ["code", "new run"], keeps: KEEPS_PLAN },
    mends: ({ env }) => void (env["OPENAI_API_KEY"] = "sk-of-tomorrow"),
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked }) => {
      expect([asked("planner").length, asked("coder").length]).toEqual([1, 2]);
    },
  },
  {
    name: "sign-in-again tries a key that became valid while the run waits for it",
    action: "sign-in-again",
    form: "in place",
    yaml: flow("{ model: openai/coder }", "", ASKS("AuthFailed")),
    rules: [{ when: { model: "coder", key: "sk-of-the-test" }, fault: "unauthorized" }],
    fault: "AuthFailed",
    offer: { node: "code", redoes: ["code", "attempt 2"], keeps: KEEPS_PLAN },
    mends: ({ env }) => void (env["OPENAI_API_KEY"] = "sk-of-tomorrow"),
    end: WRITTEN,
    started: ALL_ONCE,
    sees: async ({ asked, journal }) => {
      expect(asked("coder")).toHaveLength(2);
      expect(await journal.keptAll("question")).toEqual([]);
    },
  },
  {
    name: "sign-in-again starts an agent CLI again after a person signed in with it",
    action: "sign-in-again",
    form: "successor",
    yaml: flow("{ cli: claude }"),
    clis: {
      claude: `if (existsSync(folder + "/login")) { ${played("claude-ok-stream")} } else { ${played("claude-401-stream")} }`,
    },
    fault: "AuthFailed",
    offer: { node: "code", redoes: ["code", "new run"], keeps: KEEPS_PLAN },
    mends: ({ write }) => write("login", "yes"),
    end: WRITTEN,
    started: ALL_ONCE,
    sees: ({ asked, lines }) => {
      expect([asked("planner").length, lines("started.txt").length]).toEqual([1, 2]);
    },
  },
];

it.each(CASES)("$name", goThrough);
