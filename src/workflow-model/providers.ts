// The providers a workflow may name: the npm package of each, and where its key and address come from. Packages are optional and
// are loaded when one of their models is created, so a workflow needs only those it uses.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { asLatest } from "../provider/interface/any-model.ts";
import { lazyPart, orFail } from "../host/lazy-part.ts";
import { classify } from "../core/classify/classify.ts";
import type { FailureDomains } from "../core/decide/fallback.ts";
import { fault, FaultError } from "../core/fault/fault.ts";
import { readField, tryRead } from "../core/try-read.ts";
import { endpointAt } from "../provider/domain/endpoint.ts";
import { boundedFetch } from "../provider/fetch/bounded.ts";
import type { AgentTarget } from "./node-options.ts";
import type { Environment } from "../agent/process/child-env.ts";

export type ModelAgentTarget = Extract<AgentTarget, { readonly kind: "model" }>;

export interface ProviderSettings {
  readonly model: string;
  /** Empty: the package's own. */
  readonly baseUrl: string;
  /** Empty: none is sent. */
  readonly apiKey: string;
}

export interface WorkflowProvider {
  readonly id: string;
  readonly npmPackage: string;
  /** The package's export that creates it. */
  readonly factory: string;
  /** Variables that may hold the key; the first one that is set is used. Empty: no key is needed. */
  readonly keyEnv: readonly string[];
  /** The variable with the address if the workflow sets none; empty: there is no such variable. */
  readonly baseUrlEnv: string;
  /** The package's default address; empty: none. */
  readonly ownBaseUrl: string;
  /** Appended to an address without a path, because the vendor's own tools accept it without. */
  readonly versionPath: string;
  /** The address is required. */
  readonly needsBaseUrl: boolean;
  /** The package passes the answer's schema to the model; otherwise the prompt has to contain it. */
  readonly passesSchema: boolean;
  /** A model as written in a workflow. */
  readonly example: string;
  readonly make: (settings: ProviderSettings) => Promise<LanguageModelV4>;
}

const openaiPackage = lazyPart(() => import("@ai-sdk/openai").catch(orFail));
const anthropicPackage = lazyPart(() => import("@ai-sdk/anthropic").catch(orFail));
const googlePackage = lazyPart(() => import("@ai-sdk/google").catch(orFail));
const openaiCompatiblePackage = lazyPart(() => import("@ai-sdk/openai-compatible").catch(orFail));

const OPENAI: WorkflowProvider = {
  id: "openai",
  npmPackage: "@ai-sdk/openai",
  factory: "createOpenAI",
  keyEnv: ["OPENAI_API_KEY"],
  baseUrlEnv: "OPENAI_BASE_URL",
  ownBaseUrl: "https://api.openai.com/v1",
  versionPath: "",
  needsBaseUrl: false,
  passesSchema: true,
  example: "openai/gpt-5.5",
  make: async (settings) => (await openaiPackage()).createOpenAI(asOptions(settings))(settings.model),
};

export const WORKFLOW_PROVIDERS: readonly WorkflowProvider[] = [
  OPENAI,
  {
    // For servers that support OpenAI's chat API but not its responses API.
    ...OPENAI,
    id: "openai-chat",
    example: "openai-chat/gpt-4o",
    make: async (settings) => (await openaiPackage()).createOpenAI(asOptions(settings)).chat(settings.model),
  },
  {
    id: "anthropic",
    npmPackage: "@ai-sdk/anthropic",
    factory: "createAnthropic",
    keyEnv: ["ANTHROPIC_API_KEY"],
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    ownBaseUrl: "https://api.anthropic.com/v1",
    versionPath: "/v1",
    needsBaseUrl: false,
    passesSchema: true,
    example: "anthropic/claude-sonnet-4-5",
    make: async (settings) => (await anthropicPackage()).createAnthropic(asOptions(settings))(settings.model),
  },
  {
    id: "google",
    npmPackage: "@ai-sdk/google",
    factory: "createGoogle",
    keyEnv: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    baseUrlEnv: "",
    ownBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
    versionPath: "/v1beta",
    needsBaseUrl: false,
    passesSchema: true,
    example: "google/gemini-2.5-flash",
    make: async (settings) => (await googlePackage()).createGoogle(asOptions(settings))(settings.model),
  },
  {
    // Any other server: Ollama, vLLM, LM Studio, a gateway. Many need no key, so one is sent only if the workflow names it.
    id: "openai-compatible",
    npmPackage: "@ai-sdk/openai-compatible",
    factory: "createOpenAICompatible",
    keyEnv: [],
    baseUrlEnv: "",
    ownBaseUrl: "",
    versionPath: "",
    needsBaseUrl: true,
    passesSchema: false,
    example: "openai-compatible/llama3.3",
    make: async (settings) => {
      const { createOpenAICompatible } = await openaiCompatiblePackage();
      const { baseUrl: baseURL, model } = settings;
      const name = "openai-compatible";
      // Without `includeUsage` a streamed answer has no usage, so its cost would be unknown.
      return createOpenAICompatible({ ...asOptions(settings), name, baseURL, includeUsage: true })(model);
    },
  },
];

