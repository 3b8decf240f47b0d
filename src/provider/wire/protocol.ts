// Which wire protocol a request speaks, told from its address and its body: one table of address patterns. What is not in it
// (embeddings, files, lists, batches) is none of ours and passes unread.

export type Protocol = "openai-chat" | "openai-responses" | "anthropic-messages" | "google-generate";

interface AddressRow {
  readonly protocol: Protocol;
  /** Matched against the path alone. A group named `model` is the model where the address names it, `stream` says that it streams. */
  readonly path: RegExp;
  readonly example: string;
}

/** Patterns hold the end of the path, as gateways put prefixes of their own before it. */
// prettier-ignore
export const ADDRESSES: readonly AddressRow[] = [
  { protocol: "openai-chat",        path: /\/deployments\/(?<model>[^/]+)\/chat\/completions\/?$/, example: "https://x.openai.azure.com/openai/deployments/gpt-5/chat/completions?api-version=2026-01-01" },
  { protocol: "openai-chat",        path: /\/chat\/completions\/?$/,                              example: "https://api.openai.com/v1/chat/completions" },
  { protocol: "openai-responses",   path: /\/responses\/?$/,                                      example: "https://api.openai.com/v1/responses" },
  { protocol: "anthropic-messages", path: /\/v1\/messages\/?$/,                                   example: "https://api.anthropic.com/v1/messages?beta=true" },
  { protocol: "anthropic-messages", path: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?:rawPredict|(?<stream>streamRawPredict))$/, example: "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-5:streamRawPredict" },
  { protocol: "google-generate",    path: /\/(?:models|tunedModels|endpoints)\/(?<model>[^/:]+):(?:generateContent|(?<stream>streamGenerateContent))$/, example: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse" },
];

/** `body` is the request's body, parsed or as text. Without a JSON object in it (a list, a look at a stored answer) it is no model call. */
export function protocolOf(url: string | URL, body: unknown): Protocol | null {
  return holdsObject(body) ? (readAddress(url)?.protocol ?? null) : null;
}

export interface Address {
  readonly protocol: Protocol;
  readonly model: string | null;
  readonly streaming: boolean;
}

export function readAddress(url: string | URL): Address | null {
  // Cut by hand: an address may be relative, and one that is no address must not throw.
  const [address = ""] = String(url).split("#", 1);
  const queryAt = address.indexOf("?");
  const path = queryAt === -1 ? address : address.slice(0, queryAt);
  const query = queryAt === -1 ? "" : address.slice(queryAt);
  for (const row of ADDRESSES) {
    const found = row.path.exec(path);
    if (found === null) continue;
    return {
      protocol: row.protocol,
      model: found.groups?.["model"] ?? null,
      streaming: found.groups?.["stream"] !== undefined || /[?&]alt=sse(?:&|$)/.test(query),
    };
  }
  return null;
}

/** The base URL of a request: its address without what the protocol puts behind it. */
export function baseOf(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  for (const row of ADDRESSES) if (row.path.test(path)) return path.replace(row.path, "");
  return path;
}

/** A long text is not parsed for this: whoever wants more of it parses it once, in `requestFacts`. */
function holdsObject(body: unknown): boolean {
  if (typeof body === "string") return /^\s*\{/.test(body);
  return typeof body === "object" && body !== null && !Array.isArray(body) && !ArrayBuffer.isView(body);
}
