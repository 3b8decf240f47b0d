// Inspects the bytes of an answer as they pass through and interprets them for one protocol. Pure and synchronous; it changes nothing.
// R1  Any bytes can be read: nothing throws, and the time is linear in their number.
// R2  The same bytes give the same state, however they are chunked.
// R3  Memory is bounded. Data that is too large is skipped, and `lookedAway` says so.

import type { Evidence } from "../../core/index.ts";
import { parseJson } from "../../core/try-read.ts";
import { ANTHROPIC_MESSAGES } from "./anthropic-messages.ts";
import {
  createBodyFraming,
  createStreamFraming,
  type Framing,
  type FramingSink,
  HEAD_CHARACTERS,
  PIECES,
  type Remainder,
  type UnendedEvent,
} from "./framing.ts";
import { GOOGLE_GENERATE } from "./google-generate.ts";
import { objectOf, textOf } from "../../core/json-fields.ts";
import { OPENAI_CHAT } from "./openai-chat.ts";
import { OPENAI_RESPONSES } from "./openai-responses.ts";
import type { Protocol } from "./protocol.ts";
import { EMPTY, WireTally } from "./tally.ts";
import { errorFields, errorIn, type WireProtocol } from "./wire-protocol.ts";
import type { WireState } from "./wire-state.ts";

/** How the answer was requested. A stream that turns out to be one body is read as a body. */
export type WireMode = "stream" | "json";

export interface WireReaderOptions {
  /** The provider, for the evidence. */
  readonly provider?: string | null | undefined;
  /** Keep the answer's text, so that it can be continued after a cut. */
  readonly keepText?: boolean | undefined;
  /** The request asks for JSON, so an answer truncated at the token limit is a failure. See `requestFacts`. */
  readonly wantsJson?: boolean | undefined;
  readonly limits?: Partial<WireLimits> | undefined;
}

/** In UTF-16 units. */
export interface WireLimits {
  readonly eventCharacters: number;
  readonly bodyCharacters: number;
  /** For the text of `keepText`. */
  readonly textCharacters: number;
}

const WIRE_LIMITS: WireLimits = Object.freeze({
  eventCharacters: 8 * 1_048_576,
  bodyCharacters: 32 * 1_048_576,
  textCharacters: 32 * 1_048_576,
});

export interface WireReader {
  /** Live: always the same object. */
  readonly state: WireState;
  readonly push: (chunk: Uint8Array) => void;
  /** Call it when the connection has closed or the reader has cancelled. */
  readonly end: () => void;
}

export function createWireReader(protocol: Protocol, mode: WireMode, options: WireReaderOptions = {}): WireReader {
  return new AnswerReader(PROTOCOLS[protocol], mode, options);
}

class AnswerReader implements WireReader, FramingSink {
  private readonly wire: WireProtocol;
  private readonly tally: WireTally;
  private readonly framing: Framing;
  private readonly characters = new Utf8Pieces();
  private readonly found: Found = { pieces: 0, known: 0, sawDone: false, unfinished: null };

  constructor(wire: WireProtocol, mode: WireMode, { provider, keepText, wantsJson, limits: own }: WireReaderOptions) {
    const limits: WireLimits = own === undefined ? WIRE_LIMITS : { ...WIRE_LIMITS, ...own };
    this.wire = wire;
    this.tally = new WireTally({
      keepText: keepText ?? false,
      wantsJson: wantsJson ?? false,
      maxTextCharacters: limits.textCharacters,
      origin: { surface: mode === "stream" ? "sse" : "http", provider: provider ?? null },
    });
    this.framing = mode === "stream" ? createStreamFraming(this, limits) : createBodyFraming(this, limits);
  }

  get state(): WireState {
    return this.tally.state;
  }

  push(chunk: Uint8Array): void {
    if (this.isReading) this.take(this.characters.next(chunk));
  }

