// Health, the document of the API, and who is asking.

import { openApi } from "../../api/openapi.ts";
import { cookieHeader } from "../guard.ts";
import type { HandlersOf } from "../asked.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";

export function basicHandlers({
  version,
  clock,
  url,
  journal,
  tokens,
  addresses,
}: ServerParts): HandlersOf<"health" | "ready" | "openapi" | "logIn" | "logOut" | "whoAmI"> {
  let document: Readonly<Record<string, unknown>> | null = null;
  return {
    health: () => ({ status: "ok", version, now: clock.now() }),
    async ready() {
      await journal.position();
      return { status: "ready" };
    },
    openapi: () => (document ??= openApi(version, url)),
    logIn({ body: { token } }) {
      const who = tokens.identify(token);
      if (who === null) throw new Refused("wrong-token");
      return Response.json(who, { headers: { "set-cookie": cookieHeader(token, addresses) } });
    },
    logOut: () => Response.json({ status: "ok" }, { headers: { "set-cookie": cookieHeader("", addresses) } }),
    whoAmI: ({ who: { name, role } }) => ({ name, role }),
  };
}
