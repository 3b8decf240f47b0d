// The models of a chain as tools of the runtime: each with its own breaker, pause and queue, all with the same request.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { type FailureDomains, sharesAll } from "../../core/decide/fallback.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { RequestChange } from "../../core/flow/call.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import type { Clock } from "../../host/clock.ts";
import { targetKey } from "../../runtime/target/target-key.ts";
import type { ChainPart, Repairs, RequestNeeds } from "../../runtime/tool/chain-part.ts";
import { type AnyTool, tool } from "../../runtime/tool/tool.ts";
import { domainsOf, keysOf } from "../domain/model-domains.ts";
import { factsFor, type ModelFacts } from "../model-facts/facts-for.ts";
import { estimateTokens, needsOf } from "../model-facts/needs-of.ts";
import { makePortable, type PortableChange, repairHistory, summarizeChanges } from "../portable/make-portable.ts";
import { repeatsIn, type RepeatLimits } from "../portable/repeated-calls.ts";
import { costOfAnswer, estimateCost } from "../price/cost.ts";
import { type PriceTable, priceOf } from "../price/price-table.ts";
import { askedTier } from "../price/service-tier.ts";
import { passThroughTo } from "./pass-through.ts";
import { generate } from "./generate.ts";
import { invalidOption, checkOptions } from "../../options/check-options.ts";
import {
  MODEL_TARGET_OPTIONS,
  type ModelTarget,
  type ModelTargetOptions,
  type ResolvedModelOptions,
} from "./model-options.ts";
import type { ModelRequest } from "./model-request.ts";
import { stream } from "./stream.ts";
import { modelTimeouts } from "./timeouts.ts";
import type { Upstream } from "./upstream.ts";

export interface MembersDeps {
  readonly clock: Clock;
  readonly prices: PriceTable;
  /** The calls belong to a session. */
  readonly isKept: boolean;
  /** Tells the redactor of keys, so that a provider that repeats one does not bring it into a log. */
  readonly learnKeys: (keys: readonly string[]) => void;
}

const LIST_OF_MODELS = `targets must be a list of models, as in fl.model([openai("gpt-5")])`;

export function membersOf(
  targets: readonly ModelTarget[],
  options: ResolvedModelOptions,
  home: MembersDeps,
): readonly AnyTool[] {
  const list: unknown = targets;
  if (!Array.isArray(list) || list.length === 0) throw invalidOption("fl.model", "targets", LIST_OF_MODELS);
  const members: AnyTool[] = [];
  const ids = new Set<string>();
  const given = targets.map((each) => checkedTarget(targetOf(each)));
  const domains = domainsOf(given);
  home.learnKeys(given.flatMap(({ model }) => keysOf(model)));
  const placed = given.map((target, index): Placed => ({ target, domains: domains[index] ?? NO_DOMAINS }));
  for (const each of placed) {
    const { id, model } = each.target;
    const name = freeId(id ?? `${factsOf(each.target).host}/${model.modelId}`, ids);
    members.push(memberOf(name, each, placed[0], members, targets.length > 1, options, home));
  }
  return members;
}

/** A target, and what it can fail together with. */
interface Placed {
  readonly target: ModelTargetOptions;
  readonly domains: FailureDomains;
}

const NO_DOMAINS: FailureDomains = { endpoint: "", account: "", model: "" };

function checkedTarget(target: ModelTargetOptions): ModelTargetOptions {
  checked(target.model);
  return checkOptions(`fl.model, target ${target.id ?? target.model.modelId}`, target, MODEL_TARGET_OPTIONS);
}

/** A model alone is one with nothing special about it; whether it is a model at all is asked later. */
function targetOf(given: ModelTarget): ModelTargetOptions {
  return isObject(given) && "model" in given ? given : { model: given };
}

function isObject(given: unknown): given is object {
  return typeof given === "object" && given !== null;
}

