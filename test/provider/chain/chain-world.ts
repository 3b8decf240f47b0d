// A runtime with chains of real SDK models that all use the fault-injecting provider, on a clock that the test controls. Time
// jumps only when every socket is idle, so that minutes of waiting take milliseconds and nothing is cut by accident.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import type { ReceivedRequest } from "../../../src/chaos/received.ts";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import {
  createFaultline,
  type Entry,
  type Faultline,
  type FaultlineOptions,
  type JournalEvent,
} from "../../../src/index.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { createSocketClock } from "../../support/socket-clock.ts";

export const START_AT = 1_800_000_000_000;

/** Models that the tables know, and one unknown model. */
export const GPT = "gpt-4o";
export const CLAUDE = "claude-sonnet-4-5";
export const GEMINI = "gemini-2.5-flash";
export const UNKNOWN = "house-model";

export const ASKED: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "hello there" }] }],
};
/** The provider's default answer. */
export const ANSWERED = "You said: hello there (This answer comes from a test server, in several pieces.)";

export const TEST_KEY = "key-of-the-test";

export interface ChainWorld {
  readonly fl: Faultline;
  readonly clock: FakeClock;
  readonly chaos: Chaos;
  /** Another life of the same program, on the same provider and clock. */
  readonly createLife: (options: FaultlineOptions) => Faultline;
  readonly gpt: (id?: string, key?: string) => LanguageModelV4;
  /** Like `gpt`, over the API that `openai("…")` uses. */
  readonly responses: (id?: string, key?: string) => LanguageModelV4;
  readonly claude: (id?: string, key?: string) => LanguageModelV4;
  readonly gemini: (id?: string, key?: string) => LanguageModelV4;
  /** Advances time until the work is over. */
  readonly run: <T>(work: PromiseLike<T>) => Promise<T>;
  /** The error of the work; throws if it succeeded. */
  readonly failure: (work: PromiseLike<unknown>) => Promise<unknown>;
  /** Outside sessions, oldest first. */
  readonly events: () => readonly JournalEvent[];
  readonly entries: () => readonly Entry[];
  /** The models that were asked, in order. */
  readonly asked: () => readonly string[];
  readonly received: () => readonly ReceivedRequest[];
  /** From now on requests to this model fail in this way; null stops it. */
  readonly afflict: (model: string, fault: string | null) => void;
}

export async function chainWorld(
  rules: readonly ScenarioRule[] = [],
  options: FaultlineOptions = {},
  keyInUse: () => string | null = () => null,
): Promise<ChainWorld> {
  const clock = createSocketClock(START_AT);
  const chaos = await startChaos({ clock, scenario: { rules: [...rules] } });
  onTestFinished(() => chaos.close());
  const { openaiUrl, anthropicUrl, googleUrl } = chaos;
  const afflictions = new Map<string, string>();
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    const key = keyInUse();
    if (key !== null && headers.has("authorization")) headers.set("authorization", `Bearer ${key}`);
    const { model } = JSON.parse(init?.body as string) as { readonly model?: string };
    const affliction = afflictions.get(model ?? "");
    if (affliction !== undefined) headers.set("x-chaos", affliction);
    return globalThis.fetch(input, { ...init, headers });
  };
  const createLife = (own: FaultlineOptions): Faultline =>
    createFaultline({ clock, chance: createSeededChance(1), ...own });
  const fl = createLife(options);
  const received = (): readonly ReceivedRequest[] => chaos.received();
  return {
    fl,
    clock,
    chaos,
    createLife,
    gpt: (id = GPT, key) => createOpenAI({ baseURL: openaiUrl, apiKey: key ?? TEST_KEY, fetch }).chat(id),
    responses: (id = GPT, key) => createOpenAI({ baseURL: openaiUrl, apiKey: key ?? TEST_KEY, fetch })(id),
    claude: (id = CLAUDE, key) =>
      createAnthropic({ baseURL: `${anthropicUrl}/v1`, apiKey: key ?? TEST_KEY, fetch })(id),
    gemini: (id = GEMINI, key) => createGoogle({ baseURL: googleUrl, apiKey: key ?? TEST_KEY, fetch })(id),
    run: (work) => clock.runUntil(watched(work)),
    failure: (work) =>
      clock.runUntil(
        watched(work).then(
          () => new Error("it was expected to fail, and did not"),
          (error: unknown) => error,
        ),
      ),
    events: () => fl.recent().map(({ event }) => event),
    entries: () => fl.recent(),
    asked: () => received().map(({ model }) => model),
    received,
    afflict: (model, fault) => void (fault === null ? afflictions.delete(model) : afflictions.set(model, fault)),
  };
}

/** The clock looks at a promise only when all is quiet; until then it must not count as unhandled. */
function watched<T>(work: PromiseLike<T>): Promise<T> {
  const promise = Promise.resolve(work);
  promise.then(
    () => undefined,
    () => undefined,
  );
  return promise;
}

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { readonly type: Type }>;

export function only<Type extends JournalEvent["type"]>(
  events: readonly JournalEvent[],
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** A rule about one model; one step per request, then good answers. */
export function steps(model: string, ...sequence: NonNullable<ScenarioRule["sequence"]>): ScenarioRule {
  return { when: { model }, sequence };
}

/** A permanent rule about one model. */
export function always(model: string, step: Omit<ScenarioRule, "when" | "sequence">): ScenarioRule {
  return { when: { model }, ...step };
}

export async function partsOf(stream: AsyncIterable<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export function textOf(
  parts: readonly { readonly type: string; readonly delta?: unknown; readonly text?: unknown }[],
): string {
  return parts
    .filter(({ type }) => type === "text-delta")
    .map(({ delta, text }) => String(delta ?? text))
    .join("");
}
