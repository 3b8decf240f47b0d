// Raising a limit that was reached: money, time, nodes or rounds; and the new limit is respected.

import { expect, it } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { type Case, goThrough } from "./case.ts";

const LATER =
  "resolution: retry-later, idempotent: true, retry: { max_attempts: 3, initial: 10m, max: 1h, jitter: 0 }, ";
const LOOKUP = `process.stdin.resume(); process.stdin.on("end", () => process.stdout.write('"found"'));`;
const SLOW: ScenarioRule = { "when": { model: "coder" }, "fault": "slow-first-token", "wait-ms": 40_000 };
const CALLS = (model: string, times: number): ScenarioRule => ({
  when: { model },
  sequence: Array.from({ length: times }, () => ({ call: { tool: "lookup", input: { q: "x" } } })),
});

interface Flow {
  readonly head?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly node?: string;
}

const flow = ({ head = "", agent = "", model = "coder", node = "" }: Flow): string => `${head}
agents:
  coder: { model: openai/${model}, tools: [lookup]${agent} }
tools:
  lookup: { command: [node, lookup.mjs], description: Looks it up, input: { type: object, properties: { q: { type: string } } }, idempotent: true }
nodes:
  plan: { type: transform, value: "1", next: code }
  code: { type: agent, agent: coder, prompt: Write it., ${node}next: done }
  done: { type: transform, value: "2", next: { to: end, outcome: written } }
`;

const raised: Pick<Case, "action" | "files" | "end" | "started"> = {
  action: "raise-limit",
  files: { "lookup.mjs": LOOKUP },
  end: { status: "completed", outcome: "written" },
  started: { plan: 1, code: 2, done: 1 },
};
const offer = (
  limits: Readonly<Record<string, number>>,
  redoes: string,
  node = "code",
  keeps = "plan",
): Case["offer"] => ({
  node,
  needs: "limits",
  choices: Object.keys(limits),
  limits,
  redoes: [node, redoes],
  keeps: [keeps],
});
const wrong = (name: string, now: number): NonNullable<Case["wrong"]> => [
  [{}, "limits"],
  [{ limits: {} }, "limits"],
  [{ limits: { [name]: now } }, "limits"],
  [{ limits: { [name]: now + 0.5 } }, "limits"],
  [{ limits: { patience: 3 } }, "limits"],
];
const DOLLAR = 100_000_000;