function checked(model: LanguageModelV4): LanguageModelV4 {
  const given: unknown = model;
  if (!isObject(given) || !("doGenerate" in given)) {
    const what = typeof given === "string" ? JSON.stringify(given) : "one target";
    const message = `${what} is not a model; it must be a language model of the AI SDK, as in openai("gpt-5")`;
    throw invalidOption("fl.model", "targets", message);
  }
  const version: string = model.specificationVersion;
  if (version !== "v4") {
    throw invalidOption(
      "fl.model",
      "targets",
      `${model.modelId} speaks ${version} of the AI SDK's interface; v4 is needed (ai 7)`,
    );
  }
  return model;
}

/** The same model twice, with two keys perhaps, gives two targets. */
function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${wanted}#${number}`;
  taken.add(id);
  return id;
}

function factsOf({ model, facts }: ModelTargetOptions): ModelFacts {
  const { provider, modelId } = checked(model);
  return factsFor(provider, modelId, facts);
}

/** While another model answers, a look whether this one is back costs little; and a first choice is wanted back soon. Who sets how long a breaker stays open knows better. */
const MOST_OPEN_MS = 30_000;

function memberOf(
  id: string,
  { target, domains }: Placed,
  first: Placed | undefined,
  members: readonly AnyTool[],
  hasStandIn: boolean,
  options: ResolvedModelOptions,
  { clock, prices, isKept }: MembersDeps,
): AnyTool {
  const { model } = target;
  const facts = factsOf(target);
  const timeouts = modelTimeouts({ ...options.timeouts, ...target.timeouts }, facts);
  const price = priceOf(prices, model.provider, model.modelId);
  const upstream: Upstream = {
    model,
    provider: facts.host,
    clock,
    timeouts,
    price,
    isKept,
    leastPerSecond: options.minCharactersPerSecond,
  };
  const plain = tool<ModelRequest, unknown>({
    id,
    surface: "http",
    provider: facts.host,
    target: targetKey(domains),
    idempotent: true,
    timeoutMs: timeouts.stream.totalMs,
    ...(hasStandIn ? { breaker: { defaultMaxOpenMs: MOST_OPEN_MS } } : {}),
    ...(target.maxConcurrent === undefined ? {} : { maxConcurrent: target.maxConcurrent }),
    cost: {
      estimate: ({ options: asked }) => {
        if (price === null) return null;
        const most = asked.maxOutputTokens ?? options.assumedOutputTokens;
        return estimateCost(estimateTokens(asked), most, price, askedTier(model.provider, asked));
      },
      sent: ({ sent }) => {
        const seen = { inputTokens: () => estimateTokens(sent), outputCharacters: 0 };
        return price === null
          ? null
          : costOfAnswer(null, false, seen, price, askedTier(model.provider, sent)).microcents;
      },
    },
    run: (request, context) =>
      request.sink === null ? generate(upstream, request, context) : stream(upstream, request, request.sink, context),
  });
  const { contextWindowTokens } = facts;
  // Going on with another model's text is asked only of models that are known to be able to.
  const isDeclared = facts.known || target.facts?.capabilities !== undefined;
  const capabilities = isDeclared ? facts.capabilities : facts.capabilities.filter((each) => each !== "prefill");
  const chain: ChainPart<AnyTool> = {
    members,
    facts: {
      ...domains,
      capabilities,
      contextWindowTokens,
      lastResort: target.lastResort ?? false,
    },
    hurried: options.hurried,
    revive: (kept, given) => (given as ModelRequest).revived(kept),
    needsOf: (input) => needsOfRequest(input as ModelRequest, options),
    passesThrough: members.length === 0 ? asGivenToFirst(facts, capabilities) : null,
    repairs: repairsFor(facts, first === undefined || members.length === 0 ? null : madeFor(first, domains), options),
  };
  return { ...(plain as AnyTool), chain };
}

function asGivenToFirst(facts: ModelFacts, capabilities: readonly string[]): (input: unknown) => boolean {
  const isAsGiven = passThroughTo({ ...facts, capabilities });
  return (input) => {
    const { options, sink } = input as ModelRequest;
    return sink === null ? isAsGiven(options, false) : sink.continuable === null && isAsGiven(options, true);
  };
}

