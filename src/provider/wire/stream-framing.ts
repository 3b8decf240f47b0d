// The framing of an answer that was to stream. What it is shows in its first character: a server that fails may answer with a body or
// a page instead of events.

import { createBodyFraming } from "./body-framing.ts";
import { createEventFraming } from "./event-framing.ts";
import { type Framing, type FramingLimits, type FramingSink, HEAD_CHARACTERS, NOTHING } from "./framing.ts";
import { createListFraming } from "./list-framing.ts";

export function createStreamFraming(sink: FramingSink, limits: FramingLimits): Framing {
  let chosen: Framing | null = null;
  return {
    push(text) {
      if (chosen !== null) {
        chosen.push(text);
        return;
      }
      // Blank lines are what some servers send while they think.
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

/** A page for people: kept only as far as it is evidence. */
function createPageFraming(): Framing {
  let head = "";
  return {
    push(text) {
      if (head.length < HEAD_CHARACTERS) head = (head + text).slice(0, HEAD_CHARACTERS);
    },
    end: () => ({ kind: "other", head, bareJson: "", lastEvent: null }),
  };
}
