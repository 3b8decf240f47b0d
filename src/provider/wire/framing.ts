// Framings split the text of an answer into the pieces that a protocol reads: events, list elements, or one whole body.
// F1  The same text gives the same pieces, however it is chunked.
// F2  Memory is bounded: by the limits for a piece and a body, and by a few thousand characters for anything else.
// F3  A piece over its limit is reported once, and nothing is read after it.

import { createParser } from "eventsource-parser";

export interface FramingSink {
  /** Called with the data of one event, and its name if it has one. */
  readonly piece: (data: string, name: string) => void;
  readonly body: (text: string) => void;
  /** Called with the number of characters of a body that is still arriving. */
  readonly arrived: (characters: number) => void;
  readonly tooLarge: (what: "event" | "body") => void;
}

export interface Framing {
  readonly push: (text: string) => void;
  readonly end: () => Remainder;
}

/** What the rest of the bytes looked like, for an answer without a proper end. */
export interface Remainder {
  /** `nothing`: only white space. `pieces`: events, or keep-alives. `other`: text that no framing reads. */
  readonly kind: "nothing" | "pieces" | "other";
  /** The beginning of the text, if it is `other`. */
  readonly head: string;
  /** JSON in an event stream that is not an event. Google reports a broken stream like this. */
  readonly bareJson: string;
  /** A last event without the blank line that ends it. */
  readonly lastEvent: UnendedEvent | null;
}

export interface UnendedEvent {
  readonly data: string;
  readonly name: string;
}

interface FramingLimits {
  readonly eventCharacters: number;
  readonly bodyCharacters: number;
}

/** How much of an unreadable text is kept as evidence. */
export const HEAD_CHARACTERS = 2_048;

const NOTHING: Remainder = Object.freeze({ kind: "nothing", head: "", bareJson: "", lastEvent: null });
export const PIECES: Remainder = Object.freeze({ kind: "pieces", head: "", bareJson: "", lastEvent: null });

// The framing of an answer to a streaming request. The first character shows what it is: a failing server may send a JSON body or an HTML
// page instead of events.

export function createStreamFraming(sink: FramingSink, limits: FramingLimits): Framing {
  let chosen: Framing | null = null;
  return {
    push(text) {
      if (chosen !== null) {
        chosen.push(text);
        return;
      }
      // Some servers send blank lines as keep-alives.
      const first = text.search(/\S/);
      if (first === -1) return;
      chosen = framingFor(text.charAt(first));
      chosen.push(text.slice(first));
    },
    end: () => (chosen === null ? NOTHING : chosen.end()),
  };

  function framingFor(first: string): Framing {
    if (first === "{") return createBodyFraming(sink, limits);
    if (first === "[") return createListFraming(sink, limits.eventCharacters);
    if (first === "<") return createPageFraming();
    return createEventFraming(sink, limits.eventCharacters);
  }
}

/** An HTML page. Only its beginning is kept, as evidence. */
function createPageFraming(): Framing {
  let head = "";
  return {
    push(text) {
      if (head.length < HEAD_CHARACTERS) head = (head + text).slice(0, HEAD_CHARACTERS);
    },
    end: () => ({ kind: "other", head, bareJson: "", lastEvent: null }),
  };
}

// The framing of an answer that is not streamed. It is buffered until its end, because JSON can be parsed only as a whole. Leading white
// space is dropped: some servers send it to keep the connection open.

export function createBodyFraming(sink: FramingSink, limits: FramingLimits): Framing {
  let body = "";
  let isOver = false;
  return {
    push(text) {
      const piece = body === "" ? text.trimStart() : text;
      if (piece === "" || isOver) return;
      // Counts at most up to the limit, so that the number does not depend on how the text was chunked.
      sink.arrived(Math.min(piece.length, limits.bodyCharacters - body.length));
      isOver = body.length + piece.length > limits.bodyCharacters;
      body = isOver ? "" : body + piece;
      if (isOver) sink.tooLarge("body");
    },
    end() {
      if (isOver) return PIECES;
      if (body === "") return NOTHING;
      sink.body(body);
      return PIECES;
    },
  };
}