  end(): void {
    const { wire, tally, found } = this;
    if (tally.state.hasEnded) return;
    if (this.isReading) this.take(this.characters.rest());
    const remainder = this.framing.end();
    readUnended(remainder.lastEvent, wire, tally, found);
    readBareError(remainder.bareJson, tally);
    tally.close(() => unfinishedBy(remainder, wire, tally.state, found));
  }

  // Called by the framing.

  piece(data: string, name: string): void {
    readPiece(data, name, this.wire, this.tally, this.found);
  }

  body(text: string): void {
    readWhole(text, this.wire, this.tally, this.found);
  }

  arrived(characters: number): void {
    this.tally.advance(characters);
  }

  tooLarge(what: "event" | "body"): void {
    this.tally.lookAway(what);
  }

  private get isReading(): boolean {
    return !this.tally.state.hasEnded && this.tally.state.lookedAway === null;
  }

  private take(text: string): void {
    if (text !== "") this.framing.push(text);
  }
}

const PROTOCOLS: Readonly<Record<Protocol, WireProtocol>> = {
  "openai-chat": OPENAI_CHAT,
  "openai-responses": OPENAI_RESPONSES,
  "anthropic-messages": ANTHROPIC_MESSAGES,
  "google-generate": GOOGLE_GENERATE,
};

type Words = Omit<Evidence, "surface" | "provider">;

/** Facts about the pieces, used to judge an answer without an end mark. */
interface Found {
  pieces: number;
  /** Number of pieces that the protocol knows. */
  known: number;
  sawDone: boolean;
  /** The known problem of a whole body. */
  unfinished: Words | null;
}

/** The last event of chat completions. Gateways add it to other protocols, too. */
const DONE = "[DONE]";
/** Named events that only keep the connection open, whatever their data. */
const KEEP_ALIVE_EVENTS: ReadonlySet<string> = new Set(["ping", "keepalive", "keep-alive", "heartbeat"]);

function readPiece(data: string, name: string, wire: WireProtocol, tally: WireTally, found: Found): void {
  if (tally.state.hasEnded || tally.state.lookedAway !== null || data === "" || KEEP_ALIVE_EVENTS.has(name)) return;
  found.pieces++;
  if (data === DONE) {
    found.sawDone = true;
    return tally.close(() => unfinishedBy(PIECES, wire, tally.state, found));
  }
  const event = objectOf(parseJson(data));
  if (event === null) {
    if (name === "error") tally.saidError({ status: 200, body: data.slice(0, HEAD_CHARACTERS) });
    else tally.saidError({ status: 200, message: "unreadable answer: an event of the stream is not valid JSON" });
    return;
  }
  const error = name === "error" ? errorFields(event) : errorIn(event);
  if (error !== null) tally.saidError({ status: 200, body: error });
  if (wire.readEvent(event, tally) || error !== null) found.known++;
  if (wire.lastEvents.has(textOf(event["type"]))) {
    tally.close(() => unfinishedBy(PIECES, wire, tally.state, found));
  }
}

/**
 * Whether no protocol knows this event, and it reports no error. Vendors add types of events, and say that clients must skip those they do not know.
 * A keep-alive of one protocol says nothing in any other: proxies send `ping` in all of them.
 */
export function isUnknownEvent(value: unknown): boolean {
  const event = objectOf(value);
  if (event === null || typeof event["type"] !== "string" || errorIn(event) !== null) return false;
  if (KEEP_ALIVE_EVENTS.has(event["type"])) return true;
  const unread = { keepText: false, wantsJson: false, maxTextCharacters: 0, origin: { surface: "sse" } } as const;
  return Object.values(PROTOCOLS).every((wire) => !wire.readEvent(event, new WireTally(unread)));
}

