// Proves which fault a request gets: by header, by model, by script, by scenario; that the same seed gives the same run; and that a
// mistake in a scenario is shown where it is.

import { afterEach, describe, expect, it } from "vitest";
import { parseScenario } from "../../src/chaos/scenario.ts";
import type { Scenario } from "../../src/chaos/scenario-schema.ts";
import { type Chaos, type ChaosOptions, startChaos } from "../../src/chaos/start-chaos.ts";
import { isFaultError } from "../../src/core/index.ts";
import { thrownBy } from "../support/thrown.ts";
import { ask, impatientClock, type Question } from "./asking.ts";

const open: Chaos[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((chaos) => chaos.close()));
});

async function start(options: ChaosOptions): Promise<Chaos> {
  const chaos = await startChaos({ clock: impatientClock, ...options });
  open.push(chaos);
  return chaos;
}

/** The faults that so many requests get, one after the other. */
async function faultsOf(chaos: Chaos, questions: readonly Question[]): Promise<readonly (string | null)[]> {
  for (const question of questions) await ask(chaos, "openai-chat", question);
  return chaos.received().map(({ fault }) => fault);
}

const times = (count: number, question: Question = {}): readonly Question[] =>
  Array.from({ length: count }, () => question);

describe("a fault is chosen", () => {
  it("by header before model, model before script, script before scenario", async () => {
    const chaos = await start({ scenario: { rules: [{ fault: "server-error" }] } });
    chaos.script(["overloaded"]);
    const both = { model: "quota", headers: { "x-chaos": "forbidden" } };
    await faultsOf(chaos, [both, { model: "quota" }, {}, {}]);
    expect(chaos.received().map(({ fault, chosenBy }) => [fault, chosenBy])).toEqual([
      ["forbidden", "header"],
      ["quota", "model"],
      ["overloaded", "script"],
      ["server-error", "scenario"],
    ]);
  });

  it.each(["overloaded", "chaos-overloaded", "anything/overloaded", "a/b/chaos-overloaded:as=html"])(
    "by the model name %s",
    async (model) => {
      const chaos = await start({});
      expect((await ask(chaos, "openai-chat", { model })).status).toBe(529);
      expect((await ask(chaos, "google", { model })).status).toBe(529);
    },
  );

  it.each(["gpt-5.5", "llama3:8b", "not-a-fault", "my/overloaded-model"])(
    "never by the model name %s",
    async (model) => {
      expect((await ask(await start({}), "openai-chat", { model })).status).toBe(200);
    },
  );

  it.each([
    [{ headers: { "x-chaos": "cut-strem" } }, /no fault `cut-strem`\. Did you mean `cut-stream`\?/],
    [{ model: "chaos-nothing-like-it" }, /faultline chaos --list/],
    [{ headers: { "x-chaos": "rate-limit; after=3" } }, /has no parameter `after`; it has retry-after/],
    [{ headers: { "x-chaos": "rate-limit; retry-after=soon" } }, /is a number/],
    [{ headers: { "x-chaos": "rate-limit; retry-after=1e300" } }, /number from 0 to 100000000/],
    [{ model: "hang:for-ms=1e12" }, /number from 0 to 86400000/],
    [{ headers: { "x-chaos": "stall; after=1.5" } }, /`after` is a whole number/],
    [{ headers: { "x-chaos": "server-error; as=xml" } }, /one of json, html/],
    [{ headers: { "x-chaos": "no-end-mark" } }, /streams only/],
  ])("and a mistake in %o is answered with what is wrong", async (question, message) => {
    const chaos = await start({});
    const { status, text } = await ask(chaos, "anthropic", question);
    expect(status).toBe(400);
    expect(text).toMatch(message);
    expect(chaos.received()[0]?.complaint).toMatch(message);
  });
});

