// A target as a language model of the AI SDK. The vendor's package is loaded with the first request that needs it.

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { countOf, type JsonObject, objectOf } from "../../core/json-fields.ts";
import { parseJson, readField } from "../../core/try-read.ts";
import { lazyPart, orFail } from "../../host/lazy-part.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { GatewayTarget } from "../config/settings.ts";
import { DIALECTS } from "../dialect/dialect.ts";

const openai = lazyPart(() => import("@ai-sdk/openai").catch(orFail));
const anthropic = lazyPart(() => import("@ai-sdk/anthropic").catch(orFail));
const google = lazyPart(() => import("@ai-sdk/google").catch(orFail));

interface Settings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}

interface PackageRow {
  readonly npmPackage: string;
  /** What the package calls its provider. */
  readonly provider: string;
  readonly make: (settings: Settings, model: string) => Promise<LanguageModelV4>;
  /** Brings the tokens for thinking within the limit of the answer; null when the package does so. */
  readonly bound: ((body: JsonObject, limit: number) => JsonObject) | null;
}

const PACKAGES: Readonly<Record<Protocol, PackageRow>> = {
  "openai-chat": {
    npmPackage: "@ai-sdk/openai",
    provider: "openai.chat",
    make: async (settings, model) => (await openai()).createOpenAI(settings).chat(model),
    bound: null,
  },
  "openai-responses": {
    npmPackage: "@ai-sdk/openai",
    provider: "openai.responses",
    make: async (settings, model) => (await openai()).createOpenAI(settings).responses(model),
    bound: null,
  },
  "anthropic-messages": {
    npmPackage: "@ai-sdk/anthropic",
    provider: "anthropic.messages",
    make: async (settings, model) => (await anthropic()).createAnthropic(settings)(model),
    bound: boundAnthropic,
  },
  "google-generate": {
    npmPackage: "@ai-sdk/google",
    provider: "google.generative-ai",
    make: async (settings, model) => (await google()).createGoogle(settings)(encodeURIComponent(model)),
    bound: boundGoogle,
  },
};

/** Anthropic accepts no smaller number of tokens for thinking. */
const MIN_THINKING = 1_024;
/** Some of Google's models accept no smaller number. */
const MIN_GOOGLE_THINKING = 512;
/** The share of the limit that thinking may use, so that something is left for the answer. */
const MAX_THINKING = 0.6;

/** In all dialects, the limit of an answer covers its thinking. Anthropic's package adds the thinking to the limit. */
function boundAnthropic(body: JsonObject, limit: number): JsonObject {
  const thinking = objectOf(body["thinking"]);
  const budget = Math.min(countOf(thinking?.["budget_tokens"]), Math.floor(limit * MAX_THINKING));
  if (thinking?.["budget_tokens"] === undefined) return body;
  const { thinking: _thinking, ...rest } = body;
  const bounded = { ...rest, max_tokens: limit };
  return budget < MIN_THINKING ? bounded : { ...bounded, thinking: { ...thinking, budget_tokens: budget } };
}

/** Google's package uses the model's own limit, which may leave nothing for the answer. */
function boundGoogle(body: JsonObject, limit: number): JsonObject {
  const config = objectOf(body["generationConfig"]);
  const thinking = objectOf(config?.["thinkingConfig"]);
  const budget = countOf(thinking?.["thinkingBudget"]);
  const most = Math.max(Math.floor(limit * MAX_THINKING), MIN_GOOGLE_THINKING);
  if (budget <= most) return body;
  return { ...body, generationConfig: { ...config, thinkingConfig: { ...thinking, thinkingBudget: most } } };
}

/** Carries the limit of a request past the package to `bounded`. */
const LIMIT_HEADER = "x-faultline-limit";

function bounded(send: typeof fetch, bound: NonNullable<PackageRow["bound"]>): typeof fetch {
  return (input, init = {}) => {
    const headers = new Headers(init.headers);
    const limit = Number(headers.get(LIMIT_HEADER) ?? 0);
    headers.delete(LIMIT_HEADER);
    const body = limit > 0 && typeof init.body === "string" ? objectOf(parseJson(init.body)) : null;
    const sent = body === null ? {} : { body: JSON.stringify(bound(body, limit)) };
    return send(input, { ...init, ...sent, headers: Object.fromEntries(headers) });
  };
}

/** A request that says how hard to think, and how long the answer may be. */
function withLimit(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { maxOutputTokens, reasoning, headers } = options;
  if (maxOutputTokens === undefined || reasoning === undefined) return options;
  return { ...options, headers: { ...headers, [LIMIT_HEADER]: String(maxOutputTokens) } };
}

/** The packages require a key. For a target without one, `withoutKey` removes the header that they send it in. */
const NO_KEY = "none";

function withoutKey(pooledFetch: typeof fetch, dialect: Protocol): typeof fetch {
  const names = Object.keys(DIALECTS[dialect].signIn(NO_KEY));
  return (input, init = {}) => {
    const headers = new Headers(init.headers);
    for (const name of names) headers.delete(name);
    return pooledFetch(input, { ...init, headers: Object.fromEntries(headers) });
  };
}

export function lazyModel(
  { baseUrl, key }: GatewayTarget,
  dialect: Protocol,
  modelId: string,
  pooledFetch: typeof fetch,
): LanguageModelV4 {
  const { provider, make, npmPackage, bound } = PACKAGES[dialect];
  const sent = key === null ? withoutKey(pooledFetch, dialect) : pooledFetch;
  const send = bound === null ? sent : bounded(sent, bound);
  const fitted = bound === null ? (options: LanguageModelV4CallOptions) => options : withLimit;
  const settings = { baseURL: baseUrl, apiKey: key ?? NO_KEY, fetch: send };
  const model = lazyPart(async () => {
    try {
      return await make(settings, modelId);
    } catch (error) {
      throw isMissing(error) ? packageMissing(npmPackage) : error;
    }
  });
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: async (options) => (await model()).doGenerate(fitted(options)),
    doStream: async (options) => (await model()).doStream(fitted(options)),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && readField(error, "code") === "ERR_MODULE_NOT_FOUND";
}

function packageMissing(npmPackage: string): FaultError {
  const message = `a request in another dialect needs the package ${npmPackage}, which is not installed here: npm i ${npmPackage}`;
  return new FaultError(fault("HostCapabilityMissing", { message, context: { package: npmPackage } }));
}
