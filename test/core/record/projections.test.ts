// What is read from a journal, compared with files: one run in which nearly everything happens, and runs made at random from fixed
// seeds. A change that is meant shows as a difference of these files (`npx vitest run -u` writes them again).

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createRedactor, type Entry } from "../../../src/core/index.ts";
import { faultMarkOf, FaultFold, groupFaults, tallyRecourses } from "../../../src/core/record/fault-index.ts";
import { recordIncident } from "../../../src/core/record/incident.ts";
import { incidentMarkdown } from "../../../src/core/record/incident-markdown.ts";
import { countEntries, metricsOf } from "../../../src/core/record/metrics.ts";
import { noticeOf } from "../../../src/core/record/notice.ts";
import {
  emptySession,
  foldEntry,
  fromSnapshot,
  type SessionState,
  snapshotOf,
} from "../../../src/core/record/replay.ts";
import { createRunStream } from "../../../src/core/record/run-stream.ts";
import { Timeline } from "../../../src/core/record/timeline.ts";
import { EVENTFUL_RUN, LATE_RUN, PLAIN_SESSION, RUN_OF_COMMANDS } from "./eventful-run.ts";
import { historyOf } from "./run-history.ts";

/** Numbers that only look random, so that the same histories come again. */
function choicesOf(seed: number, count: number): readonly number[] {
  const choices: number[] = [];
  for (let at = 0, last = seed; at < count; at++) {
    last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
    choices.push(Math.floor(last / 64));
  }
  return choices;
}

const HISTORIES: readonly (readonly [string, readonly Entry[]])[] = [
  ["eventful", EVENTFUL_RUN],
  ["commands", RUN_OF_COMMANDS],
  ["plain", PLAIN_SESSION],
  ["late", LATE_RUN],
  ...[1, 2, 3].map((seed) => [`random-${seed}`, historyOf(choicesOf(seed, 24))] as const),
];

const line = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (item instanceof Map ? [...(item as Map<unknown, unknown>)] : item));
const lines = (values: Iterable<unknown>): string => Array.from(values, (value) => `${line(value)}\n`).join("");

function folded(entries: readonly Entry[]): SessionState {
  const state = emptySession(entries[0]?.session ?? "");
  for (const entry of entries) foldEntry(state, entry);
  return state;
}

function timelineOf(entries: readonly Entry[]): Timeline {
  const timeline = new Timeline(entries[0]?.session ?? "");
  for (const entry of entries) timeline.feed(entry);
  return timeline;
}

describe.each(HISTORIES)("the %s run", (name, entries) => {
  const [session, now] = [entries[0]?.session ?? "", (entries.at(-1)?.at ?? 0) + 1_000];
  const file = (projection: string): string => `projections/${name}.${projection}.txt`;

  it("folds to the same state after every entry", async () => {
    const state = emptySession(session);
    const states = entries.map((entry) => {
      foldEntry(state, entry);
      const { visits = [], status = null, fans = {}, failing = null } = state.run ?? {};
      const shown = visits.map((visit) => `${visit.node}#${visit.execution}.${visit.attempt} ${visit.state}`);
      return `${entry.event.type}: ${status} ${state.status} ${line([shown, fans, failing, state.spending])}`;
    });
    await expect(`${states.join("\n")}\n${line(snapshotOf(state))}\n`).toMatchFileSnapshot(file("state"));
  });

  it("continues from a snapshot as if it had been read from the start", () => {
    for (let cut = 1; cut <= entries.length; cut += 5) {
      const state = fromSnapshot(structuredClone(snapshotOf(folded(entries.slice(0, cut)))));
      for (const entry of entries.slice(cut)) foldEntry(state, entry);
      expect(snapshotOf(state)).toEqual(snapshotOf(folded(entries)));
    }
  });

  it("has the same spans, moves, plans and times", async () => {
    const timeline = timelineOf(entries);
    const halfway = timelineOf(entries.slice(0, Math.floor(entries.length / 2)));
    const parts = [timeline.spans, timeline.moves, [timeline.graph(), timeline.graph("left#1.1"), timeline.graph("?")]];
    const times = [timeline.times(now), halfway.times(now)];
    await expect([...parts, times].map(lines).join("\n")).toMatchFileSnapshot(file("timeline"));
  });

  it.each(["en", "zh-CN"] as const)("has the same incident report (%s)", async (locale) => {
    const recorder = recordIncident(session, { locale, redactor: createRedactor(["planted-Zq81"]) });
    for (const entry of entries) recorder.add(entry);
    const acted = [{ key: "k1", action: "switch-provider", by: "bob", at: now }];
    const actions = [{ label: "Retry the stage", explains: "starts it again" }];
    const incident = recorder.incident({ now, actions, questions: ["Ship it?"], acted });
    await expect(incidentMarkdown(incident, locale)).toMatchFileSnapshot(file(`incident.${locale}`));
  });

  it("has cost at its targets together what it has cost", () => {
    const recorder = recordIncident(session, { locale: "en", redactor: createRedactor([]) });
    for (const entry of entries) recorder.add(entry);
    const { costs, spending } = recorder.incident({ now, actions: [], questions: [], acted: [] });
    const sum = (field: keyof typeof spending): number => costs.reduce((all, { spent }) => all + spent[field], 0);
    expect({
      microcents: sum("microcents"),
      estimatedMicrocents: sum("estimatedMicrocents"),
      unpricedAttempts: sum("unpricedAttempts"),
    }).toEqual(spending);
  });

  it("streams the same events and notices, and counts the same", async () => {
    const stream = createRunStream(session);
    const events = entries.flatMap((entry) => stream.feed(entry));
    const notices = entries.flatMap((entry) => noticeOf(entry) ?? []);
    const counted = Array.from(countEntries(entries), ([tool, counters]) => [tool, metricsOf(counters)]);
    await expect([events, notices, counted].map(lines).join("\n")).toMatchFileSnapshot(file("stream"));
  });

  it("indexes the same failures, with what helped", async () => {
    const fold = new FaultFold();
    const marks = entries.map(({ event }) => faultMarkOf(event));
    for (const [index, { at, seq, session: of }] of entries.entries()) {
      const mark = marks[index];
      if (mark) fold.note(mark, { position: index, at, session: of, seq });
    }
    const parts = [marks.filter((mark) => mark !== null), fold.rows, groupFaults(fold.rows), tallyRecourses(fold.rows)];
    await expect(parts.map(lines).join("\n")).toMatchFileSnapshot(file("faults"));
  });
});

