// A request that continues what a vendor has stored goes to the target that stored it: after a restart, and without affinity, too.

import { expect, it } from "vitest";
import { createMemoryJournal, type Journal } from "../../src/index.ts";
import { everyPair } from "../support/grid.ts";
import { ask } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, type GatewayWorld, SECOND, START_AT, twoDialects, type Urls } from "./open-world.ts";

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

const THIRD = "third-model";
/** Routes that begin with different targets, and one whose first target has no stored responses at all. */
const ROUTES = ({ of }: Urls): string => `
version: 1
targets:
  chat: { dialect: openai-chat, base_url: "${of("openai-chat")}" }
  one: { dialect: ${RESPONSES}, base_url: "${of(RESPONSES)}" }
  two: { dialect: [openai-chat, ${RESPONSES}], base_url: "${of(RESPONSES)}/" }
routes:
  team: { chain: [one/${FIRST}, two/${SECOND}] }
  other: { chain: [two/${THIRD}, one/${THIRD}] }
  mixed: { chain: [chat/${THIRD}, two/${THIRD}, one/${THIRD}] }
  "any-*": { chain: [one, two] }
`;
const NEXT = ["team", "other", "mixed", "any-model", "any-thing"];
const CROSSED = [
  { asked: "team", isDown: false, by: "one" },
  { asked: "team", isDown: true, by: "two" },
  { asked: "other", isDown: false, by: "two" },
  { asked: "any-model", isDown: false, by: "one" },
  { asked: "two/pinned", isDown: false, by: "two" },
].flatMap((row) => NEXT.flatMap((next) => [false, true].map((streaming) => ({ ...row, next, streaming }))));

it.each(
  everyPair(
    CROSSED,
    ({ asked, isDown }) => `${asked} ${isDown}`,
    ({ next }) => next,
    ({ streaming }) => streaming,
  ),
)(
  "a response that $by stored for $asked is continued there when the client asks for $next, streaming $streaming",
  async ({ asked, isDown, by, next, streaming }) => {
    const world = await gatewayWorld({ file: ROUTES, faultline: { journal: createMemoryJournal() } });
    if (isDown) await world.afflict(FIRST, "unavailable");
    const first = await world.run(ask(world.url, RESPONSES, { model: asked, streaming }));
    expect(first.headers.get("x-faultline-target")?.split("/")[0]).toBe(by);
    await world.afflict(FIRST, null);
    const body = { previous_response_id: idIn(first.raw) };
    const continued = await world.run(ask(world.url, RESPONSES, { model: next, streaming, body }));
    expect(continued.headers.get("x-faultline-target")?.split("/")[0]).toBe(by);
  },
);

/** How often the journal was asked to record where a response is. */
function recordsOf(journal: Journal): { readonly journal: Journal; readonly ids: string[] } {
  const ids: string[] = [];
  const keep: Journal["keep"] = async (changes) => {
    ids.push(...changes.flatMap(({ kind, key }) => (kind === "stored" ? [key] : [])));
    return journal.keep(changes);
  };
  return { journal: Object.assign(Object.create(journal) as Journal, { keep }), ids };
}

it.each([
  { file: twoDialects(RESPONSES, RESPONSES), store: undefined, records: 0 },
  { file: ROUTES, store: undefined, records: 1 },
  { file: ROUTES, store: false, records: 0 },
])(
  "records a response of the first target only if other routes begin elsewhere ($records, store: $store)",
  async (row) => {
    const { journal, ids } = recordsOf(createMemoryJournal());
    const world = await gatewayWorld({ file: row.file, faultline: { journal } });
    await world.run(ask(world.url, RESPONSES, { body: row.store === undefined ? {} : { store: row.store } }));
    expect(ids).toHaveLength(row.records);
  },
);

it("what the first choice stored is there, and an unknown response is looked for there", async () => {
  const world = await open(createMemoryJournal(), "");
  const first = await world.run(ask(world.url, RESPONSES, {}));
  for (const id of [idIn(first.raw), "resp_unknown"]) {
    const next = await world.run(ask(world.url, RESPONSES, { body: { previous_response_id: id } }));
    expect(next.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
  }
});

/** A journal that answers questions about stored responses only after `answer`. */
function silentJournal(): { readonly journal: Journal; readonly answer: () => void; readonly asked: Promise<void> } {
  const journal = createMemoryJournal();
  const answered = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<undefined>();
  const kept: Journal["kept"] = async (kind, key) => {
    if (kind === "stored") {
      asked.resolve(undefined);
      await answered.promise;
    }
    return journal.kept(kind, key);
  };
  const keep: Journal["keep"] = async (changes) => {
    if (changes.some(({ kind }) => kind === "stored")) await answered.promise;
    return journal.keep(changes);
  };
  const silent = new Proxy(journal, {
    get: (target, name) => {
      if (name === "kept") return kept;
      if (name === "keep") return keep;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { journal: silent, answer: () => answered.resolve(undefined), asked: asked.promise };
}

it.each([false, true])(
  "a journal that never answers delays a call by ten seconds (streaming: %s)",
  async (streaming) => {
    const { journal } = silentJournal();
    const world = await open(journal, "");
    const next = await world.run(ask(world.url, RESPONSES, { streaming, body: { previous_response_id: "resp_old" } }));
    expect(next.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
    expect(world.clock.now() - START_AT).toBe(10_000);
    await world.afflict(FIRST, "unavailable");
    const fallback = await world.run(ask(world.url, RESPONSES, { streaming }));
    expect(fallback.isWhole).toBe(true);
    expect(fallback.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
  },
);

it("a client that leaves while the journal is asked costs nothing", async () => {
  const { journal, answer, asked } = silentJournal();
  const world = await open(journal, "");
  const left = new AbortController();
  const body = { previous_response_id: "resp_old" };
  const asking = ask(world.url, RESPONSES, { body, signal: left.signal });
  const ended = expect(asking).rejects.toThrow(/abort/i);
  await asked;
  left.abort();
  await ended;
  await world.clock.advance(1_000);
  answer();
  await world.clock.advance(1_000);
  expect(world.asked()).toEqual([]);
});
