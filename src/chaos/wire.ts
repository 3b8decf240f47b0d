// Shared types of the fault-injecting provider: the request, the model's reply and the actions on the connection. Plain data;
// protocols turn replies into bytes, and only `perform.ts` touches a socket.

export const PROTOCOLS = ["openai-chat", "openai-responses", "anthropic", "google"] as const;
export type ProtocolId = (typeof PROTOCOLS)[number];

export type Json = Readonly<Record<string, unknown>>;

export interface ChaosTool {
  readonly name: string;
  /** The JSON Schema of its input; an empty schema if the request has none. */
  readonly schema: unknown;
}

/** A request, in the same form for every protocol. */
export interface ChaosRequest {
  readonly protocol: ProtocolId;
  readonly model: string;
  readonly streaming: boolean;
  /** Google streams a JSON array instead of events unless the client asks for events. */
  readonly asArray: boolean;
  /** OpenAI chat sends usage in a stream only on request. */
  readonly includeUsage: boolean;
  /** The user's last message. */
  readonly lastUserText: string;
  /** Tool results since the user's last message. */
  readonly toolResults: readonly string[];
  readonly tools: readonly ChaosTool[];
  /** The tool that must be called; null if the model may choose. */
  readonly forcedTool: string | null;
  /** The schema of the answer; null for text. */
  readonly schema: unknown;
  readonly endsWithAssistant: boolean;
  /** The beginning of the answer, when the request ends with the assistant's words; otherwise empty. */
  readonly prefill: string;
  readonly promptTokens: number;
}

export interface ChaosToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** The input as it is sent; a fault may cut it. */
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

/** The source of an answer's ids and times; the same number gives the same ids. */
export interface Stamp {
  readonly number: number;
  readonly at: number;
}

/** One chunk of a stream. `content` is model output; `open` and `close` are protocol framing around it. */
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
  /** The headers of an error; they have no rate-limit fields. */
  errorHeaders(stamp: Stamp): Readonly<Record<string, string>>;
  json(reply: Reply, asked: ChaosRequest, stamp: Stamp): Json;
  events(reply: Reply, asked: ChaosRequest, stamp: Stamp): readonly WireEvent[];
  /** An error event inside a stream that began well. */
  errorEvent(error: ErrorAnswer, asked: ChaosRequest, stamp: Stamp, isFirst: boolean): string;
  /** A keep-alive without content. */
  keepAlive(asked: ChaosRequest): string;
  /** The same error in the body of a 200. */
  errorBody(error: ErrorAnswer, asked: ChaosRequest, stamp: Stamp): Json;
}

/** An action on the connection; a plan is a list of them. */
export type ConnectionAct =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "head"; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly do: "write"; readonly text: string }
  | { readonly do: "end" }
  /** Closes the connection in the middle. */
  | { readonly do: "cut" }
  | { readonly do: "reset" }
  /** Stops listening for this long and resets this connection. */
  | { readonly do: "refuse"; readonly ms: number };

/** About four characters per token. */
export function tokensIn(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

export function replyTokens({ text, calls }: Reply): number {
  return text === "" && calls.length === 0 ? 0 : tokensIn(text + calls.map((call) => call.text).join(""));
}

/** Splits the text into a few pieces after spaces; joined, they are the text again. */
export function piecesOf(text: string): readonly string[] {
  const words = text.match(/\S*\s*/g)?.filter((word) => word !== "") ?? [];
  const perPiece = Math.max(1, Math.ceil(words.length / MAX_PIECES));
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += perPiece) pieces.push(words.slice(at, at + perPiece).join(""));
  return pieces;
}

/** Splits the text of a tool's input at arbitrary characters, as providers do. */
export function slicesOf(text: string): readonly string[] {
  const length = Math.max(4, Math.ceil(text.length / 4));
  const slices: string[] = [];
  for (let at = 0; at < text.length; at += length) slices.push(text.slice(at, at + length));
  return slices;
}

const MAX_PIECES = 12;

export function idOf(prefix: string, { number }: Stamp, index = 0): string {
  return `${prefix}chaos${String(number).padStart(6, "0")}${index === 0 ? "" : `n${index}`}`;
}

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
