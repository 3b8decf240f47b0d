// The list of models, in one answer that the SDKs of OpenAI, Anthropic and Google can all read. Every fault is listed as a model.

export function modelList(faultIds: readonly string[]): object {
  const ids = ["chaos-ok", ...faultIds];
  return {
    object: "list",
    data: ids.map((id) => ({
      id,
      object: "model",
      created: 1_767_225_600,
      owned_by: "chaos",
      type: "model",
      display_name: id,
      created_at: "2026-01-01T00:00:00Z",
    })),
    has_more: false,
    first_id: ids[0],
    last_id: ids.at(-1),
    models: ids.map((id) => ({
      name: `models/${id}`,
      version: "001",
      displayName: id,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
    })),
  };
}
