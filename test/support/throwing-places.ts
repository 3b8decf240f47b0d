// Every place where a program's own code can fail a call, turn or run, each with the way to see what became of it.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { generateText, streamText } from "ai";
import {
  type Entry,
  type Fault,
  type FaultCode,
  type JournalEvent,
  type Session,
  step,
  tool,
  type ToolOptions,
} from "../../src/index.ts";
import { defineExtension } from "../../src/runtime/extension/extension.ts";
import { stage } from "../../src/workflow/define.ts";
import { engineWorld } from "./engine-world.ts";
import { SECRET, type ThrownThing } from "./thrown-things.ts";
import { world, type World } from "./world.ts";

export interface Seen {
  /** The fault as a program gets it. */
  readonly fault: Fault;
  /** What was recorded. */
  readonly events: readonly JournalEvent[];
  /** Holds `error`, the thrown value; absent where a program gets none. */
  readonly result?: object;
}

export interface Place {
  readonly where: string;
  /** What a failure without a name is called here. */
  readonly unnamed: readonly FaultCode[];
  /** The place has a fault of its own, whose cause is the thrown one. */
  readonly wraps?: true;
  readonly see: (thing: ThrownThing) => Promise<Seen>;
}

export const SECRETS = { secrets: [SECRET] };
export const faultIn = (result: object): Fault => (result as { readonly fault: Fault }).fault;
const eventsIn = (entries: readonly Entry[]): readonly JournalEvent[] => entries.map(({ event }) => event);
// prettier-ignore
const throws = (thing: ThrownThing) => (): never => { throw thing.make(); };
const throwsLater = (thing: ThrownThing) => (): Promise<never> => Promise.resolve().then(throws(thing));

/** Ways to throw, by name. JavaScript programs pass async functions everywhere, whatever the types say. */
export const HOWS = Object.entries({ "at once": throws, "later": throwsLater }) as unknown as readonly (readonly [
  string,
  (thing: ThrownThing) => () => never,
])[];

const UNNAMED = ["Unclassified", "ExecutionFailed"] as const;

async function inSession(
  body: (session: Session) => Promise<object>,
  { fl, clock }: World = world(SECRETS),
): Promise<Seen> {
  const session = await clock.runUntil(fl.session("s"));
  const result = await clock.runUntil(body(session));
  return { fault: faultIn(result), events: eventsIn(await session.entries()), result };
}

const protectedTool = (options: Partial<ToolOptions<string, unknown>>) => (): Promise<Seen> =>
  inSession((session) => session.protect(tool({ id: "t", run: () => "x", ...options }), "x"));

function brokenSchema(validate: () => never | Promise<never>): StandardSchemaV1<string, string> {
  return { "~standard": { version: 1, vendor: "test", validate } };
}

