// Finds the wire protocol of a request from its URL and body, with one table of URL patterns. Other requests (embeddings, files, lists,
// batches) are not model calls and pass through unread.

export type Protocol = "openai-chat" | "openai-responses" | "anthropic-messages" | "google-generate";

interface AddressRow {
  readonly protocol: Protocol;
  /** Matched against the path only. The group `model` is the model, if the URL names it; the group `stream` marks a streaming request. */
  readonly path: RegExp;
  readonly example: string;
}

/** Patterns match the end of the path, because gateways add their own prefixes. */
// prettier-ignore
export const ADDRESSES: readonly AddressRow[] = [
  { protocol: "openai-chat",        path: /\/deployments\/(?<model>[^/]+)\/chat\/completions\/?$/, example: "https://x.openai.azure.com/openai/deployments/gpt-5/chat/completions?api-version=2026-01-01" },
  { protocol: "openai-chat",        path: /\/chat\/completions\/?$/,                              example: "https://api.openai.com/v1/chat/completions" },
  { protocol: "openai-responses",   path: /\/responses\/?$/,                                      example: "https://api.openai.com/v1/responses" },
  { protocol: "anthropic-messages", path: /\/v1\/messages\/?$/,                                   example: "https://api.anthropic.com/v1/messages?beta=true" },
  { protocol: "anthropic-messages", path: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?:rawPredict|(?<stream>streamRawPredict))$/, example: "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-5:streamRawPredict" },
  { protocol: "google-generate",    path: /\/(?:models|tunedModels|endpoints)\/(?<model>[^/:]+):(?:generateContent|(?<stream>streamGenerateContent))$/, example: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse" },
];

/** `body` is the request's body, parsed or as text. A request without a JSON object in its body (such as a GET of a stored answer) is not a model call. */
export function protocolOf(url: string | URL, body: unknown): Protocol | null {
  return holdsObject(body) ? (readAddress(url)?.protocol ?? null) : null;
}

export interface Address {
  readonly protocol: Protocol;
  readonly model: string | null;
  readonly streaming: boolean;
}

export function readAddress(url: string | URL): Address | null {
  // Split by hand: the URL may be relative, and an invalid one must not throw.
  const text = String(url);
  const hashAt = text.indexOf("#");
  const address = hashAt === -1 ? text : text.slice(0, hashAt);
  const queryAt = address.indexOf("?");
  const path = queryAt === -1 ? address : address.slice(0, queryAt);
  const query = queryAt === -1 ? "" : address.slice(queryAt);
  for (const row of ADDRESSES) {
    const found = row.path.exec(path);
    if (found === null) continue;
    return {
      protocol: row.protocol,
      model: found.groups?.["model"] ?? null,
      streaming: found.groups?.["stream"] !== undefined || (row.protocol === GOOGLE && asksForEvents(query)),
    };
  }
  return null;
}

const GOOGLE: Protocol = "google-generate";

/** Whether a request to Google asks for a stream of events. Google also takes the name with a dollar sign, and decodes both sides. */
export function asksForEvents(query: string): boolean {
  if (!EVENTS_ASKED.test(query)) return false;
  const asked = new URLSearchParams(query);
  return [...asked.getAll("alt"), ...asked.getAll("$alt")].includes("sse");
}

/** Most queries need no parsing. */
const EVENTS_ASKED = /alt|%/;

/** The base URL of a request: its URL without the protocol's path. */
export function baseOf(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  for (const row of ADDRESSES) if (row.path.test(path)) return path.replace(row.path, "");
  return path;
}

/** Does not parse the body, which may be long: `requestFacts` parses it once. */
function holdsObject(body: unknown): boolean {
  if (typeof body === "string") return /^\s*\{/.test(body);
  return typeof body === "object" && body !== null && !Array.isArray(body) && !ArrayBuffer.isView(body);
}
