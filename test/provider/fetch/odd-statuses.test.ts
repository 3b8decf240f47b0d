// Statuses that `fetch` returns and `new Response` refuses: the caller of a protected fetch gets them as the provider sent them.

import { expect, it } from "vitest";
import { createFaultline } from "../../../src/index.ts";
import { reply, withServer } from "../../support/failing-server.ts";

const REFUSAL = `{"error":{"message":"odd"}}`;

it.each([
  { status: 300, text: REFUSAL },
  { status: 304, text: "" },
  { status: 600, text: REFUSAL },
  { status: 999, text: REFUSAL },
])("a caller reads the status $status and its body", async ({ status, text }) => {
  await withServer(reply(status, text), async ({ url }) => {
    const protectedFetch = createFaultline().fetch({ provider: "openai" });
    const body = JSON.stringify({ model: "m", messages: [] });
    const response = await protectedFetch(`${url}/v1/chat/completions`, { method: "POST", body });
    expect([response.status, response.ok, await response.text()]).toEqual([status, false, text]);
    expect(response.headers.get("x-faultline-code")).toBe("Unclassified");
  });
});