function readWhole(text: string, wire: WireProtocol, tally: WireTally, found: Found): void {
  const parsed = parseJson(text);
  // Google wraps errors of a stream in a list.
  const body = objectOf(Array.isArray(parsed) ? parsed[0] : parsed);
  if (body === null) {
    found.unfinished = parsed === undefined ? unreadable(text) : misshapen({});
    return;
  }
  const error = errorIn(body);
  if (error !== null) tally.saidError({ status: 200, body: error });
  if (wire.readBody(body, tally)) tally.complete();
  else found.unfinished = misshapen(errorFields(body));
}

/** A complete event is read if the SDK reads it too, or if it reports an error. An incomplete event is a sign of the cut, not a broken event. */
function readUnended(unended: UnendedEvent | null, wire: WireProtocol, tally: WireTally, found: Found): void {
  if (unended === null) return;
  const event = objectOf(parseJson(unended.data));
  const saysError = event !== null && errorIn(event) !== null;
  const isWhole = event !== null || unended.data === DONE;
  if (saysError || (isWhole && wire.takesUnendedEvent)) readPiece(unended.data, unended.name, wire, tally, found);
}

function readBareError(text: string, tally: WireTally): void {
  if (text === "" || tally.state.isComplete || tally.state.lookedAway !== null) return;
  const holder = objectOf(parseJson(text));
  const error = holder === null ? null : errorIn(holder);
  if (error !== null) tally.saidError({ status: 200, body: error });
}

/** Why an answer has no proper end, in words that the classifier recognises. */
function unfinishedBy(remainder: Remainder, wire: WireProtocol, state: WireState, found: Found): Words {
  if (found.unfinished !== null) return found.unfinished;
  if (remainder.kind === "nothing") return { status: 200, message: "unreadable answer: nothing arrived" };
  if (remainder.kind === "other") return unreadable(remainder.head);
  if (found.sawDone && !state.sawContent && found.known === found.pieces - 1) return EMPTY;
  if (found.pieces > 0 && found.known === 0) return misshapen({});
  return { message: `the stream ended without its end mark (${wire.endMark}): the answer is cut off` };
}

/** Text that is not JSON: half a document, an HTML page, or anything else. */
function unreadable(text: string): Words {
  if (/^[{["]/.test(text)) return { status: 200, message: "unreadable answer: its JSON is broken or incomplete" };
  const body = text.slice(0, HEAD_CHARACTERS);
  if (text.startsWith("<")) return { status: 200, body, message: "unreadable answer: an HTML page" };
  return { status: 200, body, message: "unreadable answer: neither events nor JSON" };
}

function misshapen(body: unknown): Words {
  return { status: 200, body, message: "unreadable answer: it does not have the shape of its protocol" };
}

// UTF-8 that arrives in pieces, as text. A decoder that remembers the last piece costs several times as much as one that does not, and most
// pieces end with a whole character.

/** Holds nothing between two pieces, so all readers share it. */
const FORGETFUL = new TextDecoder("utf-8", { ignoreBOM: true });
const BYTE_ORDER_MARK = 0xfe_ff;
const LAST_ASCII = 0x7f;

export class Utf8Pieces {
  private isFirst = true;
  /** Remembers the beginning of a character; null while no piece has ended within one. */
  private remembering: InstanceType<typeof TextDecoder> | null = null;

  next(bytes: Uint8Array): string {
    const last = bytes[bytes.length - 1];
    if (last === undefined) return "";
    if (last <= LAST_ASCII && this.remembering === null) return this.begun(FORGETFUL.decode(bytes));
    this.remembering ??= new TextDecoder("utf-8", { ignoreBOM: true });
    const text = this.remembering.decode(bytes, { stream: true });
    if (last <= LAST_ASCII) this.remembering = null;
    return this.begun(text);
  }

  /** What is left of a character that never ended. */
  rest(): string {
    return this.remembering?.decode() ?? "";
  }

  /** Without the mark in front of the first piece. */
  private begun(text: string): string {
    if (!this.isFirst || text === "") return text;
    this.isFirst = false;
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }
}
