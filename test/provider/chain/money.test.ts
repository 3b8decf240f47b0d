// What each ending is booked with: every protocol, whole and streamed, in a session with a budget and outside. The reported cost
// if the provider reported it; else an estimate of what was sent and seen, marked as such; and each attempt once.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { ONE_RETRY } from "../../../src/core/policy/matrix.ts";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { type Cost, type Faultline, openJournal, type Session, type Spending } from "../../../src/index.ts";
import { estimateTokens, walkRequest } from "../../../src/provider/model/model-request.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { newPath } from "../../runtime/session/life.ts";
import { always, ANSWERED, ASKED, CLAUDE, chainWorld, type ChainWorld, GEMINI, GPT, TEST_KEY } from "./chain-world.ts";

type Fetch = typeof globalThis.fetch;

interface Dialect {
  readonly model: string;
  /** Micro-cents per token. */
  readonly input: number;
  readonly output: number;
  readonly make: (world: ChainWorld, fetch: Fetch) => LanguageModelV4;
}

const openai = ({ chaos }: ChainWorld, fetch: Fetch): ReturnType<typeof createOpenAI> =>
  createOpenAI({ baseURL: chaos.openaiUrl, apiKey: TEST_KEY, fetch });

const DIALECTS: Readonly<Record<string, Dialect>> = {
  "openai chat": { model: GPT, input: 250, output: 1_000, make: (world, fetch) => openai(world, fetch).chat(GPT) },
  "openai responses": { model: GPT, input: 250, output: 1_000, make: (world, fetch) => openai(world, fetch)(GPT) },
  "anthropic": {
    model: CLAUDE,
    input: 300,
    output: 1_500,
    make: ({ chaos }, fetch) =>
      createAnthropic({ baseURL: `${chaos.anthropicUrl}/v1`, apiKey: TEST_KEY, fetch })(CLAUDE),
  },
  "google": {
    model: GEMINI,
    input: 30,
    output: 250,
    make: ({ chaos }, fetch) => createGoogle({ baseURL: chaos.googleUrl, apiKey: TEST_KEY, fetch })(GEMINI),
  },
};

/** Room for each answer, but not for many: a wrong booking would show up as a refusal. */
const BUDGET = { maxUsd: 1, onExceed: "fail" } as const;

interface Place {
  readonly model: LanguageModelV4;
  readonly spending: () => Spending;
  readonly costs: () => Promise<readonly (Cost | null)[]>;
}

type Where = "outside" | "in a session with a budget";

async function placed(world: ChainWorld, where: Where, { make }: Dialect, fetch: Fetch): Promise<Place> {
  const { fl } = world;
  if (where === "outside") {
    const model = fl.model([make(world, fetch)]);
    return { model, spending: () => fl.spending, costs: () => Promise.resolve(costsIn(world.entries())) };
  }
  const session = await world.run(fl.session("s", { budget: BUDGET }));
  const model = fl.model([make(world, fetch)], { within: session });
  return { model, spending: () => session.spending, costs: async () => costsIn(await world.run(session.entries())) };
}

function costsIn(entries: readonly { readonly event: { readonly type: string } }[]): readonly (Cost | null)[] {
  return entries.flatMap(({ event }) =>
    "cost" in event && event.type !== "call-late" ? [(event as { readonly cost: Cost | null }).cost] : [],
  );
}

const PROMPT = "hello there";
const INPUT_TOKENS = estimateTokens(walkRequest(ASKED));
const tokensIn = (characters: number): number => Math.ceil(characters / 4);

/** Like a proxy that does not count: the same answer without usage. */
const withoutUsage: Fetch = async (input, init) => {
  const response = await globalThis.fetch(input, init);
  const text = (await response.text()).replaceAll(
    /,?"(?:usage|usageMetadata)":(?:null|\{(?:[^{}]|\{[^{}]*\})*\})/g,
    "",
  );
  return new Response(text, {
    status: response.status,
    headers: { "content-type": response.headers.get("content-type") ?? "" },
  });
};

const CASES = Object.entries(DIALECTS).flatMap(([name, dialect]) =>
  (["outside", "in a session with a budget"] as const).map((where) => ({ name, dialect, where })),
);