describe("a scenario", () => {
  const cases: readonly (readonly [string, Scenario["rules"], readonly Question[], readonly (string | null)[]])[] = [
    [
      "the first rule that fits wins",
      [{ when: { model: "a*" }, fault: "quota" }, { fault: "overloaded" }],
      [{ model: "abc" }, { model: "b" }],
      ["quota", "overloaded"],
    ],
    [
      "a request is counted among those that fit",
      [{ when: { model: "a", request: 2 }, fault: "quota" }],
      [{ model: "a" }, { model: "b" }, { model: "a" }, { model: "a" }],
      [null, null, "quota", null],
    ],
    [
      "two rules may share a count",
      [
        { when: { request: 1 }, fault: "quota" },
        { when: { request: 2 }, fault: "forbidden" },
      ],
      times(3),
      ["quota", "forbidden", null],
    ],
    ["a range of requests", [{ when: { request: "2-3" }, fault: "quota" }], times(4), [null, "quota", "quota", null]],
    ["from a request on", [{ when: { request: "3-" }, fault: "quota" }], times(4), [null, null, "quota", "quota"]],
    ["every second request", [{ when: { every: 2 }, fault: "quota" }], times(4), [null, "quota", null, "quota"]],
    ["only so many times", [{ fault: "quota", times: 2 }], times(3), ["quota", "quota", null]],
    ["one protocol only", [{ when: { protocol: "google" }, fault: "quota" }], times(1), [null]],
    [
      "one key only",
      [{ when: { key: "sk-a" }, fault: "quota" }],
      [{ headers: { authorization: "Bearer sk-a" } }, { headers: { authorization: "Bearer sk-b" } }, {}],
      ["quota", null, null],
    ],
    [
      "streams only, where the fault needs one",
      [{ fault: "no-end-mark" }],
      [{}, { streaming: true }],
      [null, "no-end-mark"],
    ],
    [
      "a sequence, a place for each model, and good answers behind its end",
      [{ sequence: ["quota", "ok", { fault: "overloaded" }] }],
      [{ model: "a" }, { model: "b" }, { model: "a" }, { model: "a" }, { model: "a" }],
      ["quota", "quota", null, "overloaded", null],
    ],
    [
      "a sequence that begins again",
      [{ sequence: ["quota", "ok"], repeat: true }],
      times(4),
      ["quota", null, "quota", null],
    ],
    ["probability 0", [{ fault: "quota", probability: 0 }], times(5), [null, null, null, null, null]],
    ["probability 1", [{ fault: "quota", probability: 1 }], times(2), ["quota", "quota"]],
  ];

  it.each(cases)("%s", async (_what, rules, questions, faults) => {
    expect(await faultsOf(await start({ scenario: { rules: rules ?? [] } }), questions)).toEqual(faults);
  });

  it("gives the same run for the same seed, and another for another", async () => {
    const scenario = `
rules:
  - when: { model: flaky }
    fault: server-error
    probability: 0.5
  - when: { model: "*" }
    fault: rate-limit
    retry-after: 3
    probability: 0.3
`;
    const questions = Array.from({ length: 30 }, (_one, index) => ({ model: index % 2 === 0 ? "flaky" : "other" }));
    const runs = [];
    for (const seed of [7, 7, 8]) runs.push(await faultsOf(await start({ scenario, seed }), questions));
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).not.toEqual(runs[0]);
    expect(new Set(runs[0])).toEqual(new Set(["server-error", "rate-limit", null]));
  });

  it("gives each model the same run, whatever other models ask meanwhile", async () => {
    const scenario = { rules: [{ fault: "server-error", probability: 0.5 } as const] };
    const questions = (models: string): readonly Question[] => models.split(" ").map((model) => ({ model }));
    const ofOne = async (asked: readonly Question[]): Promise<readonly (string | null)[]> => {
      const chaos = await start({ scenario });
      await faultsOf(chaos, asked);
      return chaos.received().flatMap(({ model, fault }) => (model === "a" ? [fault] : []));
    };
    const alone = await ofOne(questions("a a a a a a a a"));
    expect(new Set(alone)).toEqual(new Set(["server-error", null]));
    expect(await ofOne(questions("b a b a b b b a b a a b a a b a"))).toEqual(alone);
  });

  it("starts again after a reset", async () => {
    const chaos = await start({ scenario: { rules: [{ fault: "quota", times: 1 }] } });
    expect(await faultsOf(chaos, times(2))).toEqual(["quota", null]);
    chaos.reset();
    expect(await faultsOf(chaos, times(2))).toEqual(["quota", null]);
  });

  it("calls a tool once and answers its result in words", async () => {
    const chaos = await start({ scenario: { rules: [{ call: { tool: "weather", input: { city: "Oslo" } } }] } });
    const first = await ask(chaos, "openai-chat");
    expect(JSON.parse(first.text)).toMatchObject({
      choices: [
        { finish_reason: "tool_calls", message: { tool_calls: [{ function: { arguments: '{"city":"Oslo"}' } }] } },
      ],
    });
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: null },
      { role: "tool", content: "rain" },
    ];
    const second = await ask(chaos, "openai-chat", { body: { messages } });
    expect(JSON.parse(second.text)).toMatchObject({ choices: [{ message: { content: "The tool said: rain" } }] });
  });

  it("may script answers of any length", async () => {
    const chaos = await start({});
    const answer = "word ".repeat(200_000);
    chaos.script([{ answer }]);
    expect(JSON.parse((await ask(chaos, "openai-chat")).text)).toMatchObject({
      choices: [{ message: { content: answer } }],
    });
  });

  it("lets a fault happen to a scripted answer", async () => {
    const chaos = await start({});
    chaos.script([{ fault: "cut-stream", after: 1, answer: "one two three" }]);
    const { text, error } = await ask(chaos, "openai-chat", { streaming: true });
    expect(error).not.toBeNull();
    expect(text).toContain('"content":"one "');
    expect(text).not.toContain("two");
  });
});

