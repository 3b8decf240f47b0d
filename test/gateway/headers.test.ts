// The gateway's own headers: which target answered, after how many attempts, and the ids of what was decided on the way.

import { describe, expect, it } from "vitest";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { decisionId } from "../../src/gateway/ledger/ledger-line.ts";
import { always } from "../provider/chain/chain-world.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects } from "./open-world.ts";

describe.each(DIALECTS)("a client of %s", (dialect) => {
  describe.each(DIALECTS)("with a first target of %s that fails", (first) => {
    it.each([true, false])("gets the ids of the decisions that the ledger has (streaming: %s)", async (streaming) => {
      const file = twoDialects(first, dialect);
      const world = await gatewayWorld({ file, rules: [always(FIRST, { fault: "bad-gateway" })] });
      const { headers } = await world.run(ask(world.url, dialect, { streaming }));
      await world.started.gateway.close();
      const [line] = await ledgerOf(world.fl.journal, 1);
      const decided = line?.decisions.map(({ recourse }, index) => `${decisionId(line.call, index)}=${recourse}`);
      expect(decided?.length).toBeGreaterThan(0);
      expect(decided?.at(-1)).toMatch(/=fallback$/);
      expect(headers.get("x-faultline-decisions")).toBe(decided?.join(", "));
      expect(headers.get("x-faultline-call")).toBe(line?.call);
      expect(headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
      expect(headers.get("x-faultline-attempts")).toBe(String(line?.attempts));
    });
  });

  it.each([true, false])("gets none when nothing was decided (streaming: %s)", async (streaming) => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect) });
    const { headers } = await world.run(ask(world.url, dialect, { streaming }));
    expect(headers.get("x-faultline-decisions")).toBeNull();
  });

  it.each([true, false])("gets them with an error, too (streaming: %s)", async (streaming) => {
    const world = await gatewayWorld({
      file: twoDialects(dialect, dialect),
      rules: [always("*", { fault: "bad-gateway" })],
    });
    const { headers, status } = await world.run(ask(world.url, dialect, { streaming }));
    expect(status).toBeGreaterThanOrEqual(500);
    expect(headers.get("x-faultline-decisions")).toMatch(/^call_\S+#1=\w+(?:, call_\S+#\d+=\w+)*$/);
  });
});
