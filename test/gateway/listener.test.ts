// Listeners of a gateway that throw.

import { expect, it } from "vitest";
import { ANSWER, ask } from "./dialect-clients.ts";
import { always } from "../provider/chain/chain-world.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST } from "./open-world.ts";

it.each([false, true])("fail no call, and are reported once (streaming: %s)", async (streaming) => {
  const world = await gatewayWorld({
    rules: [always(FIRST, { fault: "unavailable" })],
    listener: {
      onDecided: () => {
        throw new Error("the listener broke");
      },
    },
  });
  for (let call = 0; call < 2; call++) {
    const heard = await world.run(ask(world.url, "openai-chat", { streaming }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
  }
  const reported = world.events().filter(({ type }) => type === "fault-suppressed");
  expect(reported).toMatchObject([{ reason: "the gateway continues although a listener failed" }]);
});
