// Parses server-sent events with a library. This file adds limits that do not depend on how the text was chunked, and handles text that
// is not an event.

import { createParser } from "eventsource-parser";
import { type Framing, type FramingSink, HEAD_CHARACTERS, type UnendedEvent } from "./framing.ts";

const TAIL_CHARACTERS = 16_384;
/** The tail is trimmed only now and then: trimming at every chunk would cost more than reading. */
const TAIL_SLACK = 65_536;

export function createEventFraming(sink: FramingSink, maxCharacters: number): Framing {
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
