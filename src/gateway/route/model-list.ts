// The list of models, in the shape that each vendor's clients expect.

import type { Protocol } from "../../provider/wire/protocol.ts";

type Shape = (models: readonly string[]) => unknown;
type OneShape = (model: string) => unknown;

const openai: OneShape = (id) => ({ id, object: "model", created: 0, owned_by: "faultline" });
const anthropic: OneShape = (id) => ({ type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" });
const google: OneShape = (id) => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
});

const openaiList: Shape = (models) => ({ object: "list", data: models.map(openai) });

const LISTS: Readonly<Record<Protocol, Shape>> = {
  "openai-chat": openaiList,
  "openai-responses": openaiList,
  "anthropic-messages": (models) => ({
    data: models.map(anthropic),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  }),
  "google-generate": (models) => ({ models: models.map(google) }),
};

const ONES: Readonly<Record<Protocol, OneShape>> = {
  "openai-chat": openai,
  "openai-responses": openai,
  "anthropic-messages": anthropic,
  "google-generate": google,
};

/** Codex asks for a list with the capabilities of each model. It has a list built in, so an empty one is enough to avoid an error. */
export function withCodexList(list: unknown): unknown {
  return { ...(list as object), models: [] };
}

export function modelList(dialect: Protocol, models: readonly string[]): unknown {
  return LISTS[dialect](models);
}

export function oneModel(dialect: Protocol, model: string): unknown {
  return ONES[dialect](model);
}
