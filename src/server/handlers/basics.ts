// The server itself: health, the API document, sign-in, settings, and the stream of everything that happens.

import { openApi } from "../../api/openapi.ts";
import { cookieHeader } from "../guard.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import type { SignedIn } from "../sign-in-codes.ts";
import { basename } from "node:path";
import { NOTICE_KINDS } from "../notify/notice.ts";
import { typesOf } from "../events/event-hub.ts";

export function basicHandlers({
  version,
  clock,
  url,
  journal,
  tokens,
  signInCodes,
  addresses,
}: ServerParts): HandlersOf<"health" | "ready" | "openapi" | "logIn" | "logOut" | "whoAmI"> {
  let document: Readonly<Record<string, unknown>> | null = null;

  function welcome({ token, who: { name, role } }: SignedIn): Response {
    return Response.json({ name, role }, { headers: { "set-cookie": cookieHeader(token, addresses) } });
  }

  return {
    health: () => ({ status: "ok", version, now: clock.now() }),
    async ready() {
      await journal.position();
      return { status: "ready" };
    },
    openapi: () => (document ??= openApi(version, url)),
    logIn({ body }) {
      if ("code" in body) {
        const signedIn = signInCodes.use(body.code);
        if (signedIn === null) throw new Refused("wrong-code");
        return welcome(signedIn);
      }
      const { token } = body;
      const who = tokens.identify(token);
      if (who === null) throw new Refused("wrong-token");
      return welcome({ token, who });
    },
    logOut: () => Response.json({ status: "ok" }, { headers: { "set-cookie": cookieHeader("", addresses) } }),
    whoAmI: ({ who: { name, role } }) => ({ name, role }),
  };
}

// What operators see of the server itself: its tokens and how it was started.

export function settingsHandlers({
  tokens,
  version,
  url,
  drives,
  journalName,
  notify,
}: ServerParts): HandlersOf<"listTokens" | "showSettings"> {
  return {
    listTokens: ({ who }) => ({
      items: tokens.list().map(({ name, role, createdAt }) => ({ name, role, createdAt, isYours: name === who.name })),
    }),
    showSettings() {
      const { about = NOTICE_KINDS, webhook, command: [program] = [] } = notify ?? { about: [] };
      return {
        version,
        url,
        drives,
        journal: journalName,
        notices: {
          about,
          webhook: webhook === undefined ? null : { origin: new URL(webhook.url).origin },
          command: program === undefined ? null : { program: basename(program) },
        },
      };
    },
  };
}

// The stream of everything that happens.

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
