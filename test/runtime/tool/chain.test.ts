// A chain is a value that `protect` takes like a tool, whatever its members are.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { fault, type Fault, FaultError, type Faultline, type Outcome, tool } from "../../../src/index.ts";
import { chain, type ChainOptions, type Member } from "../../../src/runtime/tool/chain.ts";
import type { Chain, RunContext } from "../../../src/runtime/tool/tool.ts";
import { world, type World } from "../../support/world.ts";

class Question {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  revived(): this {
    return this;
  }
}

type Answer = (context: RunContext) => string;

function member(id: string, answer: Answer, more: Partial<Member<Question, string>> = {}): Member<Question, string> {
  const { endpoint = id } = more.facts ?? {};
  return {
    tool: tool<Question, string>({
      id,
      surface: "http",
      idempotent: true,
      run: (_question, context) => answer(context),
    }),
    facts: { endpoint, account: id, model: id, capabilities: [], contextWindowTokens: Infinity, lastResort: false },
    ...more,
  };
}

const down: Answer = () => {
  throw new FaultError(fault("Overloaded", { message: "down" }));
};

function ended<T>({ clock }: World, outcome: Promise<T>): Promise<T> {
  return clock.runUntil(outcome);
}

type Protect = (fl: Faultline, asked: Chain<Question, string>) => Promise<Outcome<string>>;

const DOORS: readonly (readonly [door: string, protect: Protect])[] = [
  ["the runtime", (fl, asked) => fl.protect(asked, new Question("?"))],
  ["a session", async (fl, asked) => (await fl.session("s")).protect(asked, new Question("?"))],
  [
    "a turn",
    async (fl, asked) => {
      const session = await fl.session("s");
      const outcomes: Outcome<string>[] = [];
      await session.turn(async (turn) => void outcomes.push(await turn.protect(asked, new Question("?"))));
      const [outcome] = outcomes;
      if (outcome === undefined) throw new Error("the turn did not run");
      return outcome;
    },
  ],
];

describe("a chain", () => {
  it.each(DOORS)("is protected by %s: its second member answers for the first", async (_door, protect) => {
    const here = world();
    const asked = chain([member("first", down), member("second", () => "here")]);
    expect(await ended(here, protect(here.fl, asked))).toMatchObject({ status: "done", value: "here", from: "second" });
  });

  it("gives members of the same name names of their own, so that it can switch between them", async () => {
    const here = world();
    const tried: string[] = [];
    const other = {
      endpoint: "b",
      account: "b",
      model: "b",
      capabilities: [],
      contextWindowTokens: 1,
      lastResort: false,
    };
    const asked = chain(
      [
        member("claude", (context) => (tried.push(context.tool), down(context))),
        member("claude", (context) => (tried.push(context.tool), "here"), { facts: other }),
      ],
      { retryBeforeFallback: { maxAttempts: 1 } },
    );
    await ended(here, here.fl.protect(asked, new Question("?")));
    expect(tried).toEqual(["claude", "claude#2"]);
  });

  const TRIES: readonly (readonly [string, ChainOptions<Question>, number | undefined, number])[] = [
    ["the chain's retryBeforeFallback", { retryBeforeFallback: { maxAttempts: 3 } }, undefined, 3],
    ["the member's own, which comes before the chain's", { retryBeforeFallback: { maxAttempts: 3 } }, 2, 2],
  ];
  it.each(TRIES)("tries a member as often as %s says while another can answer", async (_what, options, own, times) => {
    const here = world();
    let tried = 0;
    const first = member("first", (context) => ((tried += 1), down(context)), {
      ...(own === undefined ? {} : { retryBeforeFallback: { maxAttempts: own } }),
    });
    await ended(here, here.fl.protect(chain([first, member("second", () => "here")], options), new Question("?")));
    expect(tried).toBe(times);
  });

  it("tells a running member whether another one could take over", async () => {
    const here = world();
    const seen: boolean[] = [];
    const refused = fault("AuthFailed", { message: "401" });
    const overloaded = fault("Overloaded", { message: "529" });
    const ask: Answer = ({ hasFallback }) => {
      seen.push(hasFallback(), hasFallback(overloaded), hasFallback(fault("ContentFiltered", { message: "no" })));
      throw new FaultError(refused);
    };
    const asked = chain([member("first", ask), member("second", () => "here")]);
    await ended(here, here.fl.protect(asked, new Question("?")));
    await here.fl.isolate("second@second#second", "maintenance");
    await ended(here, here.fl.protect(asked, new Question("?")));
    await ended(here, here.fl.protect(chain([member("alone", ask)]), new Question("?")));
    expect(seen.slice(0, 9)).toEqual([true, true, false, true, false, false, false, false, false]);
  });
});

describe("a failure is classified once", () => {
  /** Counts how often something reads the error's status. */
  function counted(): { readonly error: Error; readonly reads: () => number } {
    let reads = 0;
    const error = Object.defineProperty(new Error("bad request"), "statusCode", {
      get: () => ((reads += 1), 400),
      enumerable: true,
    });
    return { error, reads: () => reads };
  }

  const failing = (error: Error): LanguageModelV4 => ({
    specificationVersion: "v4",
    provider: "openai.chat",
    modelId: "gpt-5",
    supportedUrls: {},
    doGenerate: () => Promise.reject(error),
    doStream: () => Promise.reject(error),
  });

  it.each([
    ["of a whole answer", (model: LanguageModelV4) => model.doGenerate({ prompt: [] })],
    ["of a streamed answer", (model: LanguageModelV4) => model.doStream({ prompt: [] })],
    ["of fl.fetch", null],
  ])("%s, although its cost depends on what it was", async (_what, ask) => {
    const plain = counted();
    const here = world();
    const thrower = tool({ id: "t", surface: "http", provider: "openai", run: () => Promise.reject(plain.error) });
    await ended(here, here.fl.protect(thrower, undefined));
    const chained = counted();
    const there = world();
    const asked =
      ask === null
        ? there.fl.fetch({ provider: "openai", fetch: () => Promise.reject(chained.error) })(
            "https://api.openai.com/v1/chat/completions",
            { method: "POST", body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "?" }] }) },
          )
        : ask(there.fl.model([failing(chained.error)]));
    const failure = Promise.resolve(asked).then(
      () => null,
      (error: unknown) => (error as { readonly fault: Fault }).fault.code,
    );
    expect(await ended(there, failure)).not.toBeNull();
    expect(plain.reads()).toBeGreaterThan(0);
    expect(chained.reads()).toBe(plain.reads());
  });
});
