// The whole of Faultline as one object: the runtime, and models and clients that run on it.

import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { AGENT_OPTIONS, type Agent, type AgentOptions, createAgent } from "./agent/run/agent.ts";
import type { CliTarget } from "./agent/run/cli.ts";
import type { Fault } from "./core/index.ts";
import type { PriceRow } from "./provider/price/price-rows.ts";
import { lazyPart } from "./host/lazy-part.ts";
import { checkOptions, group, having, mapOf, shape } from "./options/check-options.ts";
import { pricesKind, priceTable, type PriceTable } from "./provider/price/price-table.ts";
import {
  AI_TOOL_SETTINGS,
  type AiTools,
  type AiToolSettings,
  createAiTools,
  type GivenTools,
  type ProtectAiTool,
} from "./provider/ai-tools.ts";
import { FETCH_OPTIONS, type FetchOptions } from "./provider/fetch/fetch-options.ts";
import { type AnyLanguageModel, asInterface, oldestInterface } from "./provider/interface/any-model.ts";
import { type AnyTarget, isMember, type MembersDeps, type ModelMember, targetOf } from "./provider/model/members.ts";
import { createModel } from "./provider/model/chain-model.ts";
import { MODEL_OPTIONS, type ModelOptions, type ModelTarget } from "./provider/model/model-options.ts";
import type { ProtectChain } from "./runtime/call/outcome.ts";
import { Runtime } from "./runtime/runtime.ts";
import { resolveOptions, type ResolvedOptions, RUNTIME_OPTIONS, type RuntimeOptions } from "./runtime/options.ts";
import type { Session } from "./runtime/session/session.ts";
import type { Turn } from "./runtime/session/turn.ts";

/** Options of `createFaultline`. */
export interface FaultlineOptions extends RuntimeOptions {
  /** Prices of your own. They take precedence over the built-in table. */
  readonly prices?: readonly PriceRow[];
}

/** Options of `fl.model`. */
export interface FaultlineModelOptions extends ModelOptions {
  /** The session or turn its calls belong to: they are recorded there, paid from its budget, and answered from its journal when the program runs again. */
  readonly within?: Session | Turn;
}

/** Options of `fl.fetch`. */
export interface FaultlineFetchOptions extends FetchOptions {
  /** The session or turn its calls belong to. */
  readonly within?: Session | Turn;
}

/** Options of `fl.aiTools`. */
export interface FaultlineAiToolsOptions<Name extends string = string> {
  /** Settings for tools of the AI SDK, by name: `{ weather: { idempotent: true } }`. */
  readonly settings?: { readonly [Tool in Name]?: AiToolSettings };
  /** The session or turn its calls belong to. */
  readonly within?: Session | Turn;
}

/** Options of `fl.agent`. */
export interface FaultlineAgentOptions extends AgentOptions {
  /** The session or turn its runs belong to. */
  readonly within?: Session | Turn;
}

export const FAULTLINE_OPTIONS = shape<FaultlineOptions>({ ...RUNTIME_OPTIONS, prices: pricesKind });

const withinKind = having("a session or a turn", "protect", "id");

/**
 * Creates the runtime of a program: the breakers, budgets, journal and policy that all its calls share.
 *
 * @example
 * ```ts
 * import { createFaultline } from "faultline";
 *
 * const fl = createFaultline({ journal: "agent.db", budget: { maxUsd: 2 } });
 * ```
 */
export function createFaultline(options: FaultlineOptions = {}): Faultline {
  checkOptions("createFaultline", options, FAULTLINE_OPTIONS);
  return new Faultline(resolveOptions(options), priceTable(options.prices ?? []));
}

const MODEL_OPTIONS_WITHIN = shape<FaultlineModelOptions>({ ...MODEL_OPTIONS, within: withinKind });
const FETCH_OPTIONS_WITHIN = shape<FaultlineFetchOptions>({ ...FETCH_OPTIONS, within: withinKind });
const AI_TOOLS_OPTIONS = shape<FaultlineAiToolsOptions>({
  settings: mapOf(group(AI_TOOL_SETTINGS)),
  within: withinKind,
});
const AGENT_OPTIONS_WITHIN = shape<FaultlineAgentOptions>({ ...AGENT_OPTIONS, within: withinKind });

/** The parts of a runtime that doors outside it share. */
export interface FaultlineDeps extends Omit<MembersDeps, "isKept"> {
  /** A new name, such as `call_…`. */
  readonly newId: (prefix: string) => string;
  /** Reports an error that is ignored on purpose. */
  readonly suppress: (fault: Fault, reason: string) => void;
  /** Takes secrets out of a text. */
  readonly scrub: (text: string) => string;
}

/** The one object that a program creates: protected calls, models, agents and sessions on one runtime. */
export class Faultline extends Runtime {
  readonly #deps: FaultlineDeps;

