// The framing of an answer to a streaming request. The first character shows what it is: a failing server may send a JSON body or an HTML
// page instead of events.

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
