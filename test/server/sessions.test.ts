// Sessions over HTTP: listed, shown, read entry by entry, and drawn as a graph and a waterfall.

import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { createFaultline, fault, FaultError, step, tool } from "../../src/index.ts";
import { fromText, GATED, runWorld, type RunWorld } from "./run-world.ts";

/** A turn with a plan: `search` fails twice and then works, `hotel` fails for good, and `book` needs both. */
async function withTurn(world: RunWorld): Promise<void> {
  let searches = 0;
  const failing = (message: string, code: "ToolUnavailable" | "NotFound"): never => {
    throw new FaultError(fault(code, { message }));
  };
  const search = tool({
    id: "search",
    idempotent: true,
    run: (query: string) =>
      ++searches < 3 ? failing(`GET /internal/${query} answered 503`, "ToolUnavailable") : ["SK1"],
  });
  const hotel = tool({ id: "hotel", run: () => failing("no hotel in /srv/data", "NotFound") });
  const book = tool({ id: "book", run: () => "booked" });
  const fl = createFaultline({ journal: world.journal });
  const session = await fl.session("trip", { labels: { user: "u1" } });
  await session.turn(
    {
      flights: step(search, "Oslo"),
      room: step(hotel, undefined),
      booking: step(book, undefined, { needs: ["flights", "room"] }),
    },
    { id: "t1" },
  );
}

