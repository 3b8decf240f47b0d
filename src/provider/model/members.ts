// The members of a model chain. Each model is a member with its own breaker, pause and queue; all get the same request. A target that
// answers like a model, such as an agent CLI, is passed in as a member.

import { defined } from "../../core/defined.ts";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { type FailureDomains, sharesAll } from "../../core/decide/fallback.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import type { Clock } from "../../host/clock.ts";
import { lazyPart } from "../../host/lazy-part.ts";
import { chain, MAX_OPEN_WITH_FALLBACK_MS, type Member } from "../../runtime/tool/chain.ts";
import { type Chain, type Repairs, type RequestNeeds, tool, type ToolOptions } from "../../runtime/tool/tool.ts";
import { domainsOf, keysOf } from "../domain/model-domains.ts";
import { type AnyLanguageModel, asLatest, INTERFACES, isInterface } from "../interface/any-model.ts";
import { factsFor, type ModelFacts } from "../model-facts/facts-for.ts";
import { makePortable, repairHistory, summarizeChanges } from "../portable/rules.ts";
import type { RepeatLimits } from "../portable/repeated-calls.ts";
import { askedTier, costOfAnswer, estimateCost } from "../price/cost.ts";
import { type Price, type PriceTable, priceOf } from "../price/price-table.ts";
import { invalidOption, checkOptions } from "../../options/check-options.ts";
import {
  MODEL_TARGET_OPTIONS,
  type ModelTarget,
  type ModelTargetOptions,
  type ResolvedModelOptions,
} from "./model-options.ts";
import { type ModelRequest, needsOf, passesThrough } from "./model-request.ts";
import { modelTimeouts } from "./watch.ts";
import type { Upstream } from "./attempt.ts";

export interface MembersDeps {
  readonly clock: Clock;
  readonly prices: PriceTable;
  /** The calls belong to a session. */
  readonly isKept: boolean;
  /** Passes API keys to the redactor, so that a provider that echoes a key does not leak it into a log. */
  readonly learnKeys: (keys: readonly string[]) => void;
}

/** Any target that answers model requests. */
export type ModelMember = Member<ModelRequest, unknown>;

/** A target as a program gives it. */
export type AnyTarget = ModelTarget<AnyLanguageModel>;

const LIST_OF_MODELS = `targets must be a list of models, as in fl.model([openai("gpt-5")])`;

export function modelChain(
  given: readonly (AnyTarget | ModelMember)[],
  options: ResolvedModelOptions,
  deps: MembersDeps,
): Chain<ModelRequest, unknown> {
  const list: unknown = given;
  if (!Array.isArray(list) || list.length === 0) throw invalidOption("fl.model", "targets", LIST_OF_MODELS);
  const targets = given.map((each) => (isMember(each) ? each : checkedTarget(targetOf(each))));
  const models = targets.flatMap((each) => (isMember(each) ? [] : [each]));
  deps.learnKeys(models.flatMap(({ model }) => keysOf(model)));
  const domains = domainsOf(models);
  const placed = models.map((target, index): PlacedModel => {
    const { provider, modelId } = target.model;
    return { target, domains: domains[index] ?? NO_DOMAINS, facts: factsFor(provider, modelId, target.facts) };
  });
  const members = targets.map((each) => {
    if (isMember(each)) return each;
    const place = placed[models.indexOf(each)];
    if (place === undefined) throw new Error("the chain has no entry for this target");
    return modelMember(place, placed[0] ?? place, targets.length > 1, options, deps);
  });
  const { retryBeforeFallback, repeatedFailures, hedge } = options;
  const needsOf = (request: ModelRequest): RequestNeeds => needsOfRequest(request, repeatedFailures);
  return chain(members, { retryBeforeFallback, needsOf, hedge, repairs: repairsFor(options) });
}

/** A model with its failure domains. */
export interface PlacedModel {
  readonly target: ModelTargetOptions;
  readonly domains: FailureDomains;
  readonly facts: ModelFacts;
  /** The price that overrides the table; null for none. Left out: the table's. */
  readonly price?: Price | null;
}

const NO_DOMAINS: FailureDomains = { endpoint: "", account: "", model: "" };

export function isMember(given: AnyTarget | ModelMember): given is ModelMember {
  return isObject(given) && "tool" in given && "facts" in given;
}

function checkedTarget(target: ModelTargetOptions<AnyLanguageModel>): ModelTargetOptions {
  const { model } = target;
  requireModel(model);
  const latest = { ...target, model: asLatest(model) };
  return checkOptions(`fl.model, target ${target.id ?? model.modelId}`, latest, MODEL_TARGET_OPTIONS);
}

/** A bare model is a target without options. Whether it really is a model is checked later. */
export function targetOf(given: AnyTarget): ModelTargetOptions<AnyLanguageModel> {
  return isObject(given) && "model" in given ? given : { model: given };
}

function isObject(given: unknown): given is object {
  return typeof given === "object" && given !== null;
}

function requireModel(model: AnyLanguageModel): void {
  const given: unknown = model;
  if (!isObject(given) || !("doGenerate" in given)) {
    const what = typeof given === "string" ? JSON.stringify(given) : "a target";
    const message = `${what} is not a model; it must be a language model of the AI SDK, as in openai("gpt-5")`;
    throw invalidOption("fl.model", "targets", message);
  }
  const version: string = model.specificationVersion;
  if (!isInterface(version)) {
    const known = `${INTERFACES.slice(0, -1).join(", ")} and ${INTERFACES.at(-1)} (AI SDK 5, 6 and 7)`;
    const message = `${model.modelId} implements ${version} of the AI SDK's interface; chains accept ${known}`;
    throw invalidOption("fl.model", "targets", message);
  }
}

