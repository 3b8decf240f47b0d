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
  let lineLength = 0;
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
    // The limit per line is enforced below. This one is for events of many lines.
    maxBufferSize: 2 * maxCharacters + 64,
    onEvent({ data, event }) {
      if (isEnding) {
        lastEvent = { data, name: event ?? "" };
        return;
      }
      sawEvent = true;
      if (data.length > maxCharacters) giveUp();
      else if (!gaveUp) sink.piece(data, event ?? "");
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") giveUp();
    },
  });

  /** The start of a line over the limit; -1 if there is none. */
  function longLineIn(text: string): number {
    if (lineLength + text.length <= maxCharacters) {
      const lastEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
      lineLength = lastEnd === -1 ? lineLength + text.length : text.length - lastEnd - 1;
      return -1;
    }
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit === 0x0a || unit === 0x0d) {
        lineLength = 0;
        start = i + 1;
      } else if (++lineLength > maxCharacters) return start;
    }
    return -1;
  }

  return {
    push(text) {
      if (gaveUp) return;
      if (head.length < HEAD_CHARACTERS) head = (head + text).slice(0, HEAD_CHARACTERS);
      tail += text;
      if (tail.length > TAIL_SLACK) tail = tail.slice(-TAIL_CHARACTERS);
      const longLineAt = longLineIn(text);
      parser.feed(longLineAt === -1 ? text : text.slice(0, longLineAt));
      if (longLineAt !== -1) giveUp();
    },
    end() {
      const kind = sawEvent || isOnlyFields(head) ? "pieces" : "other";
      isEnding = true;
      if (!gaveUp) parser.feed("\n\n");
      return { kind, head, bareJson: bareJsonIn(tail.slice(-TAIL_CHARACTERS)), lastEvent };
    },
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
