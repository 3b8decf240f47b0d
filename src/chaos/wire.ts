// The words that every part of the fault-injecting provider shares: what was asked, what the model replies, and what is done on
// the connection. Plain data; protocols turn replies into bytes, and only `perform.ts` touches a socket.

export const PROTOCOLS = ["openai-chat", "openai-responses", "anthropic", "google"] as const;
export type ProtocolId = (typeof PROTOCOLS)[number];

export type Json = Readonly<Record<string, unknown>>;

export interface ChaosTool {
  readonly name: string;
  /** The JSON Schema of its input; an empty one when the request gave none. */
  readonly schema: unknown;
}

/** What a request asks for, the same for every protocol. */
export interface ChaosRequest {
  readonly protocol: ProtocolId;
  readonly model: string;
  readonly streaming: boolean;
  /** Google streams a JSON array instead of events unless it is asked for events. */
  readonly asArray: boolean;
  /** OpenAI chat sends usage in a stream only when it is asked to. */
  readonly includeUsage: boolean;
  /** The last thing a person said. */
  readonly lastUserText: string;
  /** Results of tools since a person last spoke. */
  readonly toolResults: readonly string[];
  readonly tools: readonly ChaosTool[];
  /** The tool that must be called; null when the model may choose. */
  readonly forcedTool: string | null;
  /** The schema the answer must fit; null when text is wanted. */
  readonly schema: unknown;
  readonly endsWithAssistant: boolean;
  readonly promptTokens: number;
}

export interface ChaosToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** The input as the text that is sent; a fault may cut it. */
  readonly text: string;
}

/** Why the model stops, in one word for all protocols. */
export type Stop = "end" | "tools" | "length" | "filtered" | "refusal" | "malformed-call";

export interface Reply {
  readonly text: string;
  readonly calls: readonly ChaosToolCall[];
  readonly stop: Stop;
  /** Nothing at all: no choice, no block, no candidate. */
  readonly isEmpty: boolean;
}

/** What makes ids and times of one answer; the same number gives the same ids. */
export interface Stamp {
  readonly number: number;
  readonly at: number;
}

/** One piece of a stream. `content` is what the model says, `open` and `close` are what the protocol puts around it. */
export interface WireEvent {
  readonly part: "open" | "content" | "close";
  readonly text: string;
}

/** An error as a vendor sends it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface ChaosProtocol {
  readonly vendor: "openai" | "anthropic" | "google";
  headers(stamp: Stamp): Readonly<Record<string, string>>;
  /** The headers of an error, which say nothing about limits. */
  errorHeaders(stamp: Stamp): Readonly<Record<string, string>>;
  json(reply: Reply, asked: ChaosRequest, stamp: Stamp): Json;
  events(reply: Reply, asked: ChaosRequest, stamp: Stamp): readonly WireEvent[];
  /** How an error is told inside a stream that has begun well. */
  errorEvent(error: ErrorAnswer, asked: ChaosRequest, stamp: Stamp, isFirst: boolean): string;
  /** What keeps a connection open and says nothing. */
  signOfLife(asked: ChaosRequest): string;
  /** The same error in the body of a 200. */
  errorBody(error: ErrorAnswer, asked: ChaosRequest, stamp: Stamp): Json;
}

/** What is done on the connection, in order. */
export type ConnectionAct =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "head"; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly do: "write"; readonly text: string }
  | { readonly do: "end" }
  /** The connection is closed in the middle. */
  | { readonly do: "cut" }
  | { readonly do: "reset" }
  /** Nobody listens for so long, and this connection is reset. */
  | { readonly do: "refuse"; readonly ms: number };

/** Four characters are about a token. */
export function tokensIn(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

export function replyTokens({ text, calls }: Reply): number {
  return text === "" && calls.length === 0 ? 0 : tokensIn(text + calls.map((call) => call.text).join(""));
}

/** A few pieces, broken behind spaces; together they are the text. */
export function piecesOf(text: string): readonly string[] {
  const words = text.match(/\S*\s*/g)?.filter((word) => word !== "") ?? [];
  const perPiece = Math.max(1, Math.ceil(words.length / MOST_PIECES));
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += perPiece) pieces.push(words.slice(at, at + perPiece).join(""));
  return pieces;
}

/** The text of a tool's input comes in pieces that respect nothing. */
export function slicesOf(text: string): readonly string[] {
  const length = Math.max(4, Math.ceil(text.length / 4));
  const slices: string[] = [];
  for (let at = 0; at < text.length; at += length) slices.push(text.slice(at, at + length));
  return slices;
}

const MOST_PIECES = 12;

export function idOf(prefix: string, { number }: Stamp, index = 0): string {
  return `${prefix}chaos${String(number).padStart(6, "0")}${index === 0 ? "" : `n${index}`}`;
}

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
