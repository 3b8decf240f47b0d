// What each event changes in a run, wherever it comes: the whole difference is in a file that was reviewed.

import { describe, expect, it } from "vitest";
import { fault } from "../../../src/core/fault/fault.ts";
import { copyRun, foldRun, startRun } from "../../../src/core/flow/run.ts";
import type { RunEvent } from "../../../src/core/flow/run-event.ts";
import { begunCount, keyOf, openVisits, type RunState, settledCount } from "../../../src/core/flow/run-state.ts";
import type { Route, Visit } from "../../../src/core/flow/visit.ts";
import { started } from "./run-plans.ts";

const WHY = fault("RateLimited");
const place = (node: string, attempt = 1, execution = 1) => ({ node, execution, attempt });
const to = (...nodes: readonly string[]): Route => ({ kind: "to", nodes });
const fan = (join: string, failFast: boolean, ...nodes: readonly string[]): Route => ({
  kind: "fan",
  nodes,
  join,
  failFast,
});
const END: Route = { kind: "end", outcome: "done" };
const event = (type: RunEvent["type"], of: object): RunEvent => ({ type, ...of }) as unknown as RunEvent;

/** Two fan-outs beside each other, one of which stops at its first failure, with visits in every state. */
const STORY: readonly RunEvent[] = [
  started(["left", "right"], 9),
  event("node-started", { ...place("left"), kind: "agent", targets: ["openai/x"] }),
  event("node-completed", { ...place("left"), route: fan("meet", false, "runs", "waits", "over") }),
  event("node-started", { ...place("right"), kind: "tool" }),
  event("node-completed", { ...place("right"), route: fan("join", true, "fresh", "again", "done") }),
  event("node-started", { ...place("runs"), kind: "agent" }),
  event("stage-entered", { ...place("runs"), phase: "act" }),
  event("node-started", { ...place("waits"), kind: "gate" }),
  event("node-paused", { ...place("waits"), why: "gate", fault: null, questions: [], wakeAt: 500 }),
  event("node-started", { ...place("over"), kind: "tool" }),
  event("node-completed", { ...place("over"), route: END }),
  event("node-started", { ...place("again"), kind: "tool" }),
  event("node-retrying", { ...place("again"), of: 3, fault: WHY, nextAt: 300 }),
  event("node-skipped", { ...place("done"), reason: "resolution", fault: WHY, route: to("join") }),
];

const OPEN = ["runs", "waits", "fresh", "again"].map((node) => place(node));
const OVER = [place("left"), place("over"), place("runs", 1, 2), place("nowhere")];

const ROUTES: Readonly<Record<string, Route | null>> = {
  "to a node": to("next"),
  "to two nodes": to("next", "more"),
  "to nothing": to(),
  "to its own join": to("meet"),
  "to the other join": to("join"),
  "to itself and a join": to("runs", "join"),
  "to a fan-out": fan("meet", true, "in", "side"),
  "to a fan-out of one": fan("inner", false, "in"),
  "to a fan-out of none": fan("meet", false),
  "to the end": END,
  "nowhere": null,
};

const FOR_THE_RUN: readonly RunEvent[] = [
  event("workflow-changed", { from: "d", to: "e", by: "ada" }),
  event("run-instructed", { action: "cancel", node: "", execution: 0, key: "k", params: { cancel: true }, by: "ada" }),
  event("run-instructed", { action: "x", node: "", execution: 0, key: "k", params: { cancel: "yes" }, by: "ada" }),
  event("run-instructed", {
    action: "x",
    node: "",
    execution: 0,
    key: "k",
    params: { limits: { maxNodes: 7 } },
    by: "b",
  }),
  event("run-paused", { why: "gate", wakeAt: null }),
  event("run-ended", { status: "failed", outcome: "broken", node: "runs", fault: WHY }),
  event("run-ended", { status: "completed", outcome: "done", node: "", fault: null }),
  event("run-superseded", { successor: "run_2" }),
];

const FOR_VISITS: readonly ((at: object) => RunEvent)[] = [
  (at) => event("node-started", { ...at, kind: "command", targets: ["a/b"] }),
  (at) => event("node-started", { ...at, kind: "command", attempt: 2 }),
  (at) => event("stage-entered", { ...at, phase: "check" }),
  (at) => event("node-retrying", { ...at, of: 4, fault: WHY, nextAt: 900 }),
  (at) => event("node-deferred", { ...at, of: 4, fault: WHY, nextAt: 900 }),
  (at) => event("node-paused", { ...at, why: "parked", fault: WHY, questions: [], wakeAt: null }),
  (at) => event("node-paused", { ...at, why: "gate", fault: null, questions: [], wakeAt: 7 }),
  (at) => event("node-resumed", { ...at, why: "gate", answer: null, by: "ada" }),
  (at) => event("run-instructed", { ...at, action: "retry-now", key: "k", params: {}, by: "ada" }),
  (at) => event("node-skipped", { ...at, reason: "sibling-failed", fault: null, route: null }),
  (at) => event("node-skipped", { ...at, reason: "resolution", fault: WHY, route: to("next") }),
  ...Object.values(ROUTES).flatMap((route) => [
    ...(route === null ? [] : [(at: object) => event("node-completed", { ...at, route })]),
    (at: object) => event("node-failed", { ...at, fault: WHY, outcome: "internal_error", resolution: "x", route }),
  ]),
];

