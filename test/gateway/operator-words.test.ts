// What the gateway tells its operator of a failure besides its code: what this machine saw or measured, in plain words.

import { describe, expect, it } from "vitest";
import type { BreakerAlert } from "../../src/gateway/ledger/breaker-alert.ts";
import type { ScenarioRule } from "../../src/chaos/scenario-schema.ts";
import { always } from "../provider/chain/chain-world.ts";
import { shareOf } from "../support/grid.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, twoDialects } from "./open-world.ts";

type Broken = Parameters<typeof always>[1];

const CASES: readonly { readonly name: string; readonly broken: Broken; readonly says: RegExp }[] = [
  {
    name: "a connection cut in the middle of an answer",
    broken: { fault: "cut-stream" },
    says: /^NetworkDisconnect other side closed \(UND_ERR_SOCKET\)$/,
  },
  {
    name: "a stream without its end mark",
    broken: { fault: "no-end-mark" },
    says: /^NetworkDisconnect the stream ended without /,
  },
  { name: "a connection that is reset", broken: { fault: "reset" }, says: /^NetworkDisconnect read ECONNRESET$/ },
  { name: "silence", broken: { fault: "hang" }, says: /^NetworkTimeout no response began within 10000 ms$/ },
  {
    name: "a stream that stops",
    broken: { fault: "stall" },
    says: /^NetworkTimeout the stream was silent for 15000 ms$/,
  },
  {
    name: "a slow stream",
    broken: { "fault": "slow-drip", "wait-ms": 3_000 },
    says: /^NetworkTimeout the stream sent \d+\.\d characters per second; the minimum is 20$/,
  },
];

const GRID = CASES.flatMap((one) =>
  DIALECTS.flatMap((target) => DIALECTS.map((dialect) => ({ ...one, target, dialect }))),
);

describe("the line about a failure", () => {
  it.each(shareOf(GRID, 5, 0))("says what happened of $name: $target for a client of $dialect", async (one) => {
    const told: string[] = [];
    const rules: readonly ScenarioRule[] = [always(FIRST, one.broken)];
    const world = await gatewayWorld({
      file: twoDialects(one.target, one.dialect, ", min_characters_per_second: 20"),
      rules,
      listener: { onDecided: ({ code }, detail) => void told.push(`${code} ${detail}`) },
    });
    await world.run(ask(world.url, one.dialect, { streaming: true }));
    expect(told[0]).toMatch(one.says);
  });
});

it("tells once that a target's breaker opened, by the target's name in the file, with the failure and the time", async () => {
  const opened: BreakerAlert[] = [];
  const world = await gatewayWorld({
    file: twoDialects("openai-chat", "anthropic-messages"),
    rules: [always(FIRST, { fault: "unavailable" })],
    listener: { onBreakerOpened: (alert) => void opened.push(alert) },
  });
  for (let call = 0; call < 8; call++) await world.run(ask(world.url, "openai-chat"));
  expect(opened).toMatchObject([{ target: `one/${FIRST}`, code: "Overloaded" }]);
  expect((opened[0]?.until ?? 0) - (opened[0]?.at ?? 0)).toBe(30_000);
});
