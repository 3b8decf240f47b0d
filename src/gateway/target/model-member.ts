// A target of another dialect as a member of a chain: a member of `fl.model`, whose answers are written in the client's dialect. A target
// of the client's own dialect is used in the same way when the request has to be changed for it.

import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { RequestChange } from "../../core/flow/call.ts";
import { factsFor } from "../../provider/model-facts/facts-for.ts";
import { modelMember, type ModelMember, type PlacedModel } from "../../provider/model/members.ts";
import { resolveModelOptions } from "../../provider/model/model-options.ts";
import { ModelRequest } from "../../provider/model/model-request.ts";
import { StreamSink } from "../../provider/model/stream-sink.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { FittedRequest, RunContext, Tool } from "../../runtime/tool/tool.ts";
import { DIALECTS, targetDialect } from "../dialect/dialect.ts";
import type { GatewayRequest } from "../request/gateway-request.ts";
import type { Continuation } from "../answer/continuation.ts";
import { ContentTally } from "../../provider/model/tally.ts";
import {
  byteMember,
  CONTINUES,
  domainsOf,
  type GatewayDeps,
  type GatewayMember,
  type PlacedTarget,
} from "./byte-member.ts";
import { withFilesBeside } from "../translate/tool-files.ts";
import { lazyModel } from "./lazy-model.ts";
import { mostCost, targetPrice } from "./target-price.ts";
import { streamTranslated, writeWhole } from "./translated-answer.ts";

export function translatedMember(placed: PlacedTarget, dialect: Protocol, deps: GatewayDeps): GatewayMember {
  const inner = innerMember(placed, dialect, deps);
  return {
    tool: wrapped(inner, placed, deps),
    facts: factsOf(inner, placed),
    fit: (request) => translate(request, placed, inner),
    passesThrough: () => false,
  };
}

/** A target of the client's dialect for which a request may have to change: it is not the first one, or it continues a text that broke off. */
export function fallbackMember(
  placed: PlacedTarget,
  dialect: Protocol,
  deps: GatewayDeps,
  isFirst = false,
): GatewayMember {
  const bytes = byteMember(placed, dialect, deps);
  const inner = innerMember(placed, dialect, deps);
  const through = wrapped(inner, placed, deps);
  return {
    tool: {
      ...bytes.tool,
      run: (request, context) =>
        (request as GatewayRequest).translated === null
          ? bytes.tool.run(request, context)
          : through.run(request, context),
    },
    facts: bytes.facts,
    fit: (request) => {
      // The gateway cannot change a request that it cannot read. The target gets it as it is.
      if (request.read.refused !== null) return { request, changes: [] };
      const fitted = translate(request, placed, inner);
      // A text that broke off is continued through the form that all dialects share.
      if (request.answer.isOpen) return fitted;
      if (fitted.changes.some(({ rule }) => rule !== OTHER_DIALECT)) return fitted;
      // Nothing has to change, so the target gets the client's bytes, with fields that the gateway does not know.
      return { request, changes: [] };
    },
    passesThrough: ({ answer }) => isFirst && !answer.isOpen,
  };
}

/** Adds what the target can do to what its model can do. */
function factsOf({ facts }: ModelMember, { target }: PlacedTarget): ModelMember["facts"] {
  return target.continues ? { ...facts, capabilities: [...facts.capabilities, CONTINUES] } : facts;
}

const OPTIONS = resolveModelOptions({});
/** The rule by which a field is left out that only the client's dialect has. */
const OTHER_DIALECT = "other-dialect";

function innerMember(
  { target, model, hasFallback, leastPerSecond }: PlacedTarget,
  dialect: Protocol,
  deps: GatewayDeps,
): ModelMember {
  const own = targetDialect(target, dialect);
  const language = lazyModel(target, own, model, deps.transport.fetch);
  const { maxConcurrent, maxPerMinute, timeouts, name } = target;
  const limits = {
    ...(maxConcurrent === null ? {} : { maxConcurrent }),
    ...(maxPerMinute === null ? {} : { maxPerMinute }),
  };
  const place: PlacedModel = {
    target: { model: language, id: `${name}/${model}`, timeouts, ...limits },
    domains: domainsOf(target, model, own),
    facts: factsFor(language.provider, model),
    price: targetPrice(deps.prices, target, model),
  };
  // The request was written for a model of the client's dialect.
  const facts = factsFor(DIALECTS[dialect].vendor, "");
  const writtenFor: PlacedModel = { ...place, facts, domains: { endpoint: dialect, account: "", model: "" } };
  const options = { ...OPTIONS, minCharactersPerSecond: leastPerSecond };
  return modelMember(place, writtenFor, hasFallback, options, deps);
}

