// Where a fault came from: the thrown value and its causes, each with name, message, code and the top of its stack, and the ids
// under which a provider has logged the request. Bounded, and safe to read from hostile values. For operators only.

import { type FaultOrigin, isFaultError, type OriginLink } from "../fault/fault.ts";
import { SHAPE_REDACTOR } from "../fault/redact.ts";
import { readField, tryRead } from "../try-read.ts";
import type { HeaderReader } from "./read-evidence.ts";

const MAX_LINKS = 8;
const MAX_MESSAGE_CHARS = 500;
const MAX_NAME_CHARS = 80;
const MAX_FRAMES = 8;
const MAX_FRAME_CHARS = 240;
const MAX_STACK_CHARS = 65_536;

/** What vendors and gateways call the id of a request in their headers. A test quotes a real answer for each. */
export const REQUEST_ID_HEADERS = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "apim-request-id",
  "x-ms-request-id",
  "x-goog-request-id",
  "x-groq-request-id",
  "x-together-request-id",
  "x-correlation-id",
  "x-trace-id",
  "traceparent",
  "x-vercel-id",
  "cf-ray",
] as const;

/** The same in errors and bodies: SDKs copy the header into a field, Anthropic repeats it in the body. */
const REQUEST_ID_FIELDS = ["request_id", "requestId", "requestID", "_request_id"] as const;
/** Where bodies are found in errors, and errors in bodies. */
const BODY_FIELDS = ["error", "data", "body"] as const;
const REQUEST_ID = /^[\w.:/+=-]{4,200}$/;

/** null when nothing is known that the fault does not say itself. */
export function readOrigin(error: unknown, body: unknown, header: HeaderReader | null): FaultOrigin | null {
  const thrown = error === undefined ? [] : linksOf(error);
  const requestIds = tryRead(() => requestIdsIn([...chainOf(error), body], header), {});
  return thrown.length === 0 && Object.keys(requestIds).length === 0 ? null : { thrown, requestIds };
}

/** The chain of causes that ends in `carrier`, prepended to the origin of the fault it carries. */
export function originAround(
  error: unknown,
  carrier: unknown,
  known: FaultOrigin | undefined,
): FaultOrigin | undefined {
  const chain = chainOf(error);
  const outside = known === undefined ? chain : chain.slice(0, Math.max(0, chain.indexOf(carrier)));
  if (outside.length === 0) return known;
  const thrown = [...outside.map(linkOf), ...(known?.thrown ?? [])].slice(0, MAX_LINKS);
  return { thrown, requestIds: { ...tryRead(() => requestIdsIn(outside, null), {}), ...known?.requestIds } };
}

function linksOf(error: unknown): readonly OriginLink[] {
  return chainOf(error).map(linkOf);
}

/** The thrown value and its causes, outermost first. Of several causes the last one counts: it is the one that ended the tries. */
function chainOf(error: unknown): readonly unknown[] {
  if (error === undefined) return [];
  const chain: unknown[] = [error];
  for (let at: unknown = error; chain.length < MAX_LINKS;) {
    if (typeof at !== "object" || at === null) break;
    at = causeIn(at);
    if (at === undefined || at === null || chain.includes(at)) break;
    chain.push(at);
  }
  return chain;
}

function causeIn(link: object): unknown {
  // What a fault was made from is in its own origin already.
  if (isFaultError(link) && readField(link, "cause") === readField(link, "error")) return undefined;
  const direct = readField(link, "cause") ?? readField(link, "lastError");
  if (direct !== undefined && direct !== null) return direct;
  const errors = readField(link, "errors");
  return tryRead(() => (Array.isArray(errors) ? (errors.at(-1) as unknown) : undefined), undefined);
}

function linkOf(value: unknown): OriginLink {
  if (typeof value !== "object" || value === null) {
    return {
      name: typeof value,
      message: textOf(
        tryRead(() => String(value), ""),
        MAX_MESSAGE_CHARS,
      ),
    };
  }
  const name = readField(value, "name");
  const message = readField(value, "message");
  const code = readField(value, "code");
  // V8 writes the stack when it is first read, with the message in front: a list of millions of items takes seconds to become text.
  const isList = tryRead(() => Array.isArray(message), true);
  const stack = isList ? "" : framesOf(readField(value, "stack"));
  return {
    name: typeof name === "string" && name !== "" ? textOf(name, MAX_NAME_CHARS) : "object",
    message: typeof message === "string" ? textOf(message, MAX_MESSAGE_CHARS) : "",
    ...(typeof code === "string" || typeof code === "number" ? { code: textOf(String(code), MAX_NAME_CHARS) } : {}),
    ...(stack === "" ? {} : { stack }),
  };
}

/** A long text is scrubbed before it is cut: half a secret is not recognised any more. */
function textOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${SHAPE_REDACTOR.text(text.slice(0, 8 * maxChars)).slice(0, maxChars)}…`;
}

/** The frames alone: the message stands beside them. Frames inside Node say nothing about the program. */
function framesOf(stack: unknown): string {
  if (typeof stack !== "string") return "";
  const first = stack.indexOf("\n    at ");
  if (first === -1) return "";
  const frames: string[] = [];
  for (const line of stack.slice(first + 1, first + MAX_STACK_CHARS).split("\n")) {
    const frame = line.trim();
    if (!frame.startsWith("at ") || frame.includes("(node:internal/") || frame.startsWith("at node:internal/"))
      continue;
    if (frames.push(textOf(frame, MAX_FRAME_CHARS)) === MAX_FRAMES) break;
  }
  return frames.join("\n");
}

function requestIdsIn(parts: readonly unknown[], header: HeaderReader | null): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const add = (name: string, value: unknown): void => {
    if (typeof value === "string" && REQUEST_ID.test(value) && !Object.values(found).includes(value))
      found[name] = value;
  };
  for (const name of REQUEST_ID_HEADERS) add(name, header?.(name));
  for (const part of parts) {
    if (typeof part !== "object" || part === null) continue;
    const inside = BODY_FIELDS.map((field) => readField(part, field));
    for (const holder of [part, ...inside]) {
      if (typeof holder !== "object" || holder === null) continue;
      for (const field of REQUEST_ID_FIELDS) add(field, readField(holder, field));
    }
  }
  return found;
}