interface FactoryOptions {
  readonly fetch: typeof fetch;
  readonly baseURL?: string;
  readonly apiKey?: string;
}

function asOptions({ baseUrl, apiKey }: ProviderSettings): FactoryOptions {
  return { fetch: boundedFetch, ...(baseUrl === "" ? {} : { baseURL: baseUrl }), ...(apiKey === "" ? {} : { apiKey }) };
}

export function knownProviders(): readonly string[] {
  return WORKFLOW_PROVIDERS.map(({ id }) => id);
}

/** null if there is no such provider. */
export function providerNamed(
  id: string,
  table: readonly WorkflowProvider[] = WORKFLOW_PROVIDERS,
): WorkflowProvider | null {
  return table.find((one) => one.id === id) ?? null;
}

/**
 * Creates the model without sending anything. Throws a FaultError if the provider, its package, its address or its key is
 * missing.
 */
export async function createModel(
  target: ModelAgentTarget,
  env: Environment,
  table: readonly WorkflowProvider[] = WORKFLOW_PROVIDERS,
): Promise<LanguageModelV4> {
  const row = providerNamed(target.provider, table);
  if (row === null) throw unknownProvider(target.provider, table);
  const baseUrl = baseUrlOf(target, row, env);
  const apiKey = keyOf(target, row, baseUrl, env);
  try {
    // The installed package may be one of an older AI SDK.
    return asLatest(await row.make({ model: target.model, baseUrl, apiKey }));
  } catch (error) {
    if (error instanceof Error && readField(error, "code") === "ERR_MODULE_NOT_FOUND") throw packageMissing(row);
    throw new FaultError(classify({ surface: "node", error }), { cause: error });
  }
}

/** The workflow's name for the provider. */
export function providerName({ name, provider }: ModelAgentTarget): string {
  return name === "" ? provider : name;
}

/** The failure domains of a target. A key is identified by the variable that holds it and is not read here. */
export function modelDomains(target: ModelAgentTarget, env: Environment): FailureDomains {
  const { provider, baseUrl, apiKeyEnv, model } = target;
  const row = providerNamed(provider);
  const addresses = [baseUrl, env[row?.baseUrlEnv ?? ""], row?.ownBaseUrl];
  const address = addresses.find((each) => each !== undefined && each !== "") ?? "";
  const variables = apiKeyEnv === "" ? (row?.keyEnv ?? []) : [apiKeyEnv];
  return {
    endpoint: endpointAt(address, provider) ?? providerName(target),
    account: variables.length === 0 ? "no key" : variables.join(" or "),
    model,
  };
}

function baseUrlOf(target: ModelAgentTarget, row: WorkflowProvider, env: Environment): string {
  const { provider, baseUrl } = target;
  const given = baseUrl === "" ? (env[row.baseUrlEnv] ?? "") : baseUrl;
  const named = providerName(target);
  if (given === "") {
    if (!row.needsBaseUrl) return "";
    throw misconfigured(`provider ${named} has no address of its own: give it base_url`, provider);
  }
  const url = tryRead(() => new URL(given), null);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw misconfigured(`base_url of provider ${named} is not an http address; write http://host:port/v1`, provider);
  }
  return url.pathname === "/" ? `${given.replace(/\/+$/, "")}${row.versionPath}` : given;
}

/** The packages require a key; a local server does not check it. */
const PLACEHOLDER_KEY = "no-key-needed-on-loopback";

function keyOf(target: ModelAgentTarget, row: WorkflowProvider, baseUrl: string, env: Environment): string {
  const { provider, apiKeyEnv } = target;
  const variables = apiKeyEnv === "" ? row.keyEnv : [apiKeyEnv];
  if (variables.length === 0) return "";
  const key = variables.map((name) => env[name] ?? "").find((value) => value !== "");
  if (key !== undefined) return key;
  if (isLoopback(baseUrl)) return PLACEHOLDER_KEY;
  const [variable = ""] = variables;
  throw new FaultError(
    fault("KeyMissing", {
      message: `provider ${providerName(target)} needs a key, and the environment variable ${variables.join(" or ")} is not set; set it, or name another one with api_key_env`,
      context: { provider, variable },
    }),
  );
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isLoopback(baseUrl: string): boolean {
  return LOOPBACK.test(tryRead(() => new URL(baseUrl).hostname, ""));
}

function unknownProvider(provider: string, table: readonly WorkflowProvider[]): FaultError {
  const examples = table.map(({ example }) => example).join(", ");
  return misconfigured(`there is no provider ${JSON.stringify(provider)}; models are written ${examples}`, provider);
}

function misconfigured(message: string, provider: string): FaultError {
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "provider", provider } }));
}

function packageMissing({ id, npmPackage }: WorkflowProvider): FaultError {
  return new FaultError(
    fault("HostCapabilityMissing", {
      message: `provider ${id} needs the package ${npmPackage}, which is not installed here: npm i ${npmPackage}`,
      context: { provider: id, package: npmPackage },
    }),
  );
}