describe("a mistake in a scenario", () => {
  it.each([
    ["rules:\n  - fault: rate-limt\n", "CHAOS004", 2, 12, /did you mean `rate-limit`/],
    ["rules:\n  - when: { modle: x }\n    fault: quota\n", "CHAOS002", 2, 13, /did you mean `model`/],
    ["rules:\n  - fault: quota\n    probability: 2\n", "CHAOS005", 3, 18, /at most 1/],
    ["rules:\n  - fault: quota\n    times: often\n", "CHAOS003", 3, 12, /must be a number/],
    ["rules:\n  - call: {}\n", "CHAOS006", 2, 5, /tool/],
    ["rules:\n  - when: { model: x }\n", "CHAOS007", 2, 5, /neither a fault nor an answer is given/],
    ["rules:\n  - fault: rate-limit\n    after: 3\n", "CHAOS007", 3, 12, /has no parameter `after`/],
    ["rules:\n  - answer: a\n    json: 1\n", "CHAOS007", 3, 11, /cannot be combined with answer/],
    ["rules:\n  - fault: quota\n    sequence: [ok]\n", "CHAOS007", 2, 12, /combined with a sequence/],
    ['rules:\n  - when: { request: "4-2" }\n    fault: quota\n', "CHAOS007", 2, 22, /ends before it begins/],
    ["rules:\n  - sequence: [ok, nope]\n", "CHAOS004", 2, 20, /nope/],
    ["rules: [", "CHAOS001", 1, 8, /./],
  ])("%j is shown at its place", (text, code, line, column, message) => {
    const { scenario, diagnostics } = parseScenario(text, "flaky.yaml");
    expect(scenario).toBeNull();
    expect(diagnostics[0]).toMatchObject({ code, line, column, file: "flaky.yaml" });
    expect(`${diagnostics[0]?.message ?? ""} ${diagnostics[0]?.label ?? ""}`).toMatch(message);
  });

  it("is a Validation fault that names the line, whether it is text or an object", async () => {
    for (const scenario of ["rules:\n  - fault: nope\n", { rules: [{ fault: "nope" }] } as unknown as Scenario]) {
      const error = await thrownBy(startChaos({ scenario }));
      if (!isFaultError(error)) throw error;
      expect(error.fault).toMatchObject({ class: "Validation", code: "ConfigSchemaViolation" });
      expect(error.message).toMatch(/rules\[0\]\.fault cannot be `nope`[^]*scenario:\d/);
    }
  });

  it("in a script is refused, too", async () => {
    const chaos = await start({});
    expect(() => chaos.script(["nope" as "ok"])).toThrow(/rules\[0\]\.sequence\[0\] cannot be `nope`/);
    expect((await ask(chaos, "openai-chat")).status).toBe(200);
  });
});