async function textOf(model: LanguageModelV4, stopAfter = Infinity): Promise<string> {
  const stop = new AbortController();
  const { textStream } = streamText({ model, prompt: PROMPT, abortSignal: stop.signal, onError: () => undefined });
  let text = "";
  let pieces = 0;
  for await (const piece of textStream) {
    text += piece;
    pieces += 1;
    if (pieces >= stopAfter) stop.abort();
  }
  return text;
}

function isOnce(costs: readonly (Cost | null)[], spending: Spending): void {
  const sum = costs.reduce((total, cost) => total + (cost?.microcents ?? 0), 0);
  expect(spending.microcents).toBe(sum);
  expect(spending.unpricedAttempts).toBe(0);
}

describe.each(CASES)("$name, $where:", ({ name, dialect, where }) => {
  const { input, output, model: id } = dialect;
  const begin = async (rules: readonly ScenarioRule[] = [], fetch: Fetch = globalThis.fetch) => {
    const world = await chainWorld(rules);
    return { world, ...(await placed(world, where, dialect, fetch)) };
  };

  it.each(["whole", "streamed"])("a %s answer costs what its usage says", async (form) => {
    const { world, model, spending, costs } = await begin();
    const streamed = form === "streamed" ? streamText({ model, prompt: PROMPT }) : null;
    const usage = await world.run(
      streamed === null ? generateText({ model, prompt: PROMPT }).then((answer) => answer.usage) : streamed.usage,
    );
    const microcents = input * (usage.inputTokens ?? NaN) + output * (usage.outputTokens ?? NaN);
    expect(await costs()).toEqual([{ microcents, basis: "reported" }]);
    isOnce(await costs(), spending());
  });

  // Anthropic's and OpenAI's newer SDKs accept no whole answer without usage; their streams may end without it.
  const WHOLE = ["openai chat", "openai responses", "google"];
  it.each(WHOLE.includes(name) ? ["whole", "streamed"] : [])(
    "a %s answer without a usage costs what was sent and seen",
    async (form) => {
      const { world, model, spending, costs } = await begin([], withoutUsage);
      const text = await world.run(
        form === "streamed" ? textOf(model) : generateText({ model, prompt: PROMPT }).then((answer) => answer.text),
      );
      expect(text).toBe(ANSWERED);
      const microcents = input * INPUT_TOKENS + output * tokensIn(ANSWERED.length);
      expect(await costs()).toEqual([{ microcents, basis: "estimated" }]);
      isOnce(await costs(), spending());
    },
  );

  it("a broken stream costs what was sent and seen", async () => {
    const { world, model, spending, costs } = await begin([always(id, { fault: "cut-stream", after: 2 })]);
    const text = await world.run(textOf(model));
    expect(text.length).toBeGreaterThan(0);
    expect(text.length).toBeLessThan(ANSWERED.length);
    const [cost, ...more] = await costs();
    expect(more).toEqual([]);
    expect(cost?.basis).toBe("estimated");
    const microcents = cost?.microcents ?? NaN;
    // The provider's own count of the input is used if there is one; it is of the same size.
    expect(microcents).toBeGreaterThanOrEqual(output * tokensIn(text.length));
    expect(microcents).toBeLessThanOrEqual(input * (INPUT_TOKENS + 10) + output * tokensIn(text.length));
    isOnce(await costs(), spending());
  });

  it("a stream that its reader leaves costs what was sent and seen, at once", async () => {
    const { world, model, spending, costs } = await begin();
    const text = await world.run(textOf(model, 2));
    await world.clock.advance(1_000);
    const [cost, ...more] = await costs();
    expect(more).toEqual([]);
    expect(cost?.basis).toBe("estimated");
    const microcents = cost?.microcents ?? NaN;
    expect(microcents).toBeGreaterThanOrEqual(input * INPUT_TOKENS + output * tokensIn(text.length));
    expect(microcents).toBeLessThan(input * INPUT_TOKENS + output * tokensIn(ANSWERED.length));
    isOnce(await costs(), spending());
  });

  it("a request that never reached the provider costs nothing", async () => {
    const refused: Fetch = () =>
      Promise.reject(
        Object.assign(new TypeError("fetch failed"), {
          cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" }),
        }),
      );
    const { world, model, spending, costs } = await begin([], refused);
    await world.failure(generateText({ model, prompt: PROMPT, maxRetries: 0 }));
    expect(new Set((await costs()).map((cost) => JSON.stringify(cost)))).toEqual(
      new Set([JSON.stringify({ microcents: 0, basis: "reported" })]),
    );
    expect(spending().microcents).toBe(0);
  });
});

