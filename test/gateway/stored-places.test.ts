// A request that continues what a vendor has stored goes to the target that stored it: after a restart, and without affinity, too.

import { expect, it } from "vitest";
import { createMemoryJournal, type Journal } from "../../src/index.ts";
import { ask } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, type GatewayWorld, SECOND, twoDialects } from "./open-world.ts";

const RESPONSES = "openai-responses";

const open = (journal: Journal, route: string): Promise<GatewayWorld> =>
  gatewayWorld({ file: twoDialects(RESPONSES, RESPONSES, route), faultline: { journal } });

const idIn = (raw: string): string => /"id":\s*"(resp_[^"]+)"/.exec(raw)?.[1] ?? "";

const GRID = [false, true].flatMap((streaming) => ["", ", affinity: false"].map((route) => ({ streaming, route })));

it.each(GRID)("what a fallback stored is found after a restart: streaming $streaming$route", async (grid) => {
  const { streaming, route } = grid;
  const journal = createMemoryJournal();
  const world = await open(journal, route);
  await world.afflict(FIRST, "unavailable");
  const first = await world.run(ask(world.url, RESPONSES, { streaming }));
  expect(first.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
  const body = { previous_response_id: idIn(first.raw) };
  // Not closed: the place is in the journal before the client has the whole answer.
  const second = await open(journal, route);
  const next = await second.run(ask(second.url, RESPONSES, { streaming, body }));
  expect(next.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
  expect(second.asked()).toEqual([SECOND]);
  await world.afflict(FIRST, null);
  const here = await world.run(ask(world.url, RESPONSES, { streaming, body }));
  expect(here.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
});

it("what the first choice stored is there, and an unknown response is looked for there", async () => {
  const world = await open(createMemoryJournal(), "");
  const first = await world.run(ask(world.url, RESPONSES, {}));
  for (const id of [idIn(first.raw), "resp_unknown"]) {
    const next = await world.run(ask(world.url, RESPONSES, { body: { previous_response_id: id } }));
    expect(next.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
  }
});
