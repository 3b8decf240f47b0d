// Requests about models that are not model calls: which models exist, and how many tokens a request has.

import { objectOf, textOf } from "../core/json-fields.ts";
import { tokensIn } from "../provider/price/cost.ts";
import type { Protocol } from "../provider/wire/protocol.ts";
import { requestFacts } from "../provider/wire/request-facts.ts";
import type { Scope } from "../runtime/scope.ts";
import { headersForTarget } from "./request/header-lists.ts";
import { withModel } from "./request/model-name.ts";
import { readObject } from "./request/read-body.ts";
import { modelList, oneModel, withCodexList } from "./route/model-list.ts";
import { forward, shortJson } from "./target/forward.ts";
import type { Transport } from "./target/transport.ts";
import { noRouteWords, refuse, sendJson, type ClientExchange, whenLeft } from "./client-exchange.ts";

export function showModels(exchange: ClientExchange, dialect: Protocol, model: string | null): void {
  const models = exchange.inForce.routing.models(exchange.key);
  if (model !== null && !models.includes(model))
    return void refuse(exchange, dialect, "unknown-model", noModel(exchange, model, models));
  const list = modelList(dialect, models);
  const isCodex = dialect === "openai-chat" && CODEX.test(exchange.query);
  sendJson(
    exchange,
    JSON.stringify(model === null ? (isCodex ? withCodexList(list) : list) : oneModel(dialect, model)),
  );
}

function noModel({ key }: ClientExchange, model: string, models: readonly string[]): string {
  const who = key === null ? "the gateway" : "this key";
  return `${who} has no model ${JSON.stringify(model)}; it has ${models.join(", ") || "none"}`;
}

/** The parameter by which Codex asks for its own list. */
const CODEX = /[?&]client_version=/;

interface CountDeps {
  readonly transport: Transport;
  readonly calls: Scope;
  /** Removes secrets. */
  readonly scrub: (text: string) => string;
}

/** The first target counts if it speaks the client's dialect; otherwise, or if it cannot, the gateway estimates. `inPath`: the model in the path. */
export async function countTokens(
  exchange: ClientExchange,
  { dialect, model: inPath }: { readonly dialect: Protocol; readonly model: string | null },
  text: string,
  { transport, calls, scrub }: CountDeps,
): Promise<void> {
  const body = readObject(text, exchange.request.headers);
  if (typeof body === "string") return void refuse(exchange, dialect, "bad-request", body);
  const model = textOf(body["model"]) || (inPath ?? "");
  const taken = exchange.inForce.routing.take(model, exchange.key);
  if (typeof taken === "string") return void refuse(exchange, dialect, taken, noRouteWords(taken, model, exchange));
  const [{ target, model: named }] = taken.steps;
  const own = named ?? model;
  const isGoogle = dialect === "google-generate";
  const path = isGoogle ? `/models/${encodeURIComponent(own)}:countTokens` : "/messages/count_tokens";
  const count = async (): Promise<string | null> => {
    if (!target.dialects.includes(dialect)) return null;
    const { method = "GET", headers: sent } = exchange.request;
    const headers = headersForTarget(sent, exchange.secret);
    const asked = isGoogle ? text : withModel(text, body, own);
    const signal = whenLeft(exchange, calls);
    const answer = await forward(transport.agent, target, { method, path, headers, body: asked, dialect, signal });
    if (answer.statusCode !== 200) return answer.body.dump().then(() => null);
    const counted = await shortJson(answer);
    // Some targets repeat the request, with the gateway's own key.
    return counted === null ? null : scrub(counted);
  };
  const [counted] = await Promise.allSettled([count()]);
  const asked = objectOf(body["generateContentRequest"]) ?? body;
  const estimate = tokensIn(requestFacts(dialect, exchange.path, asked).inputCharacters);
  const answered = counted.status === "fulfilled" ? counted.value : null;
  sendJson(exchange, answered ?? JSON.stringify(isGoogle ? { totalTokens: estimate } : { input_tokens: estimate }));
}
