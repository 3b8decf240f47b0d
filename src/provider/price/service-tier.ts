// The service tier of a model request: the tier that served it if the answer says so, otherwise the requested tier.

import type { LanguageModelV4CallOptions, LanguageModelV4Usage } from "@ai-sdk/provider";

type Options = Readonly<Record<string, unknown>>;

/** `provider` is the AI SDK's string (`openai.responses`); options and metadata are stored under its first part. */
export function askedTier(provider: string, { providerOptions }: LanguageModelV4CallOptions): string | null {
  const options = optionsOf(provider, providerOptions);
  // Anthropic sells speed as an option apart from its tiers.
  return options["speed"] === "fast" ? "fast" : nameOf(options["serviceTier"]);
}

export function servedTier(
  provider: string,
  asked: LanguageModelV4CallOptions,
  usage: LanguageModelV4Usage,
  metadata: Readonly<Record<string, unknown>> | undefined,
): string | null {
  const raw: Options = usage.raw ?? {};
  const wanted = askedTier(provider, asked);
  const { speed } = raw;
  if (speed === "fast" || (wanted === "fast" && provider.startsWith("anthropic") && speed === undefined)) return "fast";
  const served = optionsOf(provider, metadata)["serviceTier"] ?? raw["service_tier"] ?? raw["serviceTier"];
  return nameOf(served) ?? wanted;
}

function optionsOf(provider: string, all: Readonly<Record<string, unknown>> | undefined): Options {
  const own = all?.[provider.split(".")[0] ?? ""];
  return typeof own === "object" && own !== null ? (own as Options) : {};
}

function nameOf(tier: unknown): string | null {
  return typeof tier === "string" && tier !== "" ? tier.toLowerCase() : null;
}
