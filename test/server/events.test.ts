// The event stream: every entry once and in order, however often server and client restart.

import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Manifest } from "../../src/core/index.ts";
import { openJournal } from "../../src/index.ts";
import { createEventHub } from "../../src/server/events/event-hub.ts";
import { type EntryEvent, createClient } from "../../src/client/index.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { freePorts } from "../support/free-ports.ts";
import { journalPath, type ServerWorld, startWorld } from "./world.ts";

const REPORT = { tool: "search", idempotent: true, evidence: { status: 503, message: "at /srv/secret/path.ts:12" } };

/** The first events that come until `isEnough`. */
async function collect(
  events: AsyncGenerator<EntryEvent>,
  isEnough: (seen: readonly EntryEvent[]) => boolean,
): Promise<readonly EntryEvent[]> {
  const seen: EntryEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (isEnough(seen)) break;
  }
  return seen;
}

async function positionsIn({ journalFile }: Pick<ServerWorld, "journalFile">): Promise<readonly number[]> {
  const journal = await openJournal(journalFile, { readOnly: true });
  const rows = await journal.readFrom(0, { limit: 10_000 });
  await journal.close();
  return rows.map(({ position }) => position);
}

const positionOf = ({ id }: EntryEvent): number => Number(id.slice(id.lastIndexOf(".") + 1));

describe("the event stream", () => {
  it("misses and doubles nothing for a client that stays while the server restarts", async () => {
    const journal = journalPath();
    const [port = 0] = await freePorts(1);
    let world = await startWorld({ journal, port });
    const { operator } = world;
    const first = await operator.reportFailure({ body: REPORT });
    const rounds = 4;
    let reports = 1;
    const read = collect(
      operator.stream({ lastEventId: `${storeOf(await anEvent(world))}.0` }),
      (seen) => seen.length >= 4 * (rounds * 5 + 2),
    );
    for (let round = 0; round < rounds; round++) {
      for (let call = 0; call < 5; call++, reports++) await world.operator.reportFailure({ body: REPORT });
      await world.server.close();
      world = await startWorld({ journal, port });
    }
    const all = await read;
    expect(all.map(positionOf)).toEqual((await positionsIn({ journalFile: journal })).slice(0, all.length));
    expect(new Set(all.map(({ data }) => data.session)).has(first.session)).toBe(true);
  });

  /** One event of the world, to learn the name of its store. */
  async function anEvent({ operator }: ServerWorld): Promise<EntryEvent> {
    const next = collect(operator.stream(), (seen) => seen.length === 4);
    await operator.reportFailure({ body: REPORT });
    const [event] = await next;
    if (event === undefined) throw new Error("no event came");
    return event;
  }
  const storeOf = ({ id }: EntryEvent): string => id.slice(0, id.lastIndexOf("."));

  it("continues behind each event of a stream that was cut there", async () => {
    const world = await startWorld();
    const event = await anEvent(world);
    for (let call = 0; call < 5; call++) await world.operator.reportFailure({ body: REPORT });
    const positions = await positionsIn(world);
    for (const after of [0, ...positions.slice(0, -1)]) {
      const lastEventId = `${storeOf(event)}.${after}`;
      const rest = positions.filter((position) => position > after);
      const seen = await collect(world.operator.stream({ lastEventId }), (got) => got.length === rest.length);
      expect(seen.map(positionOf)).toEqual(rest);
    }
  });

  it("gives only what was asked for", async () => {
    const world = await startWorld();
    const session = "chat-1";
    const first = await anEvent(world);
    await world.operator.reportFailure({ body: { ...REPORT, session } });
    await world.operator.reportFailure({ body: REPORT });
    await world.operator.reportFailure({ body: { ...REPORT, session } });
    const asked = { session, types: ["call-failed"], lastEventId: `${storeOf(first)}.0` };
    const seen = await collect(world.operator.stream(asked), (got) => got.length === 2);
    expect(seen.map(({ type, data }) => [type, data.session])).toEqual([
      ["dev.faultline.call-failed", session],
      ["dev.faultline.call-failed", session],
    ]);
  });

  it("is not held open by requests that only want its headers", async () => {
    const world = await startWorld();
    for (let round = 0; round < 11; round++) {
      const heads = await Promise.all(
        Array.from({ length: 100 }, () => world.send("/v1/events", { method: "HEAD", token: world.tokens.viewer })),
      );
      expect(new Set(heads.map(({ status }) => status))).toEqual(new Set([200]));
    }
  });

  it("shows a viewer words instead of evidence", async () => {
    const world = await startWorld();
    const first = await anEvent(world);
    const all = { lastEventId: `${storeOf(first)}.0` };
    const [forViewer, forOperator] = await Promise.all([
      collect(world.viewer.stream(all), (got) => got.length === 4),
      collect(world.operator.stream(all), (got) => got.length === 4),
    ]);
    expect(JSON.stringify(forViewer)).not.toMatch(/secret|saw|excerpt/);
    expect(JSON.stringify(forOperator)).toContain("saw");
    expect(forViewer.map(({ id, type }) => [id, type])).toEqual(forOperator.map(({ id, type }) => [id, type]));
  });

  it.each(["nonsense", "store_of_another_journal.4", "other.99999999", ""])(
    "tells a client with the id %j to start over",
    async (id) => {
      const world = await startWorld();
      await world.operator.reportFailure({ body: REPORT });
      const resets: string[] = [];
      const client = createClient({ baseUrl: world.url, token: world.tokens.operator });
      const next = collect(
        client.stream({ lastEventId: id, onReset: () => void resets.push("reset") }),
        (got) => got.length === 1,
      );
      // What happens after the reset is delivered.
      await world.operator.reportFailure({ body: REPORT });
      await next;
      expect(resets).toEqual(["reset"]);
    },
  );

  it("is refused to a client without a token, and ends with a wait when the server stops", async () => {
    const world = await startWorld();
    const response = await world.send("/v1/events", { token: null });
    expect(response.status).toBe(401);
    const open = await world.send("/v1/events");
    const text = open.text();
    await world.server.close();
    expect(await text).toMatch(/^retry: 2000\n\n[^]*retry: 500\n\n$/);
  });
});

