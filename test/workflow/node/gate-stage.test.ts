// Gates: a person's answer is the output, and edges decide where a no leads.

import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/core/index.ts";
import { scriptedInteractor, type ScriptedAnswer } from "../../../src/testing/scripted-interactor.ts";
import type { NodeOptions } from "../../../src/workflow-model/node-options.ts";
import { until } from "../../support/look-again.ts";
import { processClock } from "../../agent/process/children.ts";
import { driven, edge, nodeBase, nodeWorld, type Visited } from "./node-world.ts";

type GateOptions = Extract<NodeOptions, { readonly kind: "human_gate" }>;

function gate(over: Partial<GateOptions> = {}): GateOptions {
  return {
    ...nodeBase({ id: "gate", next: [edge("deploy")] }),
    kind: "human_gate",
    ask: "Approve",
    prompt: "Deploy {{ inputs.what }}?",
    options: [],
    gateTimeoutMs: null,
    onTimeout: "reject",
    ...over,
  };
}

async function answered(options: GateOptions, answer: ScriptedAnswer): Promise<Visited & { readonly asked: unknown }> {
  const person = scriptedInteractor("ann", [answer]);
  const world = nodeWorld({ faultline: { interactors: [person] } });
  const visited = await world.visit(options, { inputs: { what: "it" } });
  return { ...visited, asked: person.asked[0]?.payload };
}

const yes = (value: unknown): Answer => ({ status: "accepted", value });
const NO: Answer = { status: "rejected", reason: "not on a Friday" };
const OPTIONS = [
  { id: "confirm", label: "Confirm" },
  { id: "revise", label: "Revise" },
];

describe("an answer", () => {
  // prettier-ignore
  it.each([
    ["Approve", yes(true),          { approved: true }],
    ["Confirm", yes(true),          { approved: true }],
    ["Select",  yes("revise"),      { approved: true, choice: "revise" }],
    ["Ask",     yes({ port: 8080 }), { approved: true, text: { port: 8080 } }],
  ] as const)("to %s is the output", async (ask, answer, output) => {
    const { end, asked } = await answered(gate({ ask, options: OPTIONS }), answer);
    expect(end).toEqual({ end: "completed", output, route: { kind: "to", nodes: ["deploy"] } });
    expect(asked).toMatchObject({ kind: ask, prompt: "Deploy it?" });
  });

  it.each([
    ["Approve", yes(false), { approved: false }],
    ["Confirm", NO, { approved: false, reason: "not on a Friday" }],
    ["Select", NO, { approved: false, reason: "not on a Friday" }],
    ["Ask", NO, { approved: false, reason: "not on a Friday" }],
  ] as const)("that is a no to %s fails a node without an edge for it", async (ask, answer, output) => {
    const { end } = await answered(gate({ ask, options: OPTIONS }), answer);
    expect(end).toMatchObject({ end: "failed", again: false, output, fault: { code: "ApprovalRejected" } });
    expect(JSON.stringify(end)).toContain("was not approved");
  });

  it("that is a no follows an edge with a condition", async () => {
    const next = [edge("deploy", { when: "output.approved" }), edge("coder", { when: "!nodes.gate.output.approved" })];
    const { end } = await answered(gate({ next }), NO);
    expect(end).toMatchObject({
      end: "completed",
      output: { approved: false },
      route: { kind: "to", nodes: ["coder"] },
    });
  });

  it("that is a no fails a node if no condition is true", async () => {
    const { end } = await answered(gate({ next: [edge("deploy", { when: "output.approved" })] }), NO);
    expect(end).toMatchObject({ end: "failed", fault: { code: "ApprovalRejected" } });
  });

  it("that is a no is a failure that `on_failure` edges can handle", async () => {
    const options = gate({ onFailure: [edge("coder")] });
    const { end } = await answered(options, NO);
    if (end?.end !== "failed") throw new Error("it did not fail");
    const route = await nodeWorld().routeFrom(options, { status: "failed", fault: end.fault, output: end.output });
    expect(route).toEqual({ kind: "to", nodes: ["coder"] });
  });
});

describe("no answer", () => {
  it.each([
    ["approve", { end: "completed", output: { approved: true, timedOut: true } }],
    ["reject", { end: "failed", output: { approved: false, timedOut: true }, fault: { code: "ApprovalRejected" } }],
  ] as const)("in time means %s when the gate says so", async (onTimeout, end) => {
    const clock = processClock();
    const person = scriptedInteractor("ann", ["silence"]);
    const world = nodeWorld({ clock, faultline: { interactors: [person] } });
    const visited = world.visit(gate({ onTimeout, gateTimeoutMs: 86_400_000 }), { inputs: { what: "it" } });
    await driven(
      clock,
      until(() => person.asked.length > 0),
      0,
    );
    await clock.advance(86_400_000);
    expect((await driven(clock, visited, 0)).end).toMatchObject(end);
    expect(person.asked[0]?.expiresAt).toBe((person.asked[0]?.askedAt ?? 0) + 86_400_000);
  });

  it("makes the attempt wait; it continues with the answer in another life", async () => {
    const world = nodeWorld({ mode: "headless" });
    const first = await world.visit(gate(), { inputs: { what: "it" } });
    expect(first.end).toBeNull();
    expect(first.turn).toMatchObject({ status: "waiting", questions: [{ payload: { kind: "Approve" } }] });
    const question = first.turn.questions[0]?.id ?? "";
    const second = await world.visit(gate(), { inputs: { what: "it" } }, async (fl) => {
      expect(await fl.answer(question, yes(true), "ann")).toBe(true);
    });
    expect(second.end).toMatchObject({ end: "completed", output: { approved: true } });
  });
});
