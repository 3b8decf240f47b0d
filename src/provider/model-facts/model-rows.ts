// Facts about current models: context windows, output limits, missing capabilities and rejected parameters. Dated data, collected
// from the vendors' model pages, the models.dev catalogue and the model lists inside the AI SDK's providers.

import { onFirstUse } from "../../host/builtin.ts";
import type { Capability } from "./capability.ts";

export const MODEL_ROWS_DATE = "2026-11-16";

export interface ModelRow {
  readonly vendor: string;
  /** An id without its date, or a prefix followed by `*`. */
  readonly model: string;
  readonly contextWindowTokens: number;
  readonly maxOutputTokens: number;
  /** How long it may stay silent while it works. Reasoning models send only keep-alives for minutes. */
  readonly quietMs: number;
  readonly lacks: readonly Capability[];
  readonly refuses: readonly string[];
  /** Parameters that it accepts only with reasoning switched off. */
  readonly refusesWhileReasoning: readonly string[];
  /** Only this model can read its own earlier reasoning. */
  readonly bindsReasoning: boolean;
}

type Rest = Partial<Pick<ModelRow, "quietMs" | "lacks" | "refuses" | "refusesWhileReasoning" | "bindsReasoning">>;

const ANSWERS_MS = 120_000;
/** For models that can reason, and for unknown models. */
export const THINKS_MS = 300_000;
const ALWAYS_THINKS_MS = 600_000;
/** OpenAI documents that its `pro` models may take many minutes to answer. */
const THINKS_LONG_MS = 1_800_000;

const SAMPLING = ["temperature", "topP"];
const PENALTIES = ["frequencyPenalty", "presencePenalty"];
const NO_SOUND = ["audio", "video"] as const;
const TEXT_ONLY = ["vision", "files", "audio", "video"] as const;

/** OpenAI accepts a final assistant message, but answers it instead of continuing it. */
const OPENAI_LACKS = [...NO_SOUND, "prefill"] as const;
const THINKS: Rest = {
  lacks: OPENAI_LACKS,
  refuses: [...SAMPLING, ...PENALTIES, "stopSequences"],
  quietMs: ALWAYS_THINKS_MS,
};
const MAY_THINK: Rest = { lacks: OPENAI_LACKS, refuses: PENALTIES, refusesWhileReasoning: SAMPLING };
const PRO: Rest = { ...MAY_THINK, quietMs: THINKS_LONG_MS };
const CHATS: Rest = { lacks: [...OPENAI_LACKS, "reasoning"] };

/** From 4.6 on a conversation must end with a user message; from 4.7 on the API rejects sampling parameters. */
const CLAUDE: Rest = { lacks: NO_SOUND };
const CLAUDE_4_6: Rest = { lacks: [...NO_SOUND, "prefill"] };
const CLAUDE_4_7: Rest = { ...CLAUDE_4_6, refuses: [...SAMPLING, "topK"] };
const CLAUDE_5_5: Rest = { ...CLAUDE_4_7, bindsReasoning: true };

const GEMINI: Rest = { lacks: ["prefill"] };
const GEMINI_2_5: Rest = { lacks: ["prefill"], refuses: PENALTIES };