function needsOfRequest({ options, sink }: ModelRequest, { repeatedFailures }: ResolvedModelOptions): RequestNeeds {
  const { needs, inputTokensAtLeast } = needsOf(options, sink !== null);
  const goesOn = sink !== null && sink.continuable !== null;
  return {
    capabilities: goesOn ? [...needs, "prefill"] : needs,
    inputTokens: inputTokensAtLeast,
    refusal: loopIn(options, repeatedFailures),
  };
}

/** A model that was told and goes on all the same would go on until its steps or the money are used up. */
function loopIn({ prompt }: LanguageModelV4CallOptions, { stopAfter }: RepeatLimits): Fault | null {
  const { toolName, count } = repeatsIn(prompt);
  if (count < stopAfter) return null;
  return fault("ToolLoop", {
    message: `the model called ${toolName} ${count} times in a row with the same arguments, and each call failed`,
    context: { repeated: toolName, limit: stopAfter, ran: false },
  });
}

/** The model a request was made for, and whether another account can see what it left at the vendor. */
interface MadeFor {
  readonly facts: ModelFacts;
  readonly sharesState: boolean;
}

function madeFor(first: Placed, domains: FailureDomains): MadeFor {
  return { facts: factsOf(first.target), sharesState: sharesAll(first.domains, domains, ["endpoint", "account"]) };
}

/** What was made for the first model goes to it as it is, but for what no model takes. */
function repairsFor(
  facts: ModelFacts,
  from: MadeFor | null,
  { compact, refreshCredential, regenerate, repeatedFailures }: ResolvedModelOptions,
): Repairs {
  return {
    fit: (input) => {
      const request = input as ModelRequest;
      const portable =
        from === null
          ? repairHistory(request.options, facts, repeatedFailures.tellAfter)
          : makePortable(
              request.options,
              { ...facts, keepsState: facts.keepsState && from.sharesState },
              from.facts,
              repeatedFailures.tellAfter,
            );
      return { input: request.fitted(portable), changes: told(portable.changes) };
    },
    sizeOf: (input) => estimateTokens((input as ModelRequest).options),
    compact:
      compact === null || compact === undefined
        ? null
        : async (input, why, signal) => {
            const request = input as ModelRequest;
            const prompt = await compact(request.options.prompt, { fault: why, signal });
            return prompt === null ? null : request.with({ ...request.options, prompt });
          },
    regenerate: regenerate ? (input, why) => askedAgain(input as ModelRequest, why) : null,
    refresh:
      refreshCredential === null || refreshCredential === undefined
        ? null
        : async (input, why, signal) => {
            await refreshCredential({ fault: why, signal });
            return input;
          },
  };
}

const NO_CHANGES: readonly never[] = [];

/** One line for each kind: a long history may have hundreds of them. */
function told(changes: readonly PortableChange[]): readonly RequestChange[] {
  if (changes.length === 0) return NO_CHANGES;
  return summarizeChanges(changes).map(({ rule, where, why, count }) => ({
    rule,
    where: count === 1 ? where : `${where} and ${count - 1} more`,
    why,
  }));
}

/** The answer that was not usable, and why, so that the model can do better. */
function askedAgain(request: ModelRequest, why: Fault): ModelRequest {
  const { prompt } = request.options;
  const answer: LanguageModelV4Message[] =
    request.memory.lastAnswer.trim() === ""
      ? []
      : [{ role: "assistant", content: [{ type: "text", text: request.memory.lastAnswer }] }];
  const reason = SHAPE_REDACTOR.text(why.message);
  const text = `Your last answer could not be used: ${reason}. Answer again, completely and in the form that was asked for.`;
  return request.with({
    ...request.options,
    prompt: [...prompt, ...answer, { role: "user", content: [{ type: "text", text }] }],
  });
}
