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
import { forward, passOn } from "./target/forward.ts";
import type { Transport } from "./target/transport.ts";
import { noRouteWords, refuse, sendJson, type Visit, whenLeft } from "./visit.ts";

export function showModels(visit: Visit, dialect: Protocol, model: string | null): void {
  const models = visit.inForce.routing.models(visit.key);
  if (model !== null && !models.includes(model))
    return void refuse(visit, dialect, "unknown-model", `there is no ${model}`);
  sendJson(visit, JSON.stringify(model === null ? modelList(dialect, models) : oneModel(dialect, model)));
}

const COUNTED_MODEL = /\/models\/([^/:]+):countTokens$/;
/** The version in a path, which a target's address has, too. */
const VERSION = /^\/v1(?:beta\d*|alpha\d*)?(?=\/)/;

/** The target of the client's dialect counts; if there is none, or it cannot, the gateway estimates. */
export async function countTokens(visit: Visit, dialect: Protocol, text: string, transport: Transport): Promise<void> {
  const body = objectOf(parseJson(text));
  if (body === null) return void refuse(visit, dialect, "bad-request", "the body is not a JSON object");
  const model = textOf(body["model"]) || (COUNTED_MODEL.exec(visit.path)?.[1] ?? "");
  const taken = visit.inForce.routing.take(model, visit.key);
  if (typeof taken === "string") return void refuse(visit, dialect, taken, noRouteWords(taken, model, visit));
  const [{ target, model: named }] = taken.steps;
  const own = named ?? model;
  const isGoogle = dialect === "google-generate";
  const path = isGoogle ? `/models/${encodeURIComponent(own)}:countTokens` : "/messages/count_tokens";
  const count = async (): Promise<string | null> => {
    if (!target.dialects.includes(dialect)) return null;
    const answer = await forwarded(
      visit,
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
  const estimate = tokensIn(requestFacts(dialect, visit.path, asked).inputCharacters);
  const told = counted.status === "fulfilled" ? counted.value : null;
  sendJson(visit, told ?? JSON.stringify(isGoogle ? { totalTokens: estimate } : { input_tokens: estimate }));
}

export async function passOther(visit: Visit, dialect: Protocol, bytes: Buffer, transport: Transport): Promise<void> {
  const { otherPaths } = visit.inForce.settings;
  const { request, path, query, response } = visit;
  if (otherPaths === null) {
    const message = `the gateway has no ${request.method} ${path}; name a target for such paths with other_paths`;
    return void refuse(visit, dialect, "unknown-path", message);
  }
  const own = path.replace(VERSION, "") + queryForTarget(query);
  await passOn(await forwarded(visit, otherPaths, dialect, own, bytes, transport), response);
}

function forwarded(
  visit: Visit,
  target: GatewayTarget,
  dialect: Protocol,
  path: string,
  body: Buffer | string,
  { agent }: Transport,
): ReturnType<typeof forward> {
  const { method = "GET", headers } = visit.request;
  return forward(agent, target, { method, path, headers, body, dialect, signal: whenLeft(visit) });
}