export const modelRows = onFirstUse((): readonly ModelRow[] => [
  ...rows("openai", 1_050_000, 128_000, THINKS, ["gpt-6-astra", "gpt-6.1-sol"]),
  ...rows("openai", 1_050_000, 128_000, MAY_THINK, ["gpt-6.1-terra", "gpt-6-sol", "gpt-6-luna"]),
  ...rows("openai", 1_050_000, 128_000, MAY_THINK, ["gpt-5.6", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"]),
  ...rows("openai", 1_050_000, 128_000, MAY_THINK, ["gpt-5.5", "gpt-5.4"]),
  ...rows("openai", 1_050_000, 128_000, PRO, ["gpt-5.5-pro", "gpt-5.4-pro"]),
  ...rows("openai", 400_000, 128_000, MAY_THINK, ["gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.3-codex"]),
  ...rows("openai", 400_000, 128_000, MAY_THINK, ["gpt-5.2", "gpt-5.2-codex", "gpt-5.1"]),
  ...rows("openai", 400_000, 128_000, PRO, ["gpt-5.2-pro"]),
  ...rows("openai", 400_000, 128_000, MAY_THINK, ["gpt-5.1-codex", "gpt-5.1-codex-mini", "gpt-5.1-codex-max"]),
  ...rows("openai", 400_000, 128_000, THINKS, ["gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-codex"]),
  ...rows("openai", 400_000, 272_000, { ...THINKS, quietMs: THINKS_LONG_MS }, ["gpt-5-pro"]),
  ...rows("openai", 128_000, 16_384, MAY_THINK, ["gpt-5.3-chat-latest", "gpt-5.2-chat-latest", "gpt-5.1-chat-latest"]),
  ...rows("openai", 128_000, 16_384, { lacks: [...OPENAI_LACKS, "reasoning", "tools", "json-schema"] }, [
    "gpt-5-chat-latest",
  ]),
  ...rows("openai", 1_047_576, 32_768, CHATS, ["gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"]),
  ...rows("openai", 128_000, 16_384, CHATS, ["gpt-4o", "gpt-4o-mini"]),
  ...rows("openai", 128_000, 16_384, { lacks: ["vision", "files", "video", "prefill", "reasoning", "json-schema"] }, [
    "gpt-4o-audio-preview",
  ]),
  ...rows("openai", 200_000, 100_000, THINKS, ["o1", "o3", "o4-mini"]),
  ...rows("openai", 200_000, 100_000, { ...THINKS, quietMs: THINKS_LONG_MS }, ["o3-pro"]),
  ...rows("openai", 200_000, 100_000, { ...THINKS, lacks: [...TEXT_ONLY, "prefill"] }, ["o3-mini"]),

  ...rows("anthropic", 1_000_000, 128_000, CLAUDE_5_5, ["claude-fable-5-2", "claude-fable-5-1", "claude-mythos-5-1"]),
  ...rows("anthropic", 1_000_000, 128_000, CLAUDE_5_5, ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]),
  ...rows("anthropic", 1_000_000, 128_000, CLAUDE_4_7, ["claude-fable-5", "claude-mythos-5", "claude-opus-5"]),
  ...rows("anthropic", 1_000_000, 128_000, CLAUDE_4_7, ["claude-sonnet-5", "claude-opus-4-8", "claude-opus-4-7"]),
  ...rows("anthropic", 1_000_000, 128_000, CLAUDE_4_6, ["claude-opus-4-6", "claude-sonnet-4-6"]),
  ...rows("anthropic", 200_000, 64_000, CLAUDE, ["claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"]),
  ...rows("anthropic", 200_000, 64_000, CLAUDE, ["claude-sonnet-4", "claude-sonnet-4-0", "claude-3-7-sonnet"]),
  ...rows("anthropic", 200_000, 32_000, CLAUDE, ["claude-opus-4-1", "claude-opus-4", "claude-opus-4-0"]),
  ...rows("anthropic", 200_000, 8192, { lacks: [...NO_SOUND, "reasoning"] }, ["claude-3-5-sonnet", "claude-3-5-haiku"]),
  ...rows("anthropic", 200_000, 4096, { lacks: [...NO_SOUND, "files", "reasoning"] }, ["claude-3-haiku"]),

  ...rows("google", 1_048_576, 65_536, GEMINI, ["gemini-4-argon", "gemini-4-carbon", "gemini-3.8-flash"]),
  ...rows("google", 1_048_576, 65_536, GEMINI, ["gemini-3.7-flash", "gemini-3.6-flash", "gemini-3.5-flash"]),
  ...rows("google", 1_048_576, 65_536, GEMINI, ["gemini-3.5-flash-lite", "gemini-3.1-pro-preview*"]),
  ...rows("google", 1_048_576, 65_536, GEMINI, ["gemini-3.1-flash-lite*", "gemini-3-pro-preview"]),
  ...rows("google", 1_048_576, 65_536, GEMINI, ["gemini-3-flash-preview"]),
  ...rows("google", 1_048_576, 65_536, GEMINI_2_5, ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite*"]),
  ...rows("google", 1_048_576, 8192, { lacks: ["prefill", "reasoning"] }, ["gemini-2.0-flash", "gemini-2.0-flash-001"]),

  ...rows("xai", 500_000, Infinity, { lacks: [...NO_SOUND, "files", "prefill"] }, ["grok-4.6", "grok-4.5"]),
  ...rows("xai", 1_000_000, Infinity, { lacks: [...NO_SOUND, "files", "prefill"] }, ["grok-4.3", "grok-4.20*"]),
  ...rows("xai", 256_000, Infinity, { lacks: [...NO_SOUND, "files", "prefill"] }, ["grok-4", "grok-build-0.1"]),
  ...rows("deepseek", 1_000_000, 393_216, { lacks: [...NO_SOUND, "files", "prefill"] }, [
    "deepseek-flash",
    "deepseek-v4-flash",
  ]),
  ...rows("deepseek", 1_000_000, 393_216, { lacks: [...TEXT_ONLY, "prefill"] }, ["deepseek-v4-pro"]),
  ...rows("mistral", 1_048_576, Infinity, { lacks: NO_SOUND }, ["mistral-large-4", "mistral-large-4-0"]),
  ...rows("mistral", 256_000, Infinity, { lacks: NO_SOUND }, ["mistral-medium-3.5", "mistral-medium-3-5"]),
  ...rows("mistral", 262_144, 256_000, { lacks: NO_SOUND }, ["mistral-large-3"]),
  ...rows("groq", 131_072, 65_536, { lacks: TEXT_ONLY }, ["gpt-oss-120b", "gpt-oss-20b"]),
  ...rows("groq", 131_072, 32_768, { lacks: [...TEXT_ONLY, "reasoning", "json-schema"] }, ["llama-3.3-70b-versatile"]),
]);

function rows(
  vendor: string,
  contextWindowTokens: number,
  maxOutputTokens: number,
  rest: Rest,
  models: readonly string[],
): readonly ModelRow[] {
  return models.map((model) => ({
    vendor,
    model,
    contextWindowTokens,
    maxOutputTokens,
    quietMs: rest.lacks?.includes("reasoning") === true ? ANSWERS_MS : THINKS_MS,
    lacks: [],
    refuses: [],
    refusesWhileReasoning: [],
    bindsReasoning: false,
    ...rest,
  }));
}