  constructor(options: ResolvedOptions, prices: PriceTable) {
    super(options);
    const { clock, redactor, chance } = options;
    this.#deps = {
      clock,
      prices,
      learnKeys: (keys) => redactor.learn(keys),
      scrub: (text) => redactor.text(text),
      newId: (prefix) => chance.newId(prefix),
      suppress: this.suppress,
    };
  }

  /**
   * What chains that are made elsewhere need of this runtime.
   *
   * @internal
   */
  get deps(): FaultlineDeps {
    return this.#deps;
  }

  /**
   * Makes a language model of the AI SDK from several: it uses the first that can answer and falls back to the others in order.
   * Pass it wherever the AI SDK takes a model. With models of AI SDK 5 or 6 it has their interface, so that the AI SDK they belong to accepts it.
   *
   * @example
   * ```ts
   * import { anthropic } from "@ai-sdk/anthropic";
   * import { openai } from "@ai-sdk/openai";
   * import { createFaultline } from "faultline";
   *
   * const model = createFaultline().model([openai("gpt-5"), anthropic("claude-sonnet-4-5")]);
   * ```
   */
  model(targets: readonly (ModelTarget | ModelMember)[], options?: FaultlineModelOptions): LanguageModelV4;
  // Packages of different versions declare an interface a little differently, so the caller gets the type that it gave.
  model<Model extends LanguageModelV3>(
    targets: readonly (ModelTarget<Model> | ModelMember)[],
    options?: FaultlineModelOptions,
  ): Model;
  model<Model extends LanguageModelV2>(
    targets: readonly (ModelTarget<Model> | ModelMember)[],
    options?: FaultlineModelOptions,
  ): Model;
  model(
    targets: readonly (ModelTarget<LanguageModelV3 | LanguageModelV4> | ModelMember)[],
    options?: FaultlineModelOptions,
  ): LanguageModelV3;
  model(targets: readonly (AnyTarget | ModelMember)[], options?: FaultlineModelOptions): LanguageModelV2;
  model(targets: readonly (AnyTarget | ModelMember)[], options: FaultlineModelOptions = {}): AnyLanguageModel {
    checkOptions("fl.model", options, MODEL_OPTIONS_WITHIN);
    const { within, ...rest } = options;
    const model = createModel(targets, rest, this.#protectIn(within), this.#depsIn(within));
    const given = targets.flatMap((target) => (isMember(target) ? [] : [targetOf(target).model]));
    return asInterface(model, oldestInterface(given));
  }

  /**
   * Protects the tools of an AI SDK agent. It takes tools made with `tool` of this package or of the AI SDK. If a tool fails for good, the
   * model reads a safe description of the fault as a tool error.
   *
   * @example
   * ```ts
   * import { createFaultline, tool } from "faultline";
   * import { z } from "zod";
   *
   * const search = tool({ id: "search", description: "Finds flights", input: z.object({ to: z.string() }), run: ({ to }) => [to] });
   * const tools = createFaultline().aiTools({ search });
   * ```
   */
  aiTools<Given extends GivenTools>(
    tools: Given,
    options: FaultlineAiToolsOptions<Extract<keyof Given, string>> = {},
  ): AiTools<Given> {
    const { settings = {}, within } = checkOptions<FaultlineAiToolsOptions>("fl.aiTools", options, AI_TOOLS_OPTIONS);
    const protect: ProtectAiTool = (called, input, { id, signal }) => {
      const given = signal === undefined ? {} : { signal };
      if (within === undefined) return this.protect(called, input as never, given);
      return within.protect(called, input as never, { ...given, ...(id === undefined ? {} : { id }) });
    };
    return createAiTools(tools, settings, { protect, redactor: within?.redactor ?? this.redactor }) as AiTools<Given>;
  }

  /**
   * Makes a `fetch` that retries, waits and falls back, for an official SDK such as `openai` or `@anthropic-ai/sdk`. Turn the SDK's own
   * retries off. With `fallback`, a request that its target cannot answer goes to another address, key or model.
   *
   * @example
   * ```ts
   * import OpenAI from "openai";
   * import { createFaultline } from "faultline";
   *
   * const fl = createFaultline();
   * const client = new OpenAI({ apiKey: "sk-…", fetch: fl.fetch({ provider: "openai" }), maxRetries: 0 });
   * ```
   */
  fetch(options: FaultlineFetchOptions): typeof fetch {
    checkOptions("fl.fetch", options, FETCH_OPTIONS_WITHIN);
    const { within, ...rest } = options;
    const protectedFetch = lazyPart(async () => {
      const { createFetch } = await import("./provider/fetch/protected-fetch.ts");
      return createFetch(rest, this.#protectIn(within), this.#depsIn(within));
    });
    return async (input, init) => (await protectedFetch())(input, init);
  }

  /**
   * Makes one agent from several agent CLIs, such as Claude Code and Codex: it uses the first that can answer and falls back to the
   * others. `run` resolves with an outcome: what the agent did, or the fault that stopped it.
   *
   * @example
   * ```ts
   * import { cli, createFaultline } from "faultline";
   *
   * const agent = createFaultline().agent([cli("claude"), cli("codex")]);
   * const outcome = await agent.run("Fix the failing test.");
   * console.log(outcome.status);
   * ```
   */
  agent(targets: readonly CliTarget[], options: FaultlineAgentOptions = {}): Agent {
    checkOptions("fl.agent", options, AGENT_OPTIONS_WITHIN);
    const { within, ...rest } = options;
    const deps = { clock: this.#deps.clock, env: process.env, cwd: process.cwd(), suppress: this.suppress };
    return createAgent(targets, rest, this.#protectIn(within), deps);
  }

  #protectIn(within: Session | Turn | undefined): ProtectChain {
    const place: Pick<Turn, "protect"> = within ?? this;
    return (chain, request, signal) => place.protect(chain, request, signal === undefined ? undefined : { signal });
  }

  #depsIn(within: Session | Turn | undefined): MembersDeps {
    return { ...this.#deps, isKept: within !== undefined };
  }
}
