// Plain clients of the four dialects: they send what a vendor's SDK sends, and read what it reads.

import { listOf, textOf } from "../../src/core/json-fields.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";

export const DIALECTS: readonly Protocol[] = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "google-generate",
];

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The answer has the end mark of its dialect, and no error. */
  readonly isWhole: boolean;
  /** The error, in the shape of the dialect; null when there is none. */
  readonly error: unknown;
  readonly raw: string;
}

export interface Asking {
  readonly prompt?: string;
  readonly model?: string;
  readonly streaming?: boolean;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export const PROMPT = "which way is north";
export const ANSWER = `You said: ${PROMPT} (This answer comes from a test server, in several pieces.)`;

export function bodyOf(
  dialect: Protocol,
  { prompt = PROMPT, model = "team", streaming = false, body = {} }: Asking,
): unknown {
  const stream = streaming ? { stream: true } : {};
  switch (dialect) {
    case "openai-chat":
      return { model, messages: [{ role: "user", content: prompt }], ...stream, ...body };
    case "openai-responses":
      return { model, input: prompt, ...stream, ...body };
    case "anthropic-messages":
      return { model, max_tokens: 1_000, messages: [{ role: "user", content: prompt }], ...stream, ...body };
    case "google-generate":
      return { contents: [{ role: "user", parts: [{ text: prompt }] }], ...body };
  }
}

export function pathOf(dialect: Protocol, { model = "team", streaming = false }: Asking): string {
  switch (dialect) {
    case "openai-chat":
      return "/v1/chat/completions";
    case "openai-responses":
      return "/v1/responses";
    case "anthropic-messages":
      return "/v1/messages";
    case "google-generate":
      return `/v1beta/models/${model}:${streaming ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  }
}

export async function ask(url: string, dialect: Protocol, asking: Asking = {}): Promise<Heard> {
  const response = await fetch(`${url}${pathOf(dialect, asking)}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...asking.headers },
    body: JSON.stringify(bodyOf(dialect, asking)),
    ...(asking.signal === undefined ? {} : { signal: asking.signal }),
  });
  let raw = "";
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) raw += new TextDecoder().decode(chunk as Uint8Array);
  };
  const [{ status: ended }] = await Promise.allSettled([read()]);
  const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
  const heard = isStream ? readEvents(dialect, raw) : readBody(dialect, raw);
  return {
    status: response.status,
    headers: response.headers,
    raw,
    ...heard,
    isWhole: heard.isWhole && ended === "fulfilled",
  };
}

type Read = Pick<Heard, "text" | "isWhole" | "error">;

type Step = string | number;

/** What lies at a path in parsed JSON; undefined when nothing does. */
function at(value: unknown, ...path: readonly Step[]): unknown {
  return path.reduce<unknown>(
    (held, step) => (typeof held === "object" && held !== null ? (held as Record<Step, unknown>)[step] : undefined),
    value,
  );
}

function listAt(value: unknown, ...path: readonly Step[]): readonly unknown[] {
  return listOf(at(value, ...path));
}

function textAt(value: unknown, ...path: readonly Step[]): string {
  return textOf(at(value, ...path));
}

interface Reading {
  readonly body: (body: unknown) => string;
  readonly piece: (data: unknown) => string;
  readonly isEnd: (data: unknown) => boolean;
}

const partsOf = (data: unknown): string =>
  listAt(data, "candidates", 0, "content", "parts")
    .map((part) => (at(part, "thought") === true ? "" : textAt(part, "text")))
    .join("");

const READINGS: Readonly<Record<Protocol, Reading>> = {
  "openai-chat": {
    body: (body) => textAt(body, "choices", 0, "message", "content"),
    piece: (data) => textAt(data, "choices", 0, "delta", "content"),
    isEnd: (data) => data === "[DONE]",
  },
  "openai-responses": {
    body: (body) =>
      listAt(body, "output")
        .flatMap((item) => (at(item, "type") === "message" ? listAt(item, "content") : []))
        .map((part) => textAt(part, "text"))
        .join(""),
    piece: (data) => (at(data, "type") === "response.output_text.delta" ? textAt(data, "delta") : ""),
    isEnd: (data) => at(data, "type") === "response.completed",
  },
  "anthropic-messages": {
    body: (body) =>
      listAt(body, "content")
        .map((part) => textAt(part, "text"))
        .join(""),
    piece: (data) => textAt(data, "delta", "text"),
    isEnd: (data) => at(data, "type") === "message_stop",
  },
  "google-generate": {
    body: partsOf,
    piece: partsOf,
    isEnd: (data) => textAt(data, "candidates", 0, "finishReason") !== "",
  },
};

function readBody(dialect: Protocol, raw: string): Read {
  const body: unknown = JSON.parse(raw);
  const error = at(body, "error") ?? null;
  if (error !== null) return { text: "", isWhole: false, error };
  return { text: READINGS[dialect].body(body), isWhole: true, error: null };
}

/** The data of the events in a stream, parsed. */
function eventsIn(raw: string): readonly unknown[] {
  return raw
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .flatMap((block): readonly unknown[] => {
      const data = /^\uFEFF?data: ?(.*)$/m.exec(block)?.[1];
      if (data === undefined) return [];
      return [data === "[DONE]" ? data : (JSON.parse(data) as unknown)];
    });
}

const ERROR_TYPES: ReadonlySet<unknown> = new Set(["error", "response.failed"]);

export function readEvents(dialect: Protocol, raw: string): Read {
  const events = eventsIn(raw);
  const { piece, isEnd } = READINGS[dialect];
  const error = events.find((data) => at(data, "error") !== undefined || ERROR_TYPES.has(at(data, "type"))) ?? null;
  return { text: events.map(piece).join(""), isWhole: events.some(isEnd) && error === null, error };
}