const always = (): boolean => true;

describe("a reader that does not read", () => {
  it("is cut off with a reset, and the others get everything", async () => {
    const clock = createFakeClock(0);
    const journal = createMemoryJournal({ clock });
    const hub = createEventHub(journal, clock);
    const request = { role: "operator", lastId: null, session: null, types: null, isAllowed: always } as const;
    const slow = await clock.runUntil(hub.open(request));
    const quick = (await clock.runUntil(hub.open(request))).getReader();
    let got = 0;
    const drain = (async () => {
      for (let read = await quick.read(); !read.done; read = await quick.read()) {
        got += new TextDecoder().decode(read.value).match(/^id: /gm)?.length ?? 0;
      }
    })();
    const manifest: Manifest = {
      ...({ sessionId: "s", storeId: journal.storeId, contract: 1, mode: "headless", createdAt: 0 } as const),
      labels: { text: "x".repeat(10_000) },
    };
    for (let seq = 0; seq < 600; seq++) {
      await clock.runUntil(journal.append("s", seq, [{ at: 0, event: { type: "session-started", manifest } }]));
      await clock.advance(20);
    }
    expect(hub.readers).toBe(1);
    hub.close();
    await drain;
    expect(got).toBe(600);
    const rest = await new Response(slow).text();
    expect(rest).toMatch(/event: reset\ndata: \{"reason":"slow"\}\n\n$/);
  });

  it("learns with a reset that what it had not read yet was removed, and then gets what happens", async () => {
    const clock = createFakeClock(0);
    const journal = createMemoryJournal({ clock });
    const hub = createEventHub(journal, clock);
    const manifest: Manifest = {
      ...({ sessionId: "old", storeId: journal.storeId, contract: 1, mode: "headless", createdAt: 0 } as const),
      labels: { text: "x".repeat(10_000) },
    };
    const started = { at: 0, event: { type: "session-started", manifest } } as const;
    for (let seq = 0; seq < 600; seq++) await clock.runUntil(journal.append("old", seq, [started]));
    const ended = { at: 0, event: { type: "session-ended", status: "done", fault: null } } as const;
    await clock.runUntil(journal.append("old", 600, [ended]));
    const request = {
      role: "operator",
      lastId: `${journal.storeId}.0`,
      session: null,
      types: null,
      isAllowed: always,
    } as const;
    const stream = await clock.runUntil(hub.open(request));
    await clock.advance(1_000);
    expect(await clock.runUntil(journal.prune({ before: 500 }))).toBe(1);
    const reader = stream.getReader();
    let text = "";
    while (!text.includes("event: reset")) text += new TextDecoder().decode((await reader.read()).value);
    expect(text).toMatch(/id: \S+\.601\nevent: reset\ndata: \{"reason":"gap"\}\n\n$/);
    await clock.runUntil(journal.append("new", 0, [started]));
    await clock.advance(20);
    expect(new TextDecoder().decode((await reader.read()).value)).toContain(".602\n");
    hub.close();
  });

  it("hears every fifteen seconds that the server is still there", async () => {
    const clock = createFakeClock(0);
    const journal = createMemoryJournal({ clock });
    const hub = createEventHub(journal, clock);
    const stream = await clock.runUntil(
      hub.open({ role: "viewer", lastId: null, session: null, types: null, isAllowed: always }),
    );
    await clock.advance(45_000);
    hub.close();
    expect((await new Response(stream).text()).match(/: still here/g)).toHaveLength(3);
  });
});