/** `writtenFor`: the model that requests are written for, which is the first of a chain. */
export function modelMember(
  place: PlacedModel,
  writtenFor: PlacedModel,
  hasFallback: boolean,
  options: ResolvedModelOptions,
  deps: MembersDeps,
): ModelMember {
  const { target, domains, facts } = place;
  const isFirst = place === writtenFor;
  const sharesState = sharesAll(writtenFor.domains, domains, ["endpoint", "account"]);
  const to = { ...facts, keepsState: facts.keepsState && sharesState };
  const { tellAfter } = options.repeatedFailures;
  // Only a model that is known to support it is asked to continue another model's text.
  const isDeclared = facts.known || target.facts?.capabilities !== undefined;
  const capabilities = isDeclared ? facts.capabilities : facts.capabilities.filter((each) => each !== "prefill");
  const known = { ...facts, capabilities };
  const { contextWindowTokens } = facts;
  return {
    tool: tool(modelTool(place, hasFallback, options, deps)),
    facts: { ...domains, capabilities, contextWindowTokens, lastResort: target.lastResort ?? false },
    // For the model that the request was written for, only what no model accepts is changed.
    fit: (request) => {
      const portable = isFirst
        ? repairHistory(request.options, facts, tellAfter)
        : makePortable(request.options, to, writtenFor.facts, tellAfter);
      return { request: request.fitted(portable), changes: summarizeChanges(portable.changes) };
    },
    passesThrough: ({ walk, sink, isStreaming }) =>
      isFirst && (sink?.continuable ?? null) === null && passesThrough(walk, isStreaming, known),
  };
}

const attempts = lazyPart(() => import("./attempt.ts"));

function modelTool(
  { target, facts, price: stated }: PlacedModel,
  hasFallback: boolean,
  options: ResolvedModelOptions,
  { clock, prices, isKept }: MembersDeps,
): ToolOptions<ModelRequest, unknown> {
  const { model } = target;
  const provider = facts.host;
  const timeouts = modelTimeouts({ ...options.timeouts, ...target.timeouts }, facts);
  const price = stated === undefined ? priceOf(prices, model.provider, model.modelId) : stated;
  const { minCharactersPerSecond } = options;
  const upstream: Upstream = { model, provider, clock, timeouts, price, isKept, minCharactersPerSecond };
  return {
    id: target.id ?? `${provider}/${model.modelId}`,
    surface: "http",
    provider,
    idempotent: true,
    timeoutMs: timeouts.stream.totalMs,
    ...(hasFallback ? { breaker: { defaultMaxOpenMs: MAX_OPEN_WITH_FALLBACK_MS } } : {}),
    ...defined({ maxConcurrent: target.maxConcurrent, maxPerMinute: target.maxPerMinute }),
    cost: {
      estimate: (request) => {
        if (price === null) return null;
        const most = request.options.maxOutputTokens ?? options.assumedOutputTokens;
        return estimateCost(request.tokens(), most, price, askedTier(model.provider, request.options));
      },
      sent: (request) => {
        const seen = { inputTokens: () => request.tokens(request.sink?.continuable?.length), outputCharacters: 0 };
        return price === null
          ? null
          : costOfAnswer(null, false, seen, price, askedTier(model.provider, request.options)).microcents;
      },
    },
    run: async (request, context) => {
      const { generate, stream } = await attempts();
      const { sink } = request;
      return sink === null ? generate(upstream, request, context) : stream(upstream, request, sink, context);
    },
  };
}

function needsOfRequest(request: ModelRequest, { stopAfter }: RepeatLimits): RequestNeeds {
  const { needs, inputTokensAtLeast } = needsOf(request.walk, request.isStreaming);
  return {
    capabilities: request.isContinuation ? [...needs, "prefill"] : needs,
    inputTokens: inputTokensAtLeast,
    refusal: request.repeats.count < stopAfter ? null : toolLoop(request.repeats, stopAfter),
  };
}

/** Ends a call whose model repeats a failing tool call even after the note. It would continue until its steps or the budget are used up. */
function toolLoop({ toolName, count }: ModelRequest["repeats"], stopAfter: number): Fault {
  return fault("ToolLoop", {
    message: `the model called ${toolName} ${count} times in a row with the same arguments, and each call failed`,
    context: { repeated: toolName, limit: stopAfter, ran: false },
  });
}

function repairsFor({ compact, refreshCredential, regenerate }: ResolvedModelOptions): Repairs<ModelRequest> {
  return {
    sizeOf: (request) => request.tokens(),
    compact:
      compact === null
        ? null
        : async (request, why, signal) => {
            const prompt = await compact(request.options.prompt, { fault: why, signal });
            return prompt === null ? null : request.with({ ...request.options, prompt });
          },
    regenerate: regenerate ? withCorrection : null,
    refresh:
      refreshCredential === null
        ? null
        : async (request, why, signal) => {
            await refreshCredential({ fault: why, signal });
            return request;
          },
  };
}

/** Adds the unusable answer and the reason, so that the model can correct it. */
function withCorrection(request: ModelRequest, why: Fault): ModelRequest {
  const { prompt } = request.options;
  const answer: LanguageModelV4Message[] =
    request.memory.lastAnswer.trim() === ""
      ? []
      : [{ role: "assistant", content: [{ type: "text", text: request.memory.lastAnswer }] }];
  const reason = SHAPE_REDACTOR.text(why.message);
  const text = `Your last answer could not be used: ${reason}. Answer again, completely and in the requested format.`;
  return request.with({
    ...request.options,
    prompt: [...prompt, ...answer, { role: "user", content: [{ type: "text", text }] }],
  });
}
