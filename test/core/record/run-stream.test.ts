// The public events of a run: by example, and P1–P4 over random runs.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fault } from "../../../src/core/index.ts";
import type { Question } from "../../../src/core/flow/interaction.ts";
import { toCloudEvent } from "../../../src/core/record/cloud-event.ts";
import type { Entry, JournalEvent } from "../../../src/core/record/event.ts";
import { createRunStream, type RunStreamEvent, type RunStreamType } from "../../../src/core/record/run-stream.ts";
import { historyOf, leakyFault, PLANTED, RUN } from "./run-history.ts";

const TERMINAL: readonly RunStreamType[] = ["run.completed", "run.failed", "run.cancelled"];
const HISTORIES = fc.array(fc.nat(), { maxLength: 80, size: "max" }).map(historyOf);

function streamOf(entries: readonly Entry[]): readonly RunStreamEvent[] {
  const stream = createRunStream(RUN);
  return entries.flatMap((entry) => stream.feed(entry));
}

function entriesOf(...events: readonly JournalEvent[]): readonly Entry[] {
  return events.map((event, index) => ({ session: RUN, seq: index + 1, at: 1000 + index * 10, event }));
}

const PLACE = { node: "coder", execution: 2, attempt: 1 } as const;
const TURN = "coder#2.1";
const STARTED: JournalEvent = {
  ...{ type: "run-started", workflow: "w", version: "7", digest: "d", file: "/x/w.yaml", inputs: { task: "t" } },
  ...{ start: ["coder"], predecessor: null, inherited: null, instruction: null },
  limits: { maxParallel: 2, maxNodes: 9, timeoutMs: 1000, maxCostMicrocents: 100 },
};
const STORY = { row: { layer: "matrix", at: "1" }, considered: [], left: [], passedOver: [], preferred: null } as const;
const CALL_STARTED: JournalEvent = {
  ...{ type: "call-started", call: "call_1", turn: TURN, tool: "openai/a", digest: "d", input: {}, deadlineAt: null },
};
const RAN = { call: "call_1", tool: "openai/a", attempt: 1, durationMs: 5 } as const;
const typesOf = (events: readonly RunStreamEvent[]): readonly RunStreamType[] => events.map(({ type }) => type);