describe("a reader whose token is removed", () => {
  it("gets nothing after the next heartbeat, and the others do", async () => {
    const clock = createFakeClock(0);
    const hub = createEventHub(createMemoryJournal({ clock }), clock);
    let isAllowed = true;
    const request = { role: "viewer", lastId: null, session: null, types: null } as const;
    const removed = await clock.runUntil(hub.open({ ...request, isAllowed: () => isAllowed }));
    const other = await clock.runUntil(hub.open({ ...request, isAllowed: always }));
    await clock.advance(15_000);
    isAllowed = false;
    await clock.advance(30_000);
    expect(hub.readers).toBe(1);
    hub.close();
    expect((await new Response(removed).text()).match(/: still here/g)).toHaveLength(1);
    expect((await new Response(other).text()).match(/: still here/g)).toHaveLength(3);
  });
});

describe("a client that is slow on purpose", () => {
  it("gets its connection cut, and others are served meanwhile", async () => {
    const world = await startWorld();
    const { port } = new URL(world.url);
    const halves = [
      "GET /v1/health HTTP/1.1\r\nHost: x\r\nX-A: ",
      "POST /v1/failures HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ];
    const sockets = await Promise.all(
      Array.from({ length: 60 }, (_none, index) => opened(Number(port), halves[index % 2] ?? "")),
    );
    expect((await world.send("/v1/health", { token: null })).status).toBe(200);
    const cut = Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.once("close", resolve))));
    for (const socket of sockets) socket.resume();
    await cut;
  });

  it("sends headers without end: they are refused at their limit", async () => {
    const world = await startWorld();
    const { port } = new URL(world.url);
    const socket = await opened(
      Number(port),
      `GET /v1/health HTTP/1.1\r\nHost: x\r\nX-A: ${"x".repeat(20_000)}\r\n\r\n`,
    );
    const text = await new Promise<string>(
      (resolve) => void socket.once("data", (chunk: Buffer) => resolve(chunk.toString())),
    );
    expect(text).toMatch(/^HTTP\/1\.1 431 [^]*application\/problem\+json[^]*"code":"headers-too-large"/);
  });

  async function opened(port: number, text: string): Promise<Socket> {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    await new Promise<void>((resolve) => void socket.once("connect", resolve));
    socket.write(text);
    return socket;
  }
});