const RUNTIME: readonly Place[] = [
  {
    where: "a tool outside a session",
    unnamed: UNNAMED,
    see: async (thing) => {
      const { fl, clock, events } = world(SECRETS);
      const outcome = await clock.runUntil(fl.protect(tool({ id: "t", run: throws(thing) }), undefined));
      return { fault: faultIn(outcome), events: events(), result: outcome };
    },
  },
  { where: "a tool in a session", unnamed: UNNAMED, see: (thing) => protectedTool({ run: throwsLater(thing) })() },
  ...HOWS.flatMap(([when, how]): readonly Place[] => [
    {
      where: `the alarm of a running tool, ${when}`,
      unnamed: UNNAMED,
      see: (thing) =>
        protectedTool({
          run: (_text, { alarm }) => {
            alarm(5, how(thing));
            return new Promise(() => undefined);
          },
        })(),
    },
    {
      where: `the schema of a tool's input, ${when}`,
      unnamed: ["InputInvalid"],
      wraps: true,
      see: (thing) =>
        inSession((session) =>
          session.protect(tool({ id: "t", input: brokenSchema(how(thing)), run: (text) => text }), "x"),
        ),
    },
    {
      where: `the schema of a tool's output, ${when}`,
      unnamed: ["OutputMalformed"],
      wraps: true,
      see: (thing) => protectedTool({ output: brokenSchema(how(thing)) })(),
    },
  ]),
  {
    where: "the body of a turn",
    unnamed: ["Uncaught"],
    see: (thing) => inSession((session) => session.turn(throwsLater(thing))),
  },
  {
    where: "the input of a step",
    unnamed: ["InputInvalid"],
    wraps: true,
    see: (thing) =>
      inSession(async (session) => {
        const plan = { a: step(tool<string, string>({ id: "t", run: (text) => text }), throws(thing)) };
        return (await session.turn(plan)).outcomes["a"] ?? {};
      }),
  },
  {
    where: "the tool of a step",
    unnamed: UNNAMED,
    see: (thing) =>
      inSession(async (session) => {
        const plan = { a: step(tool<string, string>({ id: "t", run: throws(thing) }), () => "x") };
        return (await session.turn(plan)).outcomes["a"] ?? {};
      }),
  },
  {
    where: "the set-up of an extension",
    unnamed: ["LifecycleFailure"],
    wraps: true,
    see: async (thing) => {
      const { fl, clock } = world({
        ...SECRETS,
        extensions: [defineExtension({ name: "x", contractVersion: 1, setup: throws(thing) })],
      });
      const [end] = await clock.runUntil(Promise.allSettled([fl.ready()]));
      return { fault: faultIn((end as PromiseRejectedResult).reason as object), events: [] };
    },
  },
];

/** A model of the AI SDK that throws whatever it is asked. */
export function brokenModel(thing: ThrownThing): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "openai.chat",
    modelId: "gpt-4o",
    supportedUrls: {},
    doGenerate: throwsLater(thing),
    doStream: throwsLater(thing),
  };
}

/** What the work rejects with, and what was recorded of it. */
async function rejected({ clock, events }: World, work: () => Promise<unknown>): Promise<Seen> {
  const [end] = await clock.runUntil(Promise.allSettled([work()]));
  const result = (end as PromiseRejectedResult).reason as object;
  return { fault: faultIn(result), events: events() };
}

const PROVIDERS: readonly Place[] = [
  {
    where: "a model that generates",
    unnamed: ["Unclassified"],
    see: (thing) => {
      const here = world(SECRETS);
      const model = here.fl.model([brokenModel(thing)]);
      return rejected(here, () => generateText({ model, prompt: "x", maxRetries: 0 }));
    },
  },
  {
    where: "a model that streams",
    unnamed: ["Unclassified"],
    see: (thing) => {
      const here = world(SECRETS);
      const model = here.fl.model([brokenModel(thing)]);
      return rejected(here, async () => {
        let failed: unknown = null;
        const onError = ({ error }: { readonly error: unknown }): void => void (failed = error);
        await streamText({ model, prompt: "x", maxRetries: 0, onError }).consumeStream();
        throw failed;
      });
    },
  },
  {
    where: "the fetch below fl.fetch",
    unnamed: ["Unclassified"],
    see: (thing) => {
      const here = world(SECRETS);
      const protectedFetch = here.fl.fetch({ provider: "openai", fetch: throwsLater(thing) });
      return rejected(here, async () => {
        const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "x" }] });
        await protectedFetch("http://127.0.0.1:9/v1/chat/completions", { method: "POST", body });
      });
    },
  },
];

const STAGES: readonly Place[] = (["setup", "init", "checkGate", "act", "assert", "exit", "next"] as const).map(
  (phase): Place => ({
    where: `the ${phase} phase of a stage`,
    unnamed: ["Uncaught"],
    see: async (thing) => {
      const parts = { act: () => 1, [phase]: throws(thing) };
      const { go, events } = await engineWorld({ id: "w", stages: { a: stage(parts) } }, SECRETS);
      const end = await go();
      return { fault: faultIn(end), events: await events(end.run) };
    },
  }),
);

export const FAILING_PLACES: readonly Place[] = [...RUNTIME, ...PROVIDERS, ...STAGES];
