// OpenAI's chat dialect reports the usage of a stream only if the request asks for it. A budget needs it: the tokens of hidden reasoning are
// reported nowhere else. So the gateway asks for it, and removes the event from the answer if the client did not ask for it.

import { type JsonObject, listOf, objectOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";
import type { GatewayRequest } from "../request/gateway-request.ts";

type Chunk = Uint8Array<ArrayBuffer>;

/** This vendor refuses a request with a field that it does not know. */
const REFUSES_FIELD = /^mistral/i;

/** Also true for a client that asks for no usage: its budget needs the figures all the same. */
export function needsUsage({ asked, isMetered }: GatewayRequest, provider: string): boolean {
  const { dialect, facts, body } = asked;
  const asksItself = objectOf(body["stream_options"])?.["include_usage"] === true;
  return isMetered && dialect === "openai-chat" && facts.streaming && !asksItself && !REFUSES_FIELD.test(provider);
}

/** Adds the field that asks for usage, as the first one. The other bytes stay the same, unless the request has that field already. */
export function withUsage(request: string, body: JsonObject): string {
  if (!("stream_options" in body)) return request.replace("{", `{"stream_options":{"include_usage":true},`);
  const sent = objectOf(parseJson(request)) ?? body;
  return JSON.stringify({ ...sent, stream_options: { ...objectOf(sent["stream_options"]), include_usage: true } });
}

/** Whether a target's 400 is about the field that the gateway added. */
export function refusesUsage(status: number, error: string): boolean {
  return status === 400 && error.includes("stream_options");
}

/** An event that is longer than this passes unchanged. */
const MAX_HELD_BYTES = 1_048_576;
const EMPTY: Chunk = new Uint8Array(0);
const NO_CHOICES = /"choices"\s*:\s*\[\s*\]/;
const END_OF_EVENT = /(?<=\r?\n\r?\n)/;

/** Passes whole events on, without those that only report usage. */
export class UsageFilter {
  /** The beginning of an event, in the pieces in which it came. */
  private held: Chunk[] = [];
  private heldBytes = 0;
  /** The last bytes that came. */
  private tail: Chunk = EMPTY;

  /** `isLast`: nothing follows, so nothing is held back. */
  take(chunk: Chunk, isLast = false): Chunk {
    const recent = Buffer.concat([this.tail, chunk]);
    this.tail = recent.subarray(-MAX_MARK_BYTES);
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    const isAll = isLast || this.heldBytes > MAX_HELD_BYTES;
    // Only what is new is searched, so that an event in many pieces is not searched again and again.
    if (!isAll && endOfEvents(recent) === 0) return EMPTY;
    const all = Buffer.concat(this.held);
    const cut = isAll ? all.length : endOfEvents(all);
    this.held = [all.subarray(cut)];
    this.heldBytes = all.length - cut;
    return withoutUsage(all.subarray(0, cut));
  }
}

/** The length of the longest mark that ends an event: `\n\r\n`. */
const MAX_MARK_BYTES = 3;

/** Where the last whole event ends; 0 if there is none. */
function endOfEvents(bytes: Buffer): number {
  const [plain, withReturns] = [bytes.lastIndexOf("\n\n"), bytes.lastIndexOf("\n\r\n")];
  return Math.max(plain === -1 ? 0 : plain + 2, withReturns === -1 ? 0 : withReturns + 3);
}

function withoutUsage(events: Buffer<ArrayBuffer>): Chunk {
  if (events.length === 0) return EMPTY;
  // In latin1 one character is one byte, so the bytes that pass stay the same.
  const text = events.toString("latin1");
  if (!NO_CHOICES.test(text)) return events;
  const kept = text.split(END_OF_EVENT).filter((event) => !isUsageOnly(event));
  return Buffer.from(kept.join(""), "latin1");
}

/** An event may have other lines: a comment, an id, a name. */
function isUsageOnly(event: string): boolean {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  const data = objectOf(parseJson(lines.map((line) => line.slice("data:".length)).join("\n")));
  return objectOf(data?.["usage"]) !== null && listOf(data?.["choices"]).length === 0;
}
