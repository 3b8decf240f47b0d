// Maps an AI SDK provider string such as `openai.responses` or `vertex.anthropic.messages` to its vendor (whose wire format it
// speaks), its host (who runs the servers) and the namespaces of `providerOptions` it reads.

export interface ProviderRow {
  readonly match: RegExp;
  /** A real provider string that this row matches. */
  readonly example: string;
  /** The vendor of the models and of the wire format. */
  readonly vendor: string;
  /** The company that runs the servers, as far as the provider string tells. */
  readonly host: string;
  /** The first one is where it writes the metadata it needs back. */
  readonly namespaces: readonly string[];
  /** Parameters that this API has no field for, with any model. */
  readonly refuses: readonly string[];
  /** It rejects reasoning that comes back without its own mark (signature, item id). */
  readonly signsReasoning: boolean;
  readonly acceptsEmptyText: boolean;
  /** Tool names it accepts. */
  readonly toolNames: RegExp;
  /** Tool call ids it accepts; null for all. */
  readonly toolCallIds: RegExp | null;
  /** It resells other makers' models: the model id names the maker, and the maker's options are passed on. */
  readonly resells: boolean;
}

/** "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'" (OpenAI, DeepSeek), "with a maximum length of 64" (OpenAI, Mistral). */
const TOOL_NAMES = /^[a-zA-Z0-9_-]{1,64}$/;
/** "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"; Bedrock keeps its own limit of 64. */
const ANTHROPIC_TOOL_NAMES = /^[a-zA-Z0-9_-]{1,128}$/;
/** "Invalid function name. Must start with a letter or an underscore. Must be alphameric …, underscores, dots, colons, or dashes, with a maximum length of 64." */
const GOOGLE_TOOL_NAMES = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

const GOOGLE = ["google", "googleVertex", "vertex"];
const RESPONSES_REFUSES = ["topK", "seed", "presencePenalty", "frequencyPenalty", "stopSequences"];
const ANTHROPIC_REFUSES = ["frequencyPenalty", "presencePenalty", "seed"];

/** The first match wins, so a maker behind a cloud comes before the cloud. */
export const PROVIDERS: readonly ProviderRow[] = [
  anthropic(/vertex.*anthropic/i, "vertex.anthropic.messages", "vertex"),
  anthropic(/bedrock.*anthropic/i, "bedrock.anthropic.messages", "bedrock"),
  anthropic(/azure.*anthropic|foundry.*anthropic/i, "azure.anthropic.messages", "azure"),
  anthropic(/^anthropic\b/i, "anthropic.messages", "anthropic"),
  openai(/^azure.*responses/i, "azure.responses", "azure", ["azure", "openai"], RESPONSES_REFUSES, true),
  openai(/^azure/i, "azure-openai.chat", "azure", ["azure", "openai"], ["topK"], false),
  openai(/^openai\.responses/i, "openai.responses", "openai", ["openai"], RESPONSES_REFUSES, true),
  openai(/^openai(?:\.|$)/i, "openai.chat", "openai", ["openai"], ["topK"], false),
  row(/bedrock/i, "amazon-bedrock", "bedrock", ["bedrock", "amazonBedrock"], {
    acceptsEmptyText: false,
    resells: true,
  }),
  row(
    /^(?:google[.-]?)?vertex|^google\.vertex/i,
    "google.vertex.chat",
    "google",
    ["googleVertex", "vertex", "google"],
    {
      host: "vertex",
      toolNames: GOOGLE_TOOL_NAMES,
    },
  ),
  row(/^google/i, "google.generative-ai", "google", GOOGLE, { toolNames: GOOGLE_TOOL_NAMES }),
  row(/^gateway/i, "gateway", "gateway", ["gateway"], { resells: true }),
  row(/^openrouter/i, "openrouter.chat", "openrouter", ["openrouter"], { resells: true }),
  row(/^xai/i, "xai.chat", "xai", ["xai"], {}),
  row(/^deepseek/i, "deepseek.chat", "deepseek", ["deepseek"], { refuses: ["topK", "seed"] }),
  row(/^mistral/i, "mistral.chat", "mistral", ["mistral"], { refuses: ["topK"], toolCallIds: /^[a-zA-Z0-9]{9}$/ }),
  row(/^groq/i, "groq.chat", "groq", ["groq"], { refuses: ["topK"] }),
  row(/^together/i, "togetherai.chat", "togetherai", ["togetherai"], {}),
  row(/^fireworks/i, "fireworks.chat", "fireworks", ["fireworks"], {}),
  row(/^cohere/i, "cohere.chat", "cohere", ["cohere"], {}),
  row(/^perplexity/i, "perplexity", "perplexity", ["perplexity"], {}),
  row(/^moonshot/i, "moonshotai.chat", "moonshotai", ["moonshotai"], {}),
  row(/^ollama/i, "ollama.chat", "ollama", ["ollama"], {}),
];

/** The vendor family: `openai`, `anthropic`, `google` … For an unknown string, the part before the first dot. */
export function providerOf(provider: string): string {
  return providerRow(provider).vendor;
}

/** Who runs the servers: `azure` for OpenAI models at Azure. */
export function hostOf(provider: string): string {
  return providerRow(provider).host;
}

/** The API, as part of an endpoint's name. An unknown server is assumed to speak OpenAI's. */
export function apiOf(provider: string): string {
  return PROVIDERS.find(({ match }) => match.test(provider))?.vendor ?? "openai";
}

export function providerRow(provider: string): ProviderRow {
  return PROVIDERS.find(({ match }) => match.test(provider)) ?? unknownProvider(provider);
}

/** The vendor that reads a namespace of `providerOptions`; null if no known vendor does. */
export function vendorOfNamespace(namespace: string): string | null {
  return NAMESPACES.get(namespace) ?? null;
}

const NAMESPACES: ReadonlyMap<string, string> = new Map(
  PROVIDERS.flatMap(({ namespaces, vendor }) => namespaces.map((name) => [name, vendor] as const)),
);

/** An OpenAI-compatible server reads the namespace with its own name, as written and in camel case. */
function unknownProvider(provider: string): ProviderRow {
  const name = provider.split(".")[0] ?? provider;
  const camel = name.replace(/[-_]+(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const namespaces = [...new Set([name, camel, "openaiCompatible", "openai-compatible"])];
  return row(/$^/, provider, name, namespaces, {});
}

function row(
  match: RegExp,
  example: string,
  vendor: string,
  namespaces: readonly string[],
  rest: Partial<ProviderRow>,
): ProviderRow {
  return {
    match,
    example,
    vendor,
    host: vendor,
    namespaces,
    refuses: [],
    signsReasoning: false,
    acceptsEmptyText: true,
    toolNames: TOOL_NAMES,
    toolCallIds: null,
    resells: false,
    ...rest,
  };
}

function anthropic(match: RegExp, example: string, host: string): ProviderRow {
  return row(match, example, "anthropic", ["anthropic"], {
    host,
    refuses: ANTHROPIC_REFUSES,
    signsReasoning: true,
    acceptsEmptyText: false,
    toolNames: host === "bedrock" ? TOOL_NAMES : ANTHROPIC_TOOL_NAMES,
    toolCallIds: /^[a-zA-Z0-9_-]+$/,
  });
}

function openai(
  match: RegExp,
  example: string,
  host: string,
  namespaces: readonly string[],
  refuses: readonly string[],
  signsReasoning: boolean,
): ProviderRow {
  return row(match, example, "openai", namespaces, { host, refuses, signsReasoning, toolCallIds: /^.{1,40}$/s });
}