// Emits the elements of a JSON list, each as soon as it is complete. Google streams like this without `alt=sse`. The framing looks only at
// braces and quotes; whether an element is valid JSON shows when it is parsed.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSES: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Expects text that starts with the list's opening bracket. */
function createListFraming(sink: FramingSink, maxCharacters: number): Framing {
  let parts: string[] = [];
  let length = 0;
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isOver = false;
  let isEmpty = true;

  /** Returns false if the element is over the limit. */
  function keep(text: string): boolean {
    length += text.length;
    if (length > maxCharacters) {
      parts = [];
      isOver = true;
      sink.tooLarge("event");
      return false;
    }
    parts.push(text);
    return true;
  }

  function hand(): void {
    const element = parts.join("");
    parts = [];
    length = 0;
    sink.piece(element, "");
  }

  return {
    push(text) {
      if (isOver) return;
      // The start of the current element's part in this chunk.
      let start = 0;
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (inText) {
          if (isEscaped) isEscaped = false;
          else if (unit === BACKSLASH) isEscaped = true;
          else if (unit === QUOTE) inText = false;
        } else if (unit === QUOTE) inText = true;
        else if (OPENS.has(unit)) {
          if (++depth === 2) start = i;
          isEmpty &&= depth < 2;
        } else if (CLOSES.has(unit)) {
          if (--depth === 1) {
            if (!keep(text.slice(start, i + 1))) return;
            hand();
          } else if (depth === 0) {
            // Text after the list is ignored.
            isOver = true;
            return;
          }
        }
      }
      if (depth > 1) keep(text.slice(start));
    },
    end: () => (isOver && isEmpty ? NOTHING : PIECES),
  };
}

// Parses server-sent events with a library. This file adds limits that do not depend on how the text was chunked, and handles text that
// is not an event.

const TAIL_CHARACTERS = 16_384;
/** The tail is trimmed only now and then: trimming at every chunk would cost more than reading. */
const TAIL_SLACK = 65_536;

function createEventFraming(sink: FramingSink, maxCharacters: number): Framing {
  let head = "";
  let tail = "";
  let sawEvent = false;
  let gaveUp = false;
  let isEnding = false;
  let lastEvent: UnendedEvent | null = null;

  function giveUp(): void {
    if (gaveUp) return;
    gaveUp = true;
    sink.tooLarge("event");
  }

  const parser = createParser({
    onEvent({ data, event }) {
      if (isEnding) {
        lastEvent = { data, name: event ?? "" };
        return;
      }
      sawEvent = true;
      if (data.length > maxCharacters) giveUp();
      else if (!gaveUp) sink.piece(data, event ?? "");
    },
  });
  const size = createSizeCheck(maxCharacters);

  return {
    push(text) {
      if (gaveUp) return;
      if (head.length < HEAD_CHARACTERS) head = (head + text).slice(0, HEAD_CHARACTERS);
      tail += text;
      if (tail.length > TAIL_SLACK) tail = tail.slice(-TAIL_CHARACTERS);
      const tooLongAt = size(text);
      parser.feed(tooLongAt === -1 ? text : text.slice(0, tooLongAt));
      if (tooLongAt !== -1) giveUp();
    },
    end() {
      const kind = sawEvent || isOnlyFields(head) ? "pieces" : "other";
      isEnding = true;
      if (!gaveUp) parser.feed("\n\n");
      return { kind, head, bareJson: bareJsonIn(tail.slice(-TAIL_CHARACTERS)), lastEvent };
    },
  };
}

/**
 * Counts the characters of the line and of the event that are being read. Returns the start of the line with which a limit is passed,
 * -1 while there is none. The parser has a limit, too, but looks at it once per chunk, so that it would depend on the chunks.
 */
function createSizeCheck(maxCharacters: number): (text: string) => number {
  // An event may have many lines, and each has the name of its field in front.
  const maxEvent = 2 * maxCharacters + 64;
  let lineLength = 0;
  let eventLength = 0;
  let isComment = false;
  let isAfterCr = false;
  return (text) => {
    let lineFeed = text.indexOf("\n");
    let carriageReturn = text.indexOf("\r");
    for (let start = 0; ;) {
      const end = Math.min(
        lineFeed === -1 ? text.length : lineFeed,
        carriageReturn === -1 ? text.length : carriageReturn,
      );
      const length = end - start;
      if (length > 0) {
        if (lineLength === 0) isComment = text.startsWith(":", start);
        isAfterCr = false;
      }
      lineLength += length;
      if (!isComment) eventLength += length;
      if (lineLength > maxCharacters || eventLength > maxEvent) return start;
      if (end === text.length) return -1;
      const isCr = end === carriageReturn;
      if (isCr || !isAfterCr) {
        // A blank line ends an event.
        if (lineLength === 0) eventLength = 0;
        lineLength = 0;
        isComment = false;
      }
      isAfterCr = isCr;
      start = end + 1;
      if (isCr) carriageReturn = text.indexOf("\r", start);
      else lineFeed = text.indexOf("\n", start);
    }
  };
}

/** The prefixes of lines in an event stream. The last buffered line may be cut inside its prefix. */
const FIELDS = [":", "data:", "event:", "id:", "retry:"];

function isOnlyFields(text: string): boolean {
  return text
    .split(/[\r\n]+/)
    .every((line) => FIELDS.some((field) => line.startsWith(field) || field.startsWith(line)));
}

function bareJsonIn(text: string): string {
  const start = Math.max(text.lastIndexOf("\n{"), text.lastIndexOf("\r{"));
  return start === -1 ? "" : text.slice(start + 1).trim();
}