const PATIENT = withRows(DEFAULT_POLICY, [
  {
    match: { code: ["Interrupted"] },
    retry: { ...ONE_RETRY, maxAttempts: 5 },
    then: ["fail"],
    origin: { layer: "file", at: "test" },
  },
]);

describe.each(Object.entries(DIALECTS))("%s, killed twice while it answers, and taken up again:", (_name, dialect) => {
  const { input, output } = dialect;

  it("each attempt is booked once: interrupted ones by what was sent, the last by its usage", async () => {
    const world = await chainWorld([{ when: { model: dialect.model }, sequence: ["hang", "hang"] }]);
    const path = newPath();
    const sent = input * INPUT_TOKENS;
    let lives = 0;
    const live = async (): Promise<{ readonly fl: Faultline; readonly session: Session; readonly text: Text }> => {
      const chance = createSeededChance(++lives);
      const journal = await openJournal(path, { clock: world.clock, chance });
      const fl = world.createLife({ journal, chance, policy: PATIENT });
      const session = await world.run(fl.session("s", { budget: BUDGET }));
      const model = fl.model([dialect.make(world, globalThis.fetch)], { within: session });
      return { fl, session, text: generateText({ model, prompt: PROMPT }) };
    };
    // A life hangs in its request, and the next one opens the same file.
    for (const killed of [1, 2]) {
      const { session, text } = await live();
      text.then(
        () => null,
        () => null,
      );
      for (let second = 0; second < 20 && world.asked().length < killed; second++) await world.clock.advance(1_000);
      expect(world.asked()).toHaveLength(killed);
      expect(session.spending.microcents).toBe(sent * (killed - 1));
    }
    // The third life gets the answer; the fourth reads it from the journal.
    for (const asked of [3, 3]) {
      const { fl, session, text } = await live();
      const { usage } = await world.run(text);
      expect(world.asked()).toHaveLength(asked);
      const answered = input * (usage.inputTokens ?? NaN) + output * (usage.outputTokens ?? NaN);
      const microcents = 2 * sent + answered;
      expect(session.spending).toEqual({ microcents, estimatedMicrocents: 2 * sent, unpricedAttempts: 0 });
      await world.run(fl.close());
    }
  });
});

type Text = ReturnType<typeof generateText>;

describe.each(Object.entries(DIALECTS))("%s, a budget that is passed within a stream:", (_name, dialect) => {
  const { input, output } = dialect;
  const maxCostMicrocents = input * (INPUT_TOKENS + 5) + output * 8;

  /** The estimate is one token, so that nothing is refused beforehand. */
  async function streamed(onExceed: "fail" | "warn", isInSession: boolean) {
    const world = await chainWorld([], isInSession ? {} : { budget: { maxUsd: maxCostMicrocents / 1e8, onExceed } });
    const { fl } = world;
    const within = isInSession
      ? await world.run(fl.session("s", { budget: { maxUsd: maxCostMicrocents / 1e8, onExceed } }))
      : undefined;
    const model = fl.model([dialect.make(world, globalThis.fetch)], {
      assumedOutputTokens: 1,
      ...(within === undefined ? {} : { within }),
    });
    const errors: unknown[] = [];
    const answer = streamText({ model, prompt: PROMPT, onError: ({ error }) => void errors.push(error) });
    const types: string[] = [];
    let text = "";
    await world.run(
      (async () => {
        for await (const part of answer.stream) {
          types.push(part.type);
          if (part.type === "text-delta") text += part.text;
        }
      })(),
    );
    await world.clock.advance(1_000);
    return { world, errors, types, text, spending: within?.spending ?? fl.spending };
  }

  it.each([true, false])("ends it with BudgetExceeded, and books what was seen (in a session: %s)", async (isIn) => {
    const { world, errors, types, text, spending } = await streamed("fail", isIn);
    expect(errors).toMatchObject([{ fault: { code: "BudgetExceeded", context: { ran: true } } }]);
    expect(types).toContain("error");
    expect(text.length).toBeLessThan(ANSWERED.length);
    expect(world.asked()).toHaveLength(1);
    const { microcents, estimatedMicrocents } = spending;
    expect(estimatedMicrocents).toBe(microcents);
    expect(microcents).toBeGreaterThan(maxCostMicrocents);
    // The chunk that exceeds the limit stops it.
    expect(microcents).toBeLessThan(input * INPUT_TOKENS + output * tokensIn(ANSWERED.length));
  });

  it("that only warns lets it finish", async () => {
    const { errors, text, spending } = await streamed("warn", true);
    expect(errors).toEqual([]);
    expect(text).toBe(ANSWERED);
    expect(spending.estimatedMicrocents).toBe(0);
  });
});