describe("the stream of a run", () => {
  it("begins with what the run is, and names no file", () => {
    const [first] = streamOf(entriesOf(STARTED));
    expect(first).toMatchObject({
      version: 1,
      sequence: 1,
      at: 1000,
      run: RUN,
      type: "run.started",
      node: "",
      attempt: 0,
    });
    expect(first?.data).toMatchObject({ workflow: "w", workflowVersion: "7", inputs: { task: "t" }, seq: 1 });
    expect(JSON.stringify(first)).not.toContain("w.yaml");
  });

  it("counts what the workflow redoes apart from what a call redoes", () => {
    const retry = { ...STORY, recourse: "retry", delayMs: 500, serverWait: false, attempt: 2, maxAttempts: 3 } as const;
    const events = streamOf(
      entriesOf(
        STARTED,
        { type: "node-started", ...PLACE, kind: "agent" },
        CALL_STARTED,
        { type: "call-admitted", call: "call_1", tool: "openai/a", attempt: 1 },
        { type: "call-failed", ...RAN, fault: fault("Overloaded"), decision: retry, breaker: "closed", cost: null },
        { type: "call-admitted", call: "call_1", tool: "openai/a", attempt: 2 },
        {
          ...{ type: "call-failed", ...RAN, attempt: 2, fault: fault("Overloaded"), breaker: "closed", cost: null },
          decision: { ...STORY, recourse: "fallback", target: "anthropic/b" },
        },
        {
          type: "node-retrying",
          ...PLACE,
          of: 3,
          fault: fault("Overloaded"),
          decision: retry,
          delayMs: 9,
          nextAt: 1079,
        },
      ),
    );
    expect(typesOf(events)).toEqual(["run.started", "node.started", "call.retrying", "call.switched", "node.retrying"]);
    expect(events[2]).toMatchObject({
      ...{ node: "coder", execution: 2, attempt: 1 },
      data: { callAttempt: 2, of: 3, reason: "Overloaded", nextAt: 1540, target: "openai/a", seq: 5 },
    });
    expect(events[3]?.data).toMatchObject({ from: "openai/a", to: "anthropic/b", why: "Overloaded" });
    expect(events[4]?.data).toMatchObject({ nextAttempt: 2, of: 3, callAttempts: 2, nextAt: 1079, deferred: false });
  });

  it("tells a failure in the user's words, with the outcome and where the record of it is", () => {
    const events = streamOf(
      entriesOf(
        STARTED,
        { type: "node-started", ...PLACE, kind: "agent" },
        CALL_STARTED,
        {
          ...{ type: "call-failed", ...RAN, fault: leakyFault(5), breaker: "closed", cost: null },
          decision: { ...STORY, recourse: "fail" },
        },
        {
          ...{ type: "node-failed", ...PLACE, fault: fault("SchemaInvalid", { message: PLANTED }), route: null },
          ...{ outcome: "review_schema_invalid", resolution: "abort-workflow" },
        },
      ),
    );
    expect(events.at(-1)).toMatchObject({
      type: "node.failed",
      data: {
        resolution: "abort-workflow",
        failure: {
          class: "Output",
          code: "SchemaInvalid",
          outcome: "review_schema_invalid",
          correlationId: "run_1/coder#2.1/call_1",
        },
      },
    });
    expect(JSON.stringify(events)).not.toContain(PLANTED);
  });

  it("does not guess an outcome that depends on the role of the node", () => {
    const decision = {
      ...STORY,
      recourse: "retry",
      delayMs: 1,
      serverWait: false,
      attempt: 2,
      maxAttempts: 2,
    } as const;
    const retrying = { type: "node-retrying", ...PLACE, of: 2, decision, delayMs: 1, nextAt: 9 } as const;
    const outcomes = streamOf(
      entriesOf(
        STARTED,
        { ...retrying, fault: fault("SchemaInvalid") },
        { ...retrying, fault: fault("NetworkDisconnect") },
      ),
    ).flatMap((event) => (event.type === "node.retrying" ? [event.data.failure.outcome] : []));
    expect(outcomes).toEqual([null, "provider_network_error"]);
  });

  it("adds up what was spent, and marks what is estimated and what has no price", () => {
    const events = streamOf(
      entriesOf(
        STARTED,
        CALL_STARTED,
        { type: "call-succeeded", ...RAN, cost: { microcents: 30, basis: "estimated" }, errors: [], output: null },
        { type: "call-succeeded", ...RAN, cost: { microcents: null, basis: "unpriced" }, errors: [], output: null },
        {
          ...{ type: "call-late", ...RAN, ok: true, fault: null },
          ...{ cost: { microcents: 10, basis: "reported" }, booked: { microcents: 30, basis: "estimated" } },
        },
      ),
    );
    const costs = events.filter(({ type }) => type === "cost.updated").map(({ data }) => data);
    expect(costs).toMatchObject([
      { microcents: 30, estimatedMicrocents: 30, unpricedAttempts: 0 },
      { microcents: 30, estimatedMicrocents: 30, unpricedAttempts: 1 },
      { microcents: 10, estimatedMicrocents: 0, unpricedAttempts: 1 },
    ]);
  });

  it("shows a gate with its options, and of the answer only what was offered", () => {
    const options = [{ id: "ship", label: "Ship it" }];
    const question: Question = {
      ...{ id: "q_1", call: "ask:gate", turn: TURN, session: RUN, code: null, askedAt: 1, expiresAt: 99 },
      payload: { kind: "Select", prompt: "Ship?", options },
    };
    const pause = {
      type: "node-paused",
      ...PLACE,
      why: "gate",
      fault: null,
      questions: [question],
      wakeAt: 99,
    } as const;
    const resume = { type: "node-resumed", ...PLACE, why: "gate", by: "ops" } as const;
    const events = streamOf(
      entriesOf(
        STARTED,
        pause,
        { ...resume, answer: { status: "accepted", value: "ship" } },
        { ...resume, answer: { status: "accepted", value: PLANTED } },
        { ...resume, answer: { status: "rejected", reason: PLANTED } },
      ),
    );
    expect(events.slice(1).map(({ type, data }) => [type, data])).toMatchObject([
      ["gate.paused", { questions: [{ id: "q_1", kind: "Select", prompt: "Ship?", options, expiresAt: 99 }] }],
      ["gate.resumed", { answer: "accepted", decision: "ship", by: "ops" }],
      ["gate.resumed", { answer: "accepted", decision: null }],
      ["gate.resumed", { answer: "rejected", decision: null }],
    ]);
    expect(JSON.stringify(events)).not.toContain(PLANTED);
  });

  it("tells what a budget stopped at, or zeros if no entry says so", () => {
    const sums = { spentMicrocents: 90, estimateMicrocents: 20, maxCostMicrocents: 100 };
    const zeros = { spentMicrocents: 0, estimateMicrocents: 0, maxCostMicrocents: 0 };
    const paused = { type: "node-paused", ...PLACE, why: "budget", fault: leakyFault(1), questions: [], wakeAt: null };
    const exceeded = { type: "budget-exceeded", call: "call_1", reservedMicrocents: 0, ...sums };
    for (const [entries, data] of [
      [[exceeded, paused], sums],
      [[paused], zeros],
    ] as const) {
      const events = streamOf(entriesOf(STARTED, ...(entries as readonly JournalEvent[])));
      expect(events.at(-1)).toMatchObject({ type: "budget.paused", node: "coder", data });
    }
  });

  it("says that the time was up before it says that the run failed, and not when only a node's was", () => {
    const timeout = fault("RunTimeout");
    const end = { type: "run-ended", status: "failed", outcome: "provider_timeout", fault: timeout } as const;
    expect(typesOf(streamOf(entriesOf(STARTED, { ...end, node: "" })))).toEqual([
      "run.started",
      "run.timeout",
      "run.failed",
    ]);
    expect(typesOf(streamOf(entriesOf(STARTED, { ...end, node: "coder" })))).toEqual(["run.started", "run.failed"]);
  });

  it("names what a run took over from its predecessor", () => {
    const visit = { node: "coder", execution: 1, state: "completed" };
    const inherited = { visits: [visit, { ...visit, node: "reviewer", state: "ready" }], fans: {} };
    const [first] = streamOf(entriesOf({ ...STARTED, predecessor: "run_0", inherited } as unknown as JournalEvent));
    expect(first?.data).toMatchObject({ predecessor: "run_0", inherited: ["coder#1"] });
  });

  it("passes over types of a newer program", () => {
    expect(streamOf(entriesOf(STARTED, { type: "node-teleported" } as unknown as JournalEvent))).toHaveLength(1);
  });
});

