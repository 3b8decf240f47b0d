// A gateway in front of targets that speak the client's own dialect: bytes pass as they are, and failures are handled unseen.

import { describe, expect, it } from "vitest";
import { always, steps } from "../provider/chain/chain-world.ts";
import { ANSWER, ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, oneDialect, SECOND } from "./open-world.ts";

const GRID = DIALECTS.flatMap((dialect) => [false, true].map((streaming) => ({ dialect, streaming })));

describe.each(GRID)("$dialect, streaming: $streaming", ({ dialect, streaming }) => {
  it("passes an answer on", async () => {
    const world = await gatewayWorld({ file: oneDialect(dialect) });
    const heard = await world.run(ask(world.url, dialect, { streaming }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
    expect(world.asked()).toEqual([FIRST]);
    expect(heard.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
    expect(heard.headers.get("x-faultline-attempts")).toBe("1");
  });

  it("goes over to the next target, and nothing of the failed attempts is seen", async () => {
    const world = await gatewayWorld({ file: oneDialect(dialect), rules: [always(FIRST, { fault: "unavailable" })] });
    const heard = await world.run(ask(world.url, dialect, { streaming }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
    expect(world.asked()).toEqual([FIRST, FIRST, SECOND]);
    expect(heard.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
    expect(heard.headers.get("x-faultline-attempts")).toBe("3");
  });

  it("tries a lost connection again", async () => {
    const world = await gatewayWorld({ file: oneDialect(dialect), rules: [steps(FIRST, "reset")] });
    const heard = await world.run(ask(world.url, dialect, { streaming }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true });
    expect(world.asked()).toEqual([FIRST, FIRST]);
  });

  it("passes a mistake in the request on as the target said it, and stops the client's retries", async () => {
    const world = await gatewayWorld({ file: oneDialect(dialect), rules: [always(FIRST, { fault: "bad-request" })] });
    const heard = await world.run(ask(world.url, dialect, { streaming }));
    expect(heard.status).toBe(400);
    expect(heard.error).not.toBeNull();
    expect(heard.headers.get("x-should-retry")).toBe("false");
    expect(world.asked()).toEqual([FIRST]);
  });

  it("tells in the client's dialect that nothing helped", async () => {
    const world = await gatewayWorld({ file: oneDialect(dialect), rules: [always("*", { fault: "unavailable" })] });
    const heard = await world.run(ask(world.url, dialect, { streaming }));
    expect(heard.status).toBe(503);
    expect(heard.error).toMatchObject({ message: expect.any(String) as string });
    expect(heard.headers.get("x-should-retry")).toBe("false");
  });
});
