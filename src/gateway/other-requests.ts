// What clients ask besides answers of a model: the list of models, token counts, embeddings, files.

import { objectOf, textOf } from "../core/json-fields.ts";
import { parseJson } from "../core/try-read.ts";
import { tokensIn } from "../provider/price/cost.ts";
import type { Protocol } from "../provider/wire/protocol.ts";
import { requestFacts } from "../provider/wire/request-facts.ts";
import type { GatewayTarget } from "./config/settings.ts";
import { queryForTarget } from "./request/header-lists.ts";
import { withModel } from "./request/model-name.ts";
import { modelList, oneModel } from "./route/model-list.ts";
import { isInRegion } from "./route/routing.ts";
import { forward, passOn } from "./target/forward.ts";
import type { Transport } from "./target/transport.ts";
import { noRouteWords, refuse, sendJson, type ClientExchange, whenLeft } from "./client-exchange.ts";

export function showModels(exchange: ClientExchange, dialect: Protocol, model: string | null): void {
  const models = exchange.inForce.routing.models(exchange.key);
  if (model !== null && !models.includes(model))
    return void refuse(exchange, dialect, "unknown-model", `there is no ${model}`);
  sendJson(exchange, JSON.stringify(model === null ? modelList(dialect, models) : oneModel(dialect, model)));
}

const COUNTED_MODEL = /\/models\/([^/:]+):countTokens$/;
/** The version in a path, which a target's address has, too. */
const VERSION = /^\/v1(?:beta\d*|alpha\d*)?(?=\/)/;

/** The target of the client's dialect counts; if there is none, or it cannot, the gateway estimates. */
export async function countTokens(
  exchange: ClientExchange,
  dialect: Protocol,
  text: string,
  transport: Transport,
): Promise<void> {
  const body = objectOf(parseJson(text));
  if (body === null) return void refuse(exchange, dialect, "bad-request", "the body is not a JSON object");
  const model = textOf(body["model"]) || (COUNTED_MODEL.exec(exchange.path)?.[1] ?? "");
  const taken = exchange.inForce.routing.take(model, exchange.key);
  if (typeof taken === "string") return void refuse(exchange, dialect, taken, noRouteWords(taken, model, exchange));
  const [{ target, model: named }] = taken.steps;
  const own = named ?? model;
  const isGoogle = dialect === "google-generate";
  const path = isGoogle ? `/models/${encodeURIComponent(own)}:countTokens` : "/messages/count_tokens";
  const count = async (): Promise<string | null> => {
    if (!target.dialects.includes(dialect)) return null;
    const answer = await forwarded(
      exchange,
      target,
      dialect,
      path,
      isGoogle ? text : withModel(text, body, own),
      transport,
    );
    return answer.statusCode === 200 ? answer.body.text() : answer.body.dump().then(() => null);
  };
  const [counted] = await Promise.allSettled([count()]);
  const asked = objectOf(body["generateContentRequest"]) ?? body;
  const estimate = tokensIn(requestFacts(dialect, exchange.path, asked).inputCharacters);
  const told = counted.status === "fulfilled" ? counted.value : null;
  sendJson(exchange, told ?? JSON.stringify(isGoogle ? { totalTokens: estimate } : { input_tokens: estimate }));
}

export async function passOther(
  exchange: ClientExchange,
  dialect: Protocol,
  bytes: Buffer,
  transport: Transport,
): Promise<void> {
  const { otherPaths } = exchange.inForce.settings;
  const { request, path, query, response, key } = exchange;
  if (otherPaths === null) {
    const message = `the gateway has no ${request.method} ${path}; name a target for such paths with other_paths`;
    return void refuse(exchange, dialect, "unknown-path", message);
  }
  if (!isInRegion(otherPaths.region, key))
    return void refuse(exchange, dialect, "no-region", `${otherPaths.name} is in no region of this key`);
  const own = path.replace(VERSION, "") + queryForTarget(query);
  await passOn(await forwarded(exchange, otherPaths, dialect, own, bytes, transport), response);
}

function forwarded(
  exchange: ClientExchange,
  target: GatewayTarget,
  dialect: Protocol,
  path: string,
  body: Buffer | string,
  { agent }: Transport,
): ReturnType<typeof forward> {
  const { method = "GET", headers } = exchange.request;
  return forward(agent, target, { method, path, headers, body, dialect, signal: whenLeft(exchange) });
}