describe("over random runs", () => {
  it("the numbers have no gaps, and point at the entries they were made from", () => {
    fc.assert(
      fc.property(HISTORIES, (entries) => {
        const events = streamOf(entries);
        expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1));
        for (const { data, at } of events) expect(entries[data.seq - 1]?.at).toBe(at);
      }),
    );
  });

  it("one event at most says that the run is over, and nothing but its successor comes after", () => {
    fc.assert(
      fc.property(HISTORIES, (entries) => {
        const types = typesOf(streamOf(entries));
        const hasEnded = entries.some(({ event }) => event.type === "run-ended");
        expect(types.filter((type) => TERMINAL.includes(type))).toHaveLength(hasEnded ? 1 : 0);
        const after = types.slice(types.findIndex((type) => TERMINAL.includes(type)) + 1);
        if (hasEnded) expect(after.filter((type) => type !== "run.superseded")).toEqual([]);
      }),
    );
  });

  it("starting again gives the same events, and so does seeing entries twice or those of others", () => {
    fc.assert(
      fc.property(HISTORIES, (entries) => {
        const twice = entries.flatMap((entry) => [entry, { ...entry, session: "other" }, entry]);
        expect(streamOf(twice)).toEqual(streamOf(entries));
      }),
    );
  });

  it("nothing of what a provider, a tool, a file or a person said is shown", () => {
    fc.assert(
      fc.property(HISTORIES, (entries) => {
        expect(JSON.stringify(streamOf(entries))).not.toContain(PLANTED);
      }),
    );
  });

  it("every kind of event comes up", () => {
    const seen = new Set<RunStreamType>();
    fc.assert(
      fc.property(HISTORIES, (entries) => {
        for (const { type } of streamOf(entries)) seen.add(type);
      }),
      { seed: 7, numRuns: 1_000 },
    );
    expect([...seen].sort()).toHaveLength(24);
  });

  it("every event is a CloudEvent, and they sort by their sequence as text", () => {
    fc.assert(
      fc.property(HISTORIES, (entries) => {
        const sent = streamOf(entries).map((event) => toCloudEvent(event));
        sent.forEach(expectCloudEvent);
        expect(sent.map(({ sequence }) => sequence).sort()).toEqual(sent.map(({ sequence }) => sequence));
        expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
      }),
    );
  });
});

/** The rules of CloudEvents 1.0.2 for context attributes and their JSON form. */
function expectCloudEvent(sent: object): void {
  const back = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(back)) {
    expect(name).toMatch(/^[a-z0-9]{1,20}$/);
    if (name !== "data") expect(value).toEqual(expect.stringMatching(/^[^\p{Cc}\p{Cs}]+$/u));
  }
  expect(back).toMatchObject({ specversion: "1.0", datacontenttype: "application/json" });
  expect(back["type"]).toMatch(/^dev\.faultline\.[a-z]+\.[a-z]+$/);
  expect(back["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  expect(URL.canParse(String(back["source"]), "https://base.example")).toBe(true);
  expect(URL.canParse(String(back["dataschema"]))).toBe(true);
}

describe("a CloudEvent", () => {
  it("names the run, the node, the version of its data and its place", () => {
    const [, started] = streamOf(entriesOf(STARTED, { type: "node-started", ...PLACE, kind: "agent" }));
    expect(started === undefined ? null : toCloudEvent(started, { source: "https://ops.example/runs/" })).toEqual({
      specversion: "1.0",
      id: "run_1/2",
      source: "https://ops.example/runs/run_1",
      type: "dev.faultline.node.started",
      subject: "coder",
      time: "1970-01-01T00:00:01.010Z",
      datacontenttype: "application/json",
      dataschema: "urn:faultline:run-event:1",
      sequence: "000000000002",
      data: started,
    });
  });

  it("of the whole run has no subject", () => {
    const [first] = streamOf(entriesOf(STARTED));
    expect(first === undefined ? {} : toCloudEvent(first)).toMatchObject({ source: "/faultline/runs/run_1" });
    expect(first === undefined ? {} : toCloudEvent(first)).not.toHaveProperty("subject");
  });
});
