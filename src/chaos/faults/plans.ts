// Actions on the connection for answers that many faults share: a good one, an error, a proxy's page.

import type { ErrorFacts, ErrorId, ErrorTable } from "../errors/error-ids.ts";
import { PROTOCOL_OF } from "../protocols/index.ts";
import { type ConnectionAct, type ErrorAnswer, idOf, type Reply, type WireEvent, type ChaosProtocol } from "../wire.ts";
import type { Scene } from "./fault-row.ts";
import { ANTHROPIC_ERRORS } from "../errors/anthropic.ts";
import { GOOGLE_ERRORS } from "../errors/google.ts";
import { OPENAI_ERRORS } from "../errors/openai.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const SSE_TYPE = "text/event-stream; charset=utf-8";

type Headers = Readonly<Record<string, string>>;

export function goodPlan(scene: Scene, reply: Reply = scene.reply): readonly ConnectionAct[] {
  return scene.asked.streaming
    ? [streamHead(scene), ...eventsOf(scene, reply).map(write), { do: "end" }]
    : bodyPlan(scene, 200, jsonOf(scene, reply));
}

export function eventsOf({ asked, stamp, reply: own }: Scene, reply: Reply = own): readonly WireEvent[] {
  return PROTOCOL_OF[asked.protocol].events(reply, asked, stamp);
}

export function jsonOf({ asked, stamp, reply: own }: Scene, reply: Reply = own): string {
  return JSON.stringify(PROTOCOL_OF[asked.protocol].json(reply, asked, stamp));
}

export function write({ text }: { readonly text: string }): ConnectionAct {
  return { do: "write", text };
}

export function streamHead({ asked, stamp }: Scene): ConnectionAct {
  const headers = { "content-type": asked.asArray ? JSON_TYPE : SSE_TYPE, "cache-control": "no-cache" };
  return { do: "head", status: 200, headers: { ...PROTOCOL_OF[asked.protocol].headers(stamp), ...headers } };
}

/** A whole body with its length. */
export function bodyPlan(
  { asked, stamp }: Scene,
  status: number,
  body: string,
  headers: Headers = {},
): readonly ConnectionAct[] {
  const protocol = PROTOCOL_OF[asked.protocol];
  const own = status < 400 ? protocol.headers(stamp) : protocol.errorHeaders(stamp);
  return wholePlan(status, { ...own, "content-type": JSON_TYPE, ...headers }, body);
}

function wholePlan(status: number, headers: Headers, body: string): readonly ConnectionAct[] {
  return [
    { do: "head", status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) } },
    ...(body === "" ? [] : [write({ text: body })]),
    { do: "end" },
  ];
}

export function errorPlan(scene: Scene, error: ErrorAnswer): readonly ConnectionAct[] {
  const { asked, stamp } = scene;
  // Google refuses a prompt with a 200, which in a stream is an event like any other.
  if (error.status === 200 && asked.streaming) {
    const event = PROTOCOL_OF[asked.protocol].errorEvent(error, asked, stamp, true);
    return [streamHead(scene), write({ text: event }), { do: "end" }];
  }
  return bodyPlan(scene, error.status, JSON.stringify(error.body), error.headers);
}

export function errorOf(
  id: ErrorId,
  { asked, stamp, params, path }: Scene,
  timing: ErrorFacts["timing"] = "none",
): ErrorAnswer {
  const { model, protocol } = asked;
  const error = vendorError(id, { protocol, model, path, at: stamp.at, waitS: params["retry-after"], timing });
  // Anthropic repeats the header's id in the body.
  return "request_id" in error.body ? { ...error, body: { ...error.body, request_id: idOf("req_", stamp) } } : error;
}

/** A page of a proxy in front of the provider, without the provider's own headers. */
export function pagePlan(
  { stamp }: Scene,
  status: number,
  title: string,
  server: "nginx" | "cloudflare",
): readonly ConnectionAct[] {
  const page = `<!DOCTYPE html>\r\n<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>${server}</center>\r\n</body>\r\n</html>\r\n`;
  const ray = server === "cloudflare" ? { "cf-ray": `${idOf("", stamp)}-OSL` } : {};
  return htmlPlan(status, page, { server, ...ray });
}

export function htmlPlan(status: number, page: string, headers: Headers = {}): readonly ConnectionAct[] {
  return wholePlan(status, { ...headers, "content-type": "text/html; charset=UTF-8" }, page);
}

const TABLES: Readonly<Record<ChaosProtocol["vendor"], ErrorTable>> = {
  openai: OPENAI_ERRORS,
  anthropic: ANTHROPIC_ERRORS,
  google: GOOGLE_ERRORS,
};

/** An error by its id, in the protocol's vendor's words. */
function vendorError(id: ErrorId, facts: ErrorFacts): ErrorAnswer {
  return TABLES[PROTOCOL_OF[facts.protocol].vendor][id](facts);
}