function folded(events: readonly RunEvent[]): RunState {
  const [first, ...others] = events;
  const state = startRun(first as Extract<RunEvent, { type: "run-started" }>, 100);
  for (const [index, one] of others.entries()) foldRun(state, one, 101 + index);
  return state;
}

/** Each value of the state that is not empty, by where it is. */
function valuesIn(value: unknown, path = ""): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [[path, JSON.stringify(value)]];
  if (value === WHY) return [[path, WHY.code]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[path, Array.isArray(value) ? "[]" : "{}"]];
  const nameOf = (inner: unknown, key: string): string => (isVisit(inner) ? keyOf(inner) : key);
  return entries.flatMap(([key, inner]) => valuesIn(inner, `${path}${path === "" ? "" : "."}${nameOf(inner, key)}`));
}

function isVisit(value: unknown): value is Visit {
  return typeof value === "object" && value !== null && "execution" in value && "path" in value;
}

const shown = (state: RunState): ReadonlyMap<string, string> =>
  new Map(valuesIn({ ...state, order: openVisits(state).map(keyOf).join(" ") }));

function changes(before: RunState, event: RunEvent): readonly string[] {
  const state = copyRun(before);
  foldRun(state, event, 1_000);
  const [old, now] = [shown(before), shown(state)];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
  const added = Map.groupBy(changed, (path) => (old.has(path) ? path : path.split(".").slice(0, 2).join(".")));
  return [...added].map(([path, parts]) => {
    const [only = "", ...more] = parts;
    if (more.length === 0) return `    ${only}: ${old.get(only) ?? "—"} → ${now.get(only) ?? "—"}`;
    return `    ${path}: — → ${parts.map((part) => `${part.slice(path.length + 1)} ${now.get(part)}`).join(", ")}`;
  });
}

function described({ type, ...of }: RunEvent): string {
  return `${type} ${JSON.stringify(of, (key, value: unknown) => (key === "fault" && value !== null ? WHY.code : value))}`;
}

describe("an event changes a run as the file says", () => {
  it("in the middle of two fan-outs", async () => {
    const before = folded(STORY);
    const events = [...FOR_THE_RUN, ...OPEN.flatMap((at) => FOR_VISITS.map((make) => make(at)))];
    const pages = events.map((one) => [described(one), ...changes(before, one)].join("\n"));
    const start = [...shown(before)].map(([path, value]) => `    ${path}: ${value}`).join("\n");
    await expect(`the run\n${start}\n\n${pages.join("\n\n")}\n`).toMatchFileSnapshot("reviewed/run-folds.txt");
  });

  it("and nothing but what an instruction says when it is about a visit that is over, or that is not there", () => {
    const before = folded(STORY);
    const events = OVER.flatMap((at) => FOR_VISITS.map((make) => make(at)));
    const found = events.flatMap((one) => changes(before, one).map((change) => `${one.type} ${change.trim()}`));
    expect([...new Set(found)]).toMatchInlineSnapshot(`
      [
        "run-instructed actions: [] → —",
        "run-instructed actions.0: — → "k"",
      ]
    `);
  });

  it("and not at all when the run has ended, but for its successor", () => {
    const ended = folded([...STORY, event("run-ended", { status: "failed", outcome: "x", node: "", fault: null })]);
    const events = [...FOR_THE_RUN, ...[...OPEN, ...OVER].flatMap((at) => FOR_VISITS.map((make) => make(at)))];
    const changing = events.filter((one) => changes(ended, one).length > 0);
    expect(changing.map(({ type }) => type)).toEqual(["run-superseded"]);
  });
});

describe("the visits of a run that it has begun", () => {
  it.each<[string, Partial<Visit>, boolean, number]>([
    ["one with a start", { startedAt: 1 }, false, 1],
    ["one without", { startedAt: 0 }, false, 0],
    ["one that is about to start", { startedAt: 0 }, true, 1],
    ["one of the run before", { startedAt: 1, inherited: true }, false, 0],
    ["one of the run before that is about to start", { startedAt: 0, inherited: true }, true, 0],
  ])("%s", (_what, more, isAboutTo, expected) => {
    for (const state of ["running", "completed"] as const) {
      const visit = { node: "a", execution: 1, state, inherited: false, ...more } as Visit;
      const isOver = state === "completed";
      expect(settledCount([visit])).toBe(Number(isOver));
      // A visit that is over is not about to start.
      expect(begunCount({ visits: [visit] }, () => isAboutTo)).toBe(isOver && isAboutTo ? 0 : expected);
    }
  });
});
