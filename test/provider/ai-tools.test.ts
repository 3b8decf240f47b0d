// `fl.aiTools` in the hands of the real AI SDK: whole and streamed, outside sessions and in a turn, with tools of both kinds.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, streamText, tool as aiTool, ToolLoopAgent, type ToolSet } from "ai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import {
  createFaultline,
  fault,
  FaultError,
  type Faultline,
  type GivenTools,
  openJournal,
  tool,
  type Turn,
} from "../../src/index.ts";
import { everyPair } from "../support/grid.ts";
import { thrownBy } from "../support/thrown.ts";

/** On a busy machine, too. */
const PATIENT = { timeout: 30_000, interval: 20 };

const SECRET = "sk-live-0123456789abcdef";
const CITY = z.object({ city: z.string() });

/** The work of the tool `weather`; `asked` counts its attempts. */
type Work = (city: string, asked: number, signal: AbortSignal | undefined) => unknown;

const HOW = { idempotent: true, timeoutMs: 20, retry: { backoff: { initialMs: 1 } } };
const settings = { weather: HOW };

/** The same work declared with each package. */
const KINDS: Readonly<Record<string, (work: Work) => GivenTools>> = {
  "a tool of Faultline": (work) => {
    let asked = 0;
    const run = ({ city }: { city: string }, { signal }: { signal: AbortSignal }) => work(city, ++asked, signal);
    return {
      weather: tool({ id: "weather", description: "The weather", ...HOW, input: CITY, run }),
    };
  },
  "a tool of the AI SDK": (work) => {
    let asked = 0;
    const description = "The weather";
    return {
      weather: aiTool({
        description,
        inputSchema: CITY,
        execute: ({ city }, { abortSignal }) => work(city, ++asked, abortSignal),
      }),
    };
  },
};

function protectedTools(fl: Faultline, kind: string, given: GivenTools, within?: Turn): ToolSet {
  const own = kind === "a tool of Faultline" ? {} : { settings };
  return fl.aiTools(given, within === undefined ? own : { ...own, within }) as ToolSet;
}

const MODES = {
  "whole": async (options: Parameters<typeof generateText>[0]) => (await generateText(options)).text,
  "streamed": (options: Parameters<typeof generateText>[0]) =>
    streamText({ ...(options as Parameters<typeof streamText>[0]), onError: () => undefined }).text,
  "an agent": async ({ prompt: _prompt, ...options }: Parameters<typeof generateText>[0]) => {
    const agent = new ToolLoopAgent(options);
    return (await agent.generate({ prompt: "go" })).text;
  },
};

async function chaosModel(input: unknown = { city: "Lisbon" }) {
  const chaos = await startChaos({
    scenario: { rules: [{ when: { model: "gpt-5" }, call: { tool: "weather", input } }] },
  });
  onTestFinished(() => chaos.close());
  return { chaos, model: createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" })("gpt-5") };
}

const PLACES: Readonly<Record<string, (fl: Faultline, use: (turn?: Turn) => Promise<string>) => Promise<unknown>>> = {
  "outside sessions": (_fl, use) => use(),
  "in a turn": async (fl, use) => (await (await fl.session("s1")).turn((turn) => use(turn))).value,
};

const reset = Object.assign(new Error(`read ECONNRESET with ${SECRET}`), { code: "ECONNRESET" });
// prettier-ignore
const CASES: readonly (readonly [name: string, work: Work, says: RegExp, attempts: number])[] = [
  ["the value", (city) => `sunny in ${city}`, /The tool said: "?sunny in Lisbon/, 1],
  ["the value after a retry", (city, asked) => { if (asked === 1) throw reset; return `sunny in ${city}`; }, /sunny in Lisbon/, 2],
  ["safe words about a failure", () => { throw new FaultError(fault("Forbidden", { message: `no, ${SECRET}` })); },
    /ToolTerminal\/Forbidden: (?!.*sk-live)/, 1],
  ["safe words about a hang", () => new Promise(() => undefined), /ToolTransient\/ExecutionTimeout: /, 5],
];

const GRID = everyPair(
  Object.keys(KINDS).flatMap((kind) =>
    Object.keys(PLACES).flatMap((place) =>
      Object.keys(MODES).flatMap((mode) => CASES.map(([name]) => ({ kind, place, mode, name }))),
    ),
  ),
  ({ kind }) => kind,
  ({ place }) => place,
  ({ mode }) => mode,
  ({ name }) => name,
);

describe.each(Object.keys(KINDS))("%s", (kind) => {
  describe.each(Object.entries(PLACES))("%s", (place, enter) => {
    const here = GRID.filter((one) => one.kind === kind && one.place === place);
    const asks = Object.entries(MODES).flatMap(([mode, ask]) => CASES.map((row) => [mode, ask, ...row] as const));
    it.each(asks.filter(([mode, , name]) => here.some((one) => one.mode === mode && one.name === name)))(
      "%s: gives the model $2",
      async (_mode, ask, _name, work, says, attempts) => {
        const { chaos, model } = await chaosModel();
        const fl = createFaultline({ secrets: [SECRET] });
        onTestFinished(() => fl.close());
        const given = KINDS[kind]?.(work) ?? {};
        const text = await enter(fl, async (turn) =>
          ask({ model, tools: protectedTools(fl, kind, given, turn), prompt: "go", stopWhen: isStepCount(3) }),
        );
        expect(text).toMatch(says);
        expect(JSON.stringify(chaos.received()[0]?.body)).toContain('"description":"The weather"');
        expect(JSON.stringify(chaos.received())).not.toContain(SECRET);
        expect(fl.metrics()["weather"]).toMatchObject({ retry_count: attempts - 1 });
      },
    );
  });

  it("stops when the caller leaves", async () => {
    const { model } = await chaosModel();
    const fl = createFaultline();
    const caller = new AbortController();
    const reason = new Error("the user left");
    let seen: AbortSignal | undefined;
    const given = KINDS[kind]?.((_city, _asked, signal) => {
      seen = signal;
      caller.abort(reason);
      return new Promise(() => undefined);
    });
    const tools = protectedTools(fl, kind, given ?? {});
    await thrownBy(generateText({ model, tools, prompt: "go", abortSignal: caller.signal, stopWhen: isStepCount(2) }));
    expect(seen?.aborted).toBe(true);
    expect(fl.metrics()["weather"]).toMatchObject({ error_count: 0 });
  });

  it("repeats no finished tool call when the program runs again", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "faultline-ai-tools-")), "agent.db");
    const { chaos, model } = await chaosModel();
    let runs = 0;
    const life = async () => {
      const fl = createFaultline({ journal: await openJournal(path) });
      const session = await fl.session("s1");
      const given = KINDS[kind]?.((city) => `${city} ${(runs += 1)}`) ?? {};
      return session.turn(async (within) => {
        const tools = protectedTools(fl, kind, given, within);
        const chain = fl.model([model], { within });
        return (await generateText({ model: chain, tools, prompt: "go", stopWhen: isStepCount(3) })).text;
      });
    };
    // The first process stops for ever while the model reads the tool's result.
    chaos.script([{ call: { tool: "weather", input: { city: "Lisbon" } } }, "hang"]);
    void Promise.allSettled([life()]);
    await vi.waitFor(() => expect(chaos.received()).toHaveLength(2), PATIENT);
    const { status, value } = await life();
    expect([status, value, runs]).toEqual(["done", expect.stringContaining("Lisbon 1"), 1]);
  });
});

