// What a client asks of the gateway, by the method and path of its request. One table.

import { tryRead } from "../../core/try-read.ts";
import { type Address, type Protocol, readAddress } from "../../provider/wire/protocol.ts";

export type Endpoint =
  | { readonly kind: "model"; readonly dialect: Protocol; readonly address: Address }
  /** How many tokens a request has. `model`: as its path names it; null: it does not. */
  | { readonly kind: "count"; readonly dialect: Protocol; readonly model: string | null }
  /** The models, or one of them, in the shape of this dialect. */
  | { readonly kind: "models"; readonly dialect: Protocol; readonly model: string | null }
  | { readonly kind: "other"; readonly dialect: Protocol };

const VERSION = String.raw`(?:\/v1(?:beta\d*|alpha\d*)?)?`;
const MODELS = new RegExp(`^${VERSION}/models(?:/(?<model>.+?))?/?$`);
const COUNTS = /\/messages\/count_tokens\/?$|\/models\/.*:countTokens$/;
/**
 * The model of a call in Google's dialect. It may be `target/model`, and it may have colons: only the last one begins the method. Clients encode
 * what a path cannot have, and some encode more.
 */
const GOOGLE_MODEL = new RegExp(
  `^${VERSION}/models/(?<model>.*):(?:generateContent|streamGenerateContent|countTokens)$`,
);

/** A name that is not encoded properly stays as it is. No route has such a name. */
function decoded(name: string): string {
  return tryRead(() => decodeURIComponent(name), name);
}

/** The paths that are the gateway's when it shares its port with the server's own API. */
const SHARED = new RegExp(
  `^(?:${VERSION}/(?:chat/completions|responses|messages|completions|embeddings|files|batches|models|images|audio|moderations|uploads|conversations|vector_stores|fine_tuning|cachedContents|tunedModels)(?:/|$)|/v1(?:beta|alpha)|${VERSION}/models/)`,
);

export function isGatewayPath(path: string): boolean {
  return SHARED.test(path);
}

/** `query` is empty, or begins with its question mark. `headers` tell which vendor's list of models a client expects. */
export function endpointOf(
  method: string,
  path: string,
  query: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Endpoint {
  const isGoogle = path.startsWith("/v1beta") || path.startsWith("/v1alpha") || headers["x-goog-api-key"] !== undefined;
  const dialect = isGoogle
    ? "google-generate"
    : headers["anthropic-version"] === undefined
      ? "openai-chat"
      : "anthropic-messages";
  const named = GOOGLE_MODEL.exec(path)?.groups?.["model"];
  if (method === "POST") {
    const model = named === undefined ? null : decoded(named);
    const address = readAddress(
      (named === undefined ? path : path.replace(`/models/${named}:`, "/models/any:")) + query,
    );
    if (address !== null)
      return { kind: "model", dialect: address.protocol, address: model === null ? address : { ...address, model } };
    if (COUNTS.test(path))
      return { kind: "count", dialect: isGoogle ? "google-generate" : "anthropic-messages", model };
  }
  const models = method === "GET" && named === undefined ? MODELS.exec(path) : null;
  if (models !== null) return { kind: "models", dialect, model: decoded(models.groups?.["model"] ?? "") || null };
  return { kind: "other", dialect };
}
