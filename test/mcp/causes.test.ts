// A tool of a real MCP server throws: operators find what it said, models and users do not, and a registered secret is nowhere.

import { expect, it } from "vitest";
import { type Fault, toProblem, viewFor } from "../../src/index.ts";
import { PRIVATE, SECRET } from "../support/thrown-things.ts";
import { connected, runtime } from "./connected.ts";
import { stdioServer } from "./stdio-server.ts";

it("a tool of an MCP server that throws keeps its cause for operators alone", async () => {
  const home = runtime({ secrets: [SECRET] });
  const { mcp } = await connected({ transport: stdioServer().transport }, home);
  const outcome = await mcp.protect("throws", { text: `${PRIVATE} refused ${SECRET}` });
  const { fault: seen } = outcome as { readonly fault: Fault };
  expect(seen.message).toContain(PRIVATE);
  expect(seen.evidence.origin?.thrown[0]?.message).toContain(PRIVATE);
  expect(Object.hasOwn(outcome, "error")).toBe(true);
  const audiences = { correlationId: "s/c1" };
  const shown = [viewFor("model", seen, audiences), viewFor("user", seen, audiences), toProblem(seen, audiences)];
  expect(JSON.stringify(shown)).not.toContain(PRIVATE);
  const failures = home.fl.recent().filter(({ event }) => event.type !== "call-started");
  expect(JSON.stringify([outcome, shown, failures])).not.toContain(SECRET);
});