it("a model reads what is wrong with its arguments", async () => {
  const { model } = await chaosModel({ city: 7 });
  const fl = createFaultline();
  const tools = fl.aiTools(KINDS["a tool of Faultline"]?.(() => "never") ?? {}) as ToolSet;
  const { text } = await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(3) });
  expect(text).toMatch(/ToolTerminal\/InputInvalid: .*city/s);
});

it("the error keeps the fault, for the program", async () => {
  const fl = createFaultline();
  const { weather } = fl.aiTools({
    weather: tool({
      id: "weather",
      input: CITY,
      run: (): string => {
        throw new FaultError(fault("NotFound", { message: "no such city" }));
      },
    }),
  });
  const error = await thrownBy(weather.execute({ city: "x" }, {}));
  expect(error).toMatchObject({ fault: { code: "NotFound", message: "no such city" } });
  expect((error as Error).message).not.toContain("no such city");
});

it("a tool that yields preliminary results gives its last one; a tool without execute stays as it is", async () => {
  const fl = createFaultline();
  const provided = aiTool({ inputSchema: CITY, outputSchema: z.string() });
  const tools = fl.aiTools({
    slow: aiTool({
      inputSchema: CITY,
      async *execute() {
        yield await Promise.resolve("looking");
        yield "sunny";
      },
    }),
    provided,
  });
  expect(tools.provided).toBe(provided);
  expect(await tools.slow.execute({ city: "x" }, { toolCallId: "1", messages: [], context: {} })).toBe("sunny");
});

describe("wrong tools and settings are refused with a sentence", () => {
  const fl = createFaultline();
  const plain = tool({ id: "plain", run: (city: string) => city });
  const well = tool({ id: "well", input: CITY, run: ({ city }) => city });
  it.each([
    [{ plain }, {}, "fl.aiTools: plain has no input schema that a model can read"],
    [null, {}, "fl.aiTools: tools must be an object with your tools by name"],
    [[well], {}, "fl.aiTools: tools must be an object with your tools by name"],
    [{ x: () => 1 }, {}, "fl.aiTools: x is not a tool"],
    [{ x: null }, {}, "fl.aiTools: x is not a tool"],
    [
      { well },
      { settings: { well: { idempotent: true } } },
      "settings.well is for a tool that has settings of its own",
    ],
    [{ well }, { settings: { other: {} } }, "settings.other is for a tool that is not there"],
    [
      { well },
      { settings: { well: { timeout: 5 } } },
      "there is no option settings.well.timeout; did you mean timeoutMs?",
    ],
    [{ well }, { within: {} }, "within is an object; it must be a session or a turn"],
  ])("%o with %o", (tools, options, sentence) => {
    expect(() => fl.aiTools(tools as never, options as never)).toThrow(sentence);
  });
});
