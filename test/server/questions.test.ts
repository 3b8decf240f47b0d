// Questions over HTTP: listed with what a form needs, answered once, and never with a secret.

import { describe, expect, it, onTestFinished } from "vitest";
import { createFaultline } from "../../src/index.ts";
import { ENV, fromText, GATED, problemOf, runWorld } from "./run-world.ts";

async function statusOf(work: Promise<unknown>): Promise<readonly [number, string]> {
  const { status, code } = await problemOf(work);
  return [status, code];
}

/** 200 for a request that worked. */
async function endOf(work: Promise<unknown>): Promise<readonly [number, string]> {
  const [result] = await Promise.allSettled([work]);
  return result.status === "fulfilled" ? [200, ""] : statusOf(work);
}

const FORM = GATED.replace("ask: Confirm", "ask: Ask").replace("nodes.ask.output.approved", "nodes.ask.output");

describe("a question over HTTP", () => {
  it("is listed, answered by the first person, and then the run continues", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated", inputs: { task: "a song" } } });
    await world.event(run, "node-paused");
    const { items } = await world.viewer.listQuestions({ query: { session: run } });
    expect(items).toMatchObject([
      { session: run, kind: "Confirm", prompt: "Ship a song?", by: null, canAnswer: true, wants: "yes-no" },
    ]);
    expect(items).toMatchObject([
      { isRun: true, title: null, atTimeout: "Without an answer in time, it counts as a no." },
    ]);
    const [asked] = items;
    expect((asked?.expiresAt ?? 0) - (asked?.askedAt ?? 0)).toBe(3_600_000);
    const params = { question: asked?.id ?? "" };
    expect(await world.viewer.showQuestion({ params })).toEqual(asked);
    // Each sees the others who look, and not itself.
    expect(await world.viewer.lookAtQuestion({ params })).toEqual({ alsoLooking: [] });
    const viewer = (await world.viewer.whoAmI()).name;
    expect(await world.operator.lookAtQuestion({ params })).toEqual({ alsoLooking: [viewer] });
    expect((await world.viewer.showQuestion({ params })).alsoLooking).toEqual(["operator"]);
    const yes = { status: "accepted", value: true } as const;
    expect(await statusOf(world.viewer.answerQuestion({ params, body: yes }))).toEqual([403, "role-too-low"]);
    const wrong = { status: "accepted", value: "perhaps" } as const;
    expect(await statusOf(world.operator.answerQuestion({ params, body: wrong }))).toEqual([422, "ShapeInvalid"]);
    const both = await Promise.all([1, 2].map(() => endOf(world.operator.answerQuestion({ params, body: yes }))));
    expect(both.map(([status]) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(both).toContainEqual([409, "question-closed"]);
    await world.event(run, "run-ended");
    expect(await world.viewer.showRun({ params: { run } })).toMatchObject({ status: "completed", outcome: "shipped" });
    const acts = (await world.operator.listAudit({ query: { on: params.question } })).items;
    expect(acts.find(({ refused }) => refused === null)).toMatchObject({ said: "Yes", session: run, isRun: true });
    // Long after the run has used its answer.
    expect(await statusOf(world.operator.answerQuestion({ params, body: yes }))).toEqual([409, "question-closed"]);
    expect(await statusOf(world.viewer.showQuestion({ params }))).toEqual([404, "not-there"]);
    // A page may look once more before it hears of the answer.
    expect(await world.viewer.lookAtQuestion({ params })).toEqual({ alsoLooking: ["operator"] });
    const unknown = { params: { question: "no-question" } };
    expect(await statusOf(world.viewer.lookAtQuestion(unknown))).toEqual([404, "not-there"]);
    expect((await world.viewer.listQuestions()).items).toEqual([]);
  });

  it("can be answered through the action that its run offers, or refused with a reason", async () => {
    const { workflow, journal } = await fromText("form.yaml", FORM);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated" } });
    await world.event(run, "node-paused");
    const { actions, asked } = await world.operator.showRun({ params: { run } });
    expect(asked).toMatchObject([{ kind: "Ask" }]);
    const offer = actions.find(({ id }) => id === "answer");
    expect(offer).toMatchObject({ effect: "answer", question: asked[0]?.id });
    const params = { answer: { status: "accepted", value: "with care" } };
    const acted = await world.operator.act({
      params: { run },
      body: { action: "answer", key: offer?.key ?? "", params },
    });
    expect(acted).toEqual({ run, did: true });
    const { items } = await world.operator.listAudit({ query: { on: run } });
    expect(items).toContainEqual(expect.objectContaining({ action: "answer", said: "with care", session: run }));
    await world.event(run, "run-ended");
    expect(JSON.stringify(await world.operator.showOutput({ params: { run } }))).toContain("with care");
  });

  it("says when silence counts as a yes", async () => {
    const { workflow, journal } = await fromText(
      "gated.yaml",
      GATED.replace("ask: Confirm", "ask: Confirm, on_timeout: approve"),
    );
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated" } });
    await world.event(run, "node-paused");
    const { items } = await world.viewer.listQuestions();
    expect(items).toMatchObject([{ atTimeout: "Without an answer in time, it counts as approved." }]);
    // It wakes when its question expires, but it does not continue by itself.
    expect(await world.viewer.overview()).toMatchObject({ needsYou: { count: 1 }, waiting: { count: 0, first: [] } });
  });

  it("with a page of text before it is told by the question itself, and says that no choice is a refusal", async () => {
    const asks = "ask: Select, options: [{ id: go, label: Confirm }, { id: stop, label: Stop }]";
    const text = GATED.replace("ask: Confirm", asks).replace(
      "Ship {{ inputs.task }}?",
      "## Architect\\n\\nA plan.\\n\\nShip it?",
    );
    const { workflow, journal } = await fromText("gated.yaml", text);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated" } });
    await world.event(run, "node-paused");
    const [line] = (await world.viewer.listRuns()).items;
    expect(line?.reason).toContain("Ship it?");
    expect(line?.reason).not.toContain("Architect");
    const { items } = await world.viewer.listQuestions();
    expect(items[0]?.atTimeout).toMatch(/none of these is chosen/);
  });

  it("is paged, oldest first", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal, env: ENV });
    for (const run of ["a", "b", "c"]) {
      await world.operator.startRun({ body: { workflow: "gated", run } });
      await world.event(run, "node-paused");
    }
    const first = await world.viewer.listQuestions({ query: { limit: 2 } });
    const second = await world.viewer.listQuestions({ query: { limit: 2, cursor: first.next ?? "" } });
    expect([...first.items, ...second.items].map(({ session }) => session)).toEqual(["a", "b", "c"]);
    expect(second.next).toBeNull();
  });

  it("for a secret is refused with words", async () => {
    const world = await runWorld([], { drive: false });
    const fl = createFaultline({ journal: world.journal });
    const session = await fl.session("login");
    const asking = session.ask("login", { kind: "Auth.Password", prompt: "Password for the registry:" });
    onTestFinished(async () => {
      await session.cancel();
      await Promise.allSettled([asking]);
    });
    await world.event("login", "question-asked");
    const { items } = await world.viewer.listQuestions();
    expect(items).toMatchObject([{ session: "login", kind: "Auth.Password", canAnswer: false, wants: "text" }]);
    const params = { question: items[0]?.id ?? "" };
    const body = { status: "accepted", value: "hunter2-hunter2" } as const;
    const refused = await problemOf(world.operator.answerQuestion({ params, body }));
    expect(refused).toMatchObject({ status: 403, code: "Forbidden" });
    expect(refused["reason"]).toContain("can only be answered where it was asked");
    expect(JSON.stringify(refused)).not.toContain("hunter2");
  });
});