/** The eventful run as it would be if an entry were missing, two came the other way round, or it broke off and was resumed. */
function variantsOf(entries: readonly Entry[]): readonly (readonly [string, readonly Entry[]])[] {
  const numbered = (list: readonly Entry[]): readonly Entry[] =>
    list.map((entry, index) => ({ ...entry, seq: index + 1, at: entries[index]?.at ?? entry.at }));
  const last = entries.at(-1);
  return entries.flatMap((entry, index) => {
    const [before, behind] = [entries.slice(0, index), entries.slice(index + 1)];
    const [next, ...rest] = behind;
    const resumed = { type: "session-resumed", process: "p2", interrupted: ["c1"] } as unknown as Entry["event"];
    const ended = { ...entry, at: last?.at ?? 0, event: { type: "session-ended", status: "failed" } as Entry["event"] };
    return [
      [`without ${index + 1}`, numbered([...before, ...behind])],
      [`${index + 1} later`, numbered(next === undefined ? entries : [...before, next, entry, ...rest])],
      [`resumed after ${index + 1}`, numbered([...before, entry, { ...entry, event: resumed }, ...behind])],
      [`ended after ${index + 1}`, numbered([...before, entry, ended])],
    ];
  });
}

describe("the eventful run with an entry missing, late, or followed by a crash", () => {
  const digest = (...values: readonly unknown[]): string =>
    createHash("sha256").update(values.map(line).join("\n")).digest("base64url").slice(0, 10);
  const redactor = createRedactor([]);

  function streamOf(session: string, entries: readonly Entry[]): readonly unknown[] {
    const stream = createRunStream(session);
    return entries.map((entry) => [stream.feed(entry), noticeOf(entry) ?? null]);
  }

  function faultsOf(entries: readonly Entry[]): readonly unknown[] {
    const fold = new FaultFold();
    for (const [position, { at, seq, session, event }] of entries.entries()) {
      const mark = faultMarkOf(event);
      if (mark !== null) fold.note(mark, { position, at, session, seq });
    }
    return [fold.rows, groupFaults(fold.rows), tallyRecourses(fold.rows)];
  }

  it("has the same projections: the file has a digest of each, and the other files show what is in them", async () => {
    const digests = variantsOf(EVENTFUL_RUN).map(([name, entries]) => {
      const [session, now] = [entries[0]?.session ?? "", (entries.at(-1)?.at ?? 0) + 1_000];
      const timeline = timelineOf(entries);
      const recorder = recordIncident(session, { locale: "en", redactor });
      for (const entry of entries) recorder.add(entry);
      const incident = recorder.incident({ now, actions: [], questions: [], acted: [] });
      return [
        name,
        digest(snapshotOf(folded(entries))),
        digest(timeline.spans, timeline.moves, timeline.times(now), timeline.graph()),
        digest(incident),
        digest(...streamOf(session, entries)),
        digest(...faultsOf(entries)),
      ].join(" ");
    });
    await expect(`${digests.join("\n")}\n`).toMatchFileSnapshot("projections/variants.txt");
  });
});
