// A target as a language model of the AI SDK. The vendor's package is loaded with the first request that needs it.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { readField } from "../../core/try-read.ts";
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
}

const PACKAGES: Readonly<Record<Protocol, PackageRow>> = {
  "openai-chat": {
    npmPackage: "@ai-sdk/openai",
    provider: "openai.chat",
    make: async (settings, model) => (await openai()).createOpenAI(settings).chat(model),
  },
  "openai-responses": {
    npmPackage: "@ai-sdk/openai",
    provider: "openai.responses",
    make: async (settings, model) => (await openai()).createOpenAI(settings).responses(model),
  },
  "anthropic-messages": {
    npmPackage: "@ai-sdk/anthropic",
    provider: "anthropic.messages",
    make: async (settings, model) => (await anthropic()).createAnthropic(settings)(model),
  },
  "google-generate": {
    npmPackage: "@ai-sdk/google",
    provider: "google.generative-ai",
    make: async (settings, model) => (await google()).createGoogle(settings)(model),
  },
};

/** The packages want a key. For a target without one, what they send as one is taken off again. */
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
  const { provider, make, npmPackage } = PACKAGES[dialect];
  const send = key === null ? withoutKey(pooledFetch, dialect) : pooledFetch;
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
    doGenerate: async (options) => (await model()).doGenerate(options),
    doStream: async (options) => (await model()).doStream(options),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && readField(error, "code") === "ERR_MODULE_NOT_FOUND";
}

function packageMissing(npmPackage: string): FaultError {
  const message = `a request in another dialect needs the package ${npmPackage}, which is not installed here: npm i ${npmPackage}`;
  return new FaultError(fault("HostCapabilityMissing", { message, context: { package: npmPackage } }));
}
