// Health, the document of the API, and who is asking.

import { openApi } from "../../api/openapi.ts";
import { cookieHeader } from "../guard.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import type { SignedIn } from "../sign-in-codes.ts";

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
