// Helpers to write a row's expectations: everything that is left out is empty.

import type { ScenarioRule, ScenarioStep } from "../../../../src/chaos/scenario-schema.ts";
import type { Seen } from "../row.ts";

const NOTHING: Omit<Seen, "status" | "outcome" | "fault"> = {
  retries: { workflow: 0, transport: 0 },
  waitsMs: [],
  jitter: 0,
  pauses: [],
  asked: {},
  way: [],
  files: [],
  actions: [],
  nextAction: null,
  says: { en: "", zh: "" },
};

type Rest = Partial<Omit<Seen, "status" | "outcome" | "fault">>;

/** Its file names the first offered action. */
export function failed(outcome: string, fault: NonNullable<Seen["fault"]>, rest: Rest): Seen {
  return { ...NOTHING, status: "failed", outcome, fault, nextAction: rest.actions?.[0] ?? null, ...rest };
}

export function completed(outcome: string, rest: Rest, fault: Seen["fault"] = null): Seen {
  return { ...NOTHING, status: "completed", outcome, fault, ...rest };
}

export function fails(model: string, fault: NonNullable<ScenarioRule["fault"]>, more: ScenarioStep = {}): ScenarioRule {
  return { when: { model }, ...more, fault };
}

/** One step per request; good answers after them. */
export function steps(model: string, ...sequence: NonNullable<ScenarioRule["sequence"]>): ScenarioRule {
  return { when: { model }, sequence };
}

export function times<T>(count: number, one: T): readonly T[] {
  return Array.from({ length: count }, () => one);
}

/** A call that is tried three times: what the seeds call 1 → 2 → 4 seconds has two waits in it. */
export const TRANSPORT = { retries: { workflow: 0, transport: 2 }, waitsMs: [1_000, 2_000], jitter: 0.2 } as const;

export const AGENT = "agent.faultline.yaml";
export const STAGES = "stages.faultline.yaml";

/** The agent of `agent.faultline.yaml` with more fields: `{ model: openai/coder, stream: true }`. */
export function agentWith(more: string): Readonly<Record<string, string>> {
  return { "{ model: openai/coder }": `{ model: openai/coder, ${more} }` };
}

/** The same node on a CLI. */
export function byCli(name: string, more = ""): Readonly<Record<string, string>> {
  return { "{ model: openai/coder }": `{ cli: ${name}${more === "" ? "" : `, ${more}`} }` };
}

/** The node of `agent.faultline.yaml` with more fields. */
export function nodeWith(more: string): Readonly<Record<string, string>> {
  return { "prompt: Write it.": `prompt: Write it., ${more}` };
}

/** How the node of `agent.faultline.yaml` ends when it fails. */
export const CODER_FAILED = { way: ["coder#1 failed"], files: ["coder#1"] } as const;

export const REVIEW_APPROVES: ScenarioRule = {
  when: { model: "reviewer" },
  json: { decision: "approve", must_fix: [] },
};

/** The tester requests tests that fail this many times before they pass. */
export function testsThatFail(count: number): ScenarioRule {
  return { when: { model: "tester" }, json: { commands: [`node tools/tests.mjs ${count}`] } };
}