function translate(
  request: GatewayRequest,
  { target }: PlacedTarget,
  { fit }: ModelMember,
): FittedRequest<GatewayRequest> {
  const { options, extras, omitted, anyJson } = request.read;
  const { vendor, protocol } = DIALECTS[targetDialect(target, request.asked.dialect)];
  const own = { ...OWN_OPTIONS[vendor], ...extras[vendor] };
  const sink = request.asked.facts.streaming ? new StreamSink("fail") : null;
  const prompt = PROMPTS[protocol]?.(options.prompt) ?? options.prompt;
  const asked = new ModelRequest({ ...options, prompt, providerOptions: { [vendor]: own } }, sink);
  const { request: fitted, changes } = fit?.(asked) ?? { request: asked, changes: [] };
  // Only a schema asks for JSON in this dialect.
  const noJson = protocol === "anthropic-messages" && anyJson !== null ? [anyJson] : [];
  const left: readonly RequestChange[] = [...omitted, ...noJson].map((where) => ({
    rule: OTHER_DIALECT,
    where,
    why: "the target's dialect has no place for it",
  }));
  const all = [...left, ...changes];
  const named = all.map(({ rule, where }) => `${rule}=${where}`);
  return { request: request.translatedAs(fitted, named), changes: all };
}

/** What a dialect writes otherwise than all others. */
const PROMPTS: Readonly<Partial<Record<Protocol, (prompt: LanguageModelV4Prompt) => LanguageModelV4Prompt>>> = {
  // Results of tools are text.
  "openai-chat": withFilesBeside,
  // System messages are one field beside the conversation.
  "google-generate": (prompt) => [...prompt].sort((one, other) => Number(isSystem(other)) - Number(isSystem(one))),
};

function isSystem({ role }: LanguageModelV4Message): boolean {
  return role === "system";
}

function sinkOf({ answer, isContinued }: GatewayRequest): StreamSink {
  return new StreamSink(answer.holdsAll ? "restart" : isContinued ? "continue" : "fail");
}

/** Starts with the text that the client already has, so that the check at the end sees the whole answer. */
function tallyOf({ text }: Continuation): ContentTally {
  const tally = new ContentTally();
  tally.add({ type: "text-start", id: "0" });
  tally.add({ type: "text-delta", id: "0", delta: text });
  return tally;
}

/** A vendor that the client did not choose must not store its conversation. */
const OWN_OPTIONS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = { openai: { store: false } };

function wrapped({ tool }: ModelMember, placed: PlacedTarget, deps: GatewayDeps): Tool<GatewayRequest, unknown> {
  const modelOf = (request: unknown): unknown => (request as GatewayRequest).translated;
  const { target, model } = placed;
  const price = targetPrice(deps.prices, target, model);
  const limits = factsFor(target.provider, model);
  const { accepts: _accepts, ...own } = tool;
  return {
    ...own,
    estimate: (request) => mostCost(price, (request as GatewayRequest).asked, limits),
    estimateSent: (request) => tool.estimateSent?.(modelOf(request)) ?? null,
    run: async (given, context: RunContext) => {
      const request = given as GatewayRequest;
      const { translated } = request;
      if (translated === null) throw new Error("the request was not translated for this target");
      request.answer.attempts += 1;
      request.memory.refused = null;
      const about = { request, context, target: `${placed.target.name}/${placed.model}`, clock: deps.clock };
      // Each attempt has a stream of its own: what the client sees is decided when it is written in its dialect.
      const { continuation } = request;
      const sink = translated.sink === null ? null : sinkOf(request);
      if (continuation !== null) sink?.resume(continuation.text);
      const fresh = new ModelRequest(
        translated.options,
        sink,
        continuation === null ? translated.memory : { ...translated.memory, tally: tallyOf(continuation) },
        translated.given,
        translated.toolNames,
      );
      if (sink === null) writeWhole(about, fresh, await tool.run(fresh, context));
      else await streamTranslated(about, sink, tool.run(fresh, context));
      return null;
    },
  };
}