/** The same answer with different usage. */
function saying(change: (body: string) => string): Fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const headers = { "content-type": response.headers.get("content-type") ?? "" };
    return new Response(change(await response.text()), { status: response.status, headers });
  };
}

interface Served {
  readonly says: string;
  readonly dialect: string;
  readonly fetch: Fetch;
  readonly asked?: Parameters<typeof generateText>[0]["providerOptions"];
  /** In micro-cents, for an answer with these input and output tokens. */
  readonly costs: (inputTokens: number, outputTokens: number) => number;
}

const SERVED: readonly Served[] = [
  {
    says: "cache writes that last an hour",
    dialect: "anthropic",
    fetch: saying((body) =>
      body
        .replaceAll(/,"cache_creation":\{[^{}]*\}/g, "")
        .replaceAll(
          /"cache_creation_input_tokens":\d+/g,
          '"cache_creation_input_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":40,"ephemeral_1h_input_tokens":60}',
        ),
    ),
    costs: (input, output) => (input - 100) * 300 + 40 * 375 + 60 * 600 + output * 1_500,
  },
  {
    says: "the batch tier",
    dialect: "anthropic",
    fetch: saying((body) =>
      body.replaceAll(/,"service_tier":"\w+"/g, "").replaceAll('"usage":{', '"usage":{"service_tier":"batch",'),
    ),
    costs: (input, output) => Math.ceil((input * 300 + output * 1_500) / 2),
  },
  {
    says: "the priority tier, served and asked for",
    dialect: "openai chat",
    fetch: globalThis.fetch,
    asked: { openai: { serviceTier: "priority" } },
    costs: (input, output) => Math.ceil((input * 250 + output * 1_000) * 1.7),
  },
  {
    says: "the default tier, although priority was asked for",
    dialect: "openai responses",
    fetch: saying((body) => body.replaceAll(/"object":"response",/g, '"object":"response","service_tier":"default",')),
    asked: { openai: { serviceTier: "priority" } },
    costs: (input, output) => input * 250 + output * 1_000,
  },
  {
    says: "the flex tier",
    dialect: "google",
    fetch: saying((body) => body.replaceAll('"usageMetadata":{', '"usageMetadata":{"serviceTier":"flex",')),
    costs: (input, output) => Math.ceil((input * 30 + output * 250) / 2),
  },
];

describe.each(SERVED)("$dialect with $says", ({ dialect, fetch, asked, costs }) => {
  it.each(["whole", "streamed"])("has its price when the answer is %s", async (form) => {
    const world = await chainWorld();
    const made = DIALECTS[dialect]?.make(world, fetch);
    if (made === undefined) throw new Error(`${dialect} is none of the dialects`);
    const request = { model: world.fl.model([made]), prompt: PROMPT, providerOptions: asked ?? {} };
    const usage = await world.run(
      form === "whole" ? generateText(request).then((answer) => answer.usage) : streamText(request).usage,
    );
    const microcents = costs(usage.inputTokens ?? NaN, usage.outputTokens ?? NaN);
    expect(world.fl.spending).toEqual({ microcents, estimatedMicrocents: 0, unpricedAttempts: 0 });
  });
});
