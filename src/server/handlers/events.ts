// The stream of everything that happens.

import type { HandlersOf } from "../handler.ts";
import { typesOf } from "../events/event-hub.ts";
import type { ServerParts } from "../parts.ts";

export function eventHandlers({ hub, tokens }: ServerParts): HandlersOf<"events"> {
  return {
    async events({ who, query, request }) {
      const stream = await hub.open({
        role: who.role,
        isAllowed: () => tokens.isKnown(who),
        lastId: request.headers.get("last-event-id") ?? query.last_event_id ?? null,
        session: query.session ?? null,
        types: typesOf(query.types),
      });
      return new Response(stream, {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
      });
    },
  };
}