const CASES: readonly Case[] = [
  {
    ...raised,
    name: "raise-limit gives a run more money in a new one",
    form: "successor",
    yaml: flow({ head: "limits: { max_cost_usd: 0.0000001 }", model: "gpt-4o" }),
    fault: "BudgetExceeded",
    offer: offer({ maxCostMicrocents: 10 }, "new run"),
    params: { limits: { maxCostMicrocents: DOLLAR } },
    wrong: wrong("maxCostMicrocents", 10),
    sees: async ({ asked, show }, { run }) => {
      expect(asked("gpt-4o")).toHaveLength(1);
      expect((await show(run)).state.limits.maxCostMicrocents).toBe(DOLLAR);
    },
  },
  {
    ...raised,
    name: "raise-limit gives a run that asks for it more money",
    form: "in place",
    yaml: flow({ head: "limits: { max_cost_usd: 0.0000001, on_exceed: pause_for_approval }", model: "gpt-4o" }),
    fault: "BudgetExceeded",
    offer: offer({ maxCostMicrocents: 10 }, "attempt 2"),
    params: { limits: { maxCostMicrocents: DOLLAR } },
    wrong: wrong("maxCostMicrocents", 10),
    sees: async ({ asked, show }, { run }) => {
      expect(asked("gpt-4o")).toHaveLength(1);
      expect((await show(run)).state.limits.maxCostMicrocents).toBe(DOLLAR);
    },
  },
  {
    ...raised,
    name: "raise-limit gives an agent whose money is used up more of it",
    form: "in place",
    yaml: flow({ agent: ", budget: { max_cost_usd: 0.0000001 }", model: "gpt-4o", node: LATER }),
    rules: [CALLS("gpt-4o", 1)],
    fault: "BudgetExceeded",
    offer: offer({ maxCostMicrocents: 10 }, "attempt 2"),
    params: { limits: { maxCostMicrocents: DOLLAR } },
    wrong: wrong("maxCostMicrocents", 10),
    sees: async ({ asked, show }, { run }) => {
      expect(asked("gpt-4o")).toHaveLength(2);
      // The run had no limit, and has none now.
      expect((await show(run)).state.limits.maxCostMicrocents).toBe(0);
    },
  },
  {
    ...raised,
    name: "raise-limit gives an agent whose money is used up more of it in a new run",
    form: "successor",
    yaml: flow({ agent: ", budget: { max_cost_usd: 0.0000001 }", model: "gpt-4o" }),
    rules: [
      {
        when: { model: "gpt-4o" },
        sequence: [CALLS("gpt-4o", 1).sequence?.[0] ?? "ok", ...(CALLS("gpt-4o", 2).sequence ?? [])],
      },
    ],
    fault: "BudgetExceeded",
    offer: offer({ maxCostMicrocents: 10 }, "new run"),
    params: { limits: { maxCostMicrocents: DOLLAR } },
    wrong: wrong("maxCostMicrocents", 10),
    sees: ({ asked }) => {
      expect(asked("gpt-4o")).toHaveLength(4);
    },
  },
  {
    ...raised,
    name: "raise-limit gives a run more time in a new one",
    form: "successor",
    yaml: flow({ head: "limits: { timeout: 30s }" }),
    rules: [SLOW],
    fault: "RunTimeout",
    offer: offer({ timeoutMs: 30_000 }, "new run"),
    params: { limits: { timeoutMs: 600_000 } },
    wrong: wrong("timeoutMs", 30_000),
    sees: async ({ show }, { run }) => {
      expect((await show(run)).state.limits.timeoutMs).toBe(600_000);
    },
  },
  {
    ...raised,
    name: "raise-limit gives an attempt more time in a new run",
    form: "successor",
    yaml: flow({ node: "timeout: 30s, " }),
    rules: [SLOW],
    fault: "TurnTimeout",
    offer: offer({ timeoutMs: 30_000 }, "new run"),
    params: { limits: { timeoutMs: 600_000 } },
    wrong: wrong("timeoutMs", 30_000),
    sees: async ({ show }, { run }) => {
      expect((await show(run)).state.limits.timeoutMs).toBe(null);
    },
  },
  {
    ...raised,
    name: "raise-limit gives an attempt more time while the run waits",
    form: "in place",
    yaml: flow({ node: `timeout: 30s, ${LATER}` }),
    rules: [SLOW],
    fault: "TurnTimeout",
    offer: offer({ timeoutMs: 30_000 }, "attempt 2"),
    params: { limits: { timeoutMs: 600_000 } },
    wrong: wrong("timeoutMs", 30_000),
    sees: async ({ show }, { run }) => {
      expect((await show(run)).state.limits.timeoutMs).toBe(null);
    },
  },
  {
    ...raised,
    name: "raise-limit lets a run visit more nodes in a new one",
    form: "successor",
    yaml: flow({ head: "limits: { max_nodes: 2 }" }),
    fault: "TurnLimit",
    offer: offer({ maxNodes: 2 }, "new run", "done", "plan, code"),
    params: { limits: { maxNodes: 9 } },
    wrong: wrong("maxNodes", 2),
    started: { plan: 1, code: 1, done: 1 },
    sees: async ({ asked, show }, { run }) => {
      expect(asked("coder")).toHaveLength(1);
      expect((await show(run)).state.limits.maxNodes).toBe(9);
    },
  },
  {
    ...raised,
    name: "raise-limit lets an agent make more rounds in a new run",
    form: "successor",
    yaml: flow({ agent: ", turn_cap: 2, on_cap: fail" }),
    rules: [CALLS("coder", 5)],
    fault: "TurnLimit",
    offer: offer({ turnCap: 2 }, "new run"),
    params: { limits: { turnCap: 4 } },
    wrong: wrong("turnCap", 2),
    sees: ({ asked }) => {
      expect(asked("coder")).toHaveLength(6);
    },
  },
  {
    ...raised,
    name: "raise-limit lets an agent make more rounds while the run waits",
    form: "in place",
    yaml: flow({ agent: ", turn_cap: 2, on_cap: fail", node: LATER }),
    rules: [CALLS("coder", 5)],
    fault: "TurnLimit",
    offer: offer({ turnCap: 2 }, "attempt 2"),
    params: { limits: { turnCap: 4 } },
    wrong: wrong("turnCap", 2),
    sees: ({ asked }) => {
      expect(asked("coder")).toHaveLength(6);
    },
  },
];

it.each(CASES)("$name", goThrough);