describe("a session over HTTP", () => {
  it("is listed and shown with its turns", async () => {
    const world = await runWorld([], { drive: false });
    await withTurn(world);
    const { items, next } = await world.viewer.listSessions();
    expect(items).toMatchObject([{ session: "trip", isRun: false, state: { id: "running", label: "open" } }]);
    expect(next).toBeNull();
    expect((await world.viewer.listSessions({ query: { kind: "run" } })).items).toEqual([]);
    expect((await world.viewer.listSessions({ query: { kind: "program" } })).items).toEqual(items);
    const shown = await world.viewer.showSession({ params: { session: "trip" } });
    expect(shown).toMatchObject({ labels: { user: "u1" }, turns: [{ turn: "t1", calls: 2, attempts: 4 }] });
    expect(JSON.stringify(shown)).not.toContain("/srv/data");
    const missing = await world.send("/v1/sessions/nothing");
    expect(missing.status).toBe(404);
  });

  it("stands where the list of runs says, if it is a run; one of a program is told in the same words", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal });
    await world.operator.startRun({ body: { workflow: "gated", run: "asks", inputs: { task: "the page" } } });
    await world.operator.startRun({ body: { workflow: "gated", run: "cancelled" } });
    for (const run of ["asks", "cancelled"]) await world.event(run, "node-paused");
    await world.operator.cancelRun({ params: { run: "cancelled" } });
    await world.event("cancelled", "run-ended");
    const fl = createFaultline({ journal: world.journal });
    const asking = await fl.session("program-asks");
    await asking.ask("name", { kind: "Ask", prompt: "Which name?", field: "name" });
    await asking.abandon("the program waits");
    await (await fl.session("program-done")).end();

    const runs = (await world.viewer.listRuns({})).items;
    const sessions = (await world.viewer.listSessions({})).items;
    const stateOf = (name: string) => sessions.find(({ session }) => session === name)?.state;
    for (const { run, state } of runs) expect(stateOf(run)).toEqual(state);
    expect(stateOf("program-asks")).toEqual(stateOf("asks"));
    expect([stateOf("asks")?.label, stateOf("program-done")?.label]).toEqual(["needs you", "completed"]);
    // Each row says why, too.
    const reasons = Object.fromEntries(runs.map(({ run, reason }) => [run, reason]));
    expect(reasons).toEqual({
      asks: "ask: Ship the page?",
      cancelled: expect.stringMatching(/^stopped at ask, after \d/) as string,
    });
  });

  it("is read entry by entry, without what came from outside for viewers", async () => {
    const world = await runWorld([], { drive: false });
    await withTurn(world);
    const params = { session: "trip" };
    const all = await world.operator.listEntries({ params, query: { limit: 200 } });
    const seqs: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: typeof all = await world.viewer.listEntries({ params, query: { limit: 4, after } });
      expect(JSON.stringify(page)).not.toMatch(/internal|srv/);
      seqs.push(...page.items.map(({ data }) => data.seq));
      after = page.next;
    }
    expect(seqs).toEqual(all.items.map((_item, index) => index + 1));
    expect(JSON.stringify(all)).toContain("/internal/Oslo answered 503");
  });

  it("is drawn as its plan with cascades, and as a waterfall with waits", async () => {
    const world = await runWorld([], { drive: false });
    await withTurn(world);
    const trace = await world.viewer.traceSession({ params: { session: "trip" } });
    expect(trace.graph.nodes.map(({ node, status }) => [node, status])).toEqual([
      ["flights", "done"],
      ["room", "surfaced"],
      ["booking", "failed"],
    ]);
    expect(trace.graph.edges).toEqual([
      { from: "t1/1/flights", to: "t1/1/booking", kind: "need" },
      { from: "t1/1/room", to: "t1/1/booking", kind: "cascade" },
    ]);
    expect(trace.graph.nodes.map(({ state, says, because }) => [state.id, says, because])).toEqual([
      ["completed", "completed", null],
      ["failed", "told the model: Nothing found", null],
      ["failed", "failed: needs room, which failed: Nothing found", "t1/1/room"],
    ]);
    const chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    const translated = await chinese.traceSession({ params: { session: "trip" } });
    expect(translated.graph.nodes[2]?.says).toMatch(/^失败：依赖的 room 失败：\p{Script=Han}+/u);
    const turn = trace.spans.find(({ kind }) => kind === "turn");
    const search = trace.spans.find(({ kind, tool: id }) => kind === "call" && id === "search");
    expect(search?.parent).toBe(turn?.id);
    const inside = trace.spans.filter(({ parent }) => parent === search?.id);
    expect(inside.map(({ kind, status, why }) => [kind, status, why])).toEqual([
      ["attempt", "failed", null],
      ["wait", "done", "retry"],
      ["attempt", "failed", null],
      ["wait", "done", "retry"],
      ["attempt", "done", null],
    ]);
    expect(inside.map(({ phase, says }) => [phase, says]).slice(0, 2)).toEqual([
      ["work", "failed: Tool not reachable"],
      ["wait", "waits to retry"],
    ]);
    expect(inside[0]?.decision).toMatchObject({ recourse: "retry", attempt: 2 });
    expect(trace.deadlineAt).toBe(turn?.deadlineAt);
    expect(turn?.deadlineAt).toBeGreaterThan(turn?.startAt ?? Infinity);
    // One ends where the next begins.
    for (const [index, span] of inside.entries()) expect(inside[index + 1]?.startAt ?? span.endAt).toBe(span.endAt);
    expect(JSON.stringify(trace)).not.toMatch(/internal|srv/);
    const newest = await world.viewer.traceSession({ params: { session: "trip" }, query: { limit: 2 } });
    expect([newest.spans.length, newest.left]).toEqual([2, trace.spans.length - 2]);
  });

  it("gives artefacts to operators by their ref, and nothing outside of their folder", async () => {
    const world = await runWorld([], { drive: false });
    await withTurn(world);
    const kept = await world.event("trip", "artefact-kept");
    const text = await world.operator.text("showArtefact", { params: { ref: kept.ref } });
    expect(text).toContain("no hotel in /srv/data");
    const path = `/v1/artefacts/${encodeURIComponent(kept.ref)}`;
    expect((await world.send(path, { token: world.tokens.viewer })).status).toBe(403);
    for (const ref of ["../../journal.db", "a/b", "a/../../x", "trip/../operator.token", "/etc/passwd"]) {
      const response = await world.send(`/v1/artefacts/${encodeURIComponent(ref)}`);
      expect([ref, response.status]).toEqual([ref, 404]);
    }
  });
});
