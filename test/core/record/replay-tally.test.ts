// What another policy would have changed: edits that people make, with what a replay says about each.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createPolicyReplay,
  DEFAULT_POLICY,
  type Entry,
  type Policy,
  PRESET_NAMES,
  PRESETS,
  type ReplaySummary,
  replayUnder,
} from "../../../src/core/index.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import type { SeenStage } from "../../../src/core/flow/stage.ts";
import { decidesAlike, REPLAYED_TYPES } from "../../../src/core/record/replay-tally.ts";
import { parsePolicy } from "../../../src/policy-file/index.ts";
import { entriesOf, type PastCall } from "./past-calls.ts";

/** A week at work: one cent is a million micro-cents. */
const PAST: readonly PastCall[] = [
  { session: "a", call: "t1/1/search", tool: "search", fails: Array<"ResourceBusy">(5).fill("ResourceBusy") },
  { session: "a", call: "t1/1/fetch", tool: "fetch", fails: ["ToolUnavailable", "ToolUnavailable"], microcents: 5 },
  {
    session: "b",
    call: "t1/1/ask",
    tool: "west",
    fails: ["Overloaded", "Overloaded", "Overloaded"],
    microcents: 7,
    other: "east",
  },
  { session: "c", call: "t1/1/pay", tool: "pay", fails: ["Forbidden"], offers: ["ask"] },
];
const BEFORE = entriesOf(PAST, DEFAULT_POLICY);

function edited(rows: string): Policy {
  const { policy, diagnostics } = parsePolicy(`version: 1\nrows:\n${rows}`, "my.policy.yaml");
  if (policy === null) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return policy;
}

function replayed(entries: readonly Entry[], policy: Policy): ReplaySummary {
  const replay = createPolicyReplay(policy);
  for (const entry of entries) replay.add(entry);
  return replay.summary();
}

const total = ({ unknown }: ReplaySummary): number => Object.values(unknown).reduce((sum, count) => sum + count, 0);
const tableOf = ({ table }: ReplaySummary): readonly string[] =>
  table.map(({ from, to, code, tool, count, waitMs }) => `${count} ${code}@${tool} ${from} → ${to} ${waitMs} ms`);

interface Expected {
  readonly table: readonly string[];
  readonly unknown: number;
  readonly waits?: ReplaySummary["waits"];
  readonly attempts?: ReplaySummary["attempts"];
  readonly money?: Partial<ReplaySummary["money"]>;
  readonly openEnded?: number;
  readonly limits?: ReplaySummary["limits"];
}

const RETRY = "backoff: { kind: exponential, initialMs: 100, maxMs: 800 }, jitter: 0.1, maxTotalWaitMs: 20000";
const EDITS: readonly (readonly [name: string, rows: string, expected: Expected])[] = [
  [
    "more attempts: what was surfaced is tried once more, and what follows is not known",
    `  - { match: { code: ResourceBusy }, retry: { maxAttempts: 7, ${RETRY} }, then: [surface] }`,
    {
      table: ["1 ResourceBusy@search surface → retry 800 ms"],
      unknown: 0,
      waits: { savedMs: 0, addedMs: 800 },
      attempts: { saved: 0, added: 1 },
      openEnded: 1,
    },
  ],
  [
    "no retry for a code: later attempts, their waits and their costs are saved",
    "  - { match: { code: ToolUnavailable }, retry: none, then: [surface] }",
    {
      table: ["1 ToolUnavailable@fetch retry → surface -100 ms"],
      unknown: 1,
      waits: { savedMs: 300, addedMs: 0 },
      attempts: { saved: 2, added: 0 },
      money: { savedMicrocents: 10, addedMicrocents: 0, unpricedAttempts: 0 },
      openEnded: 0,
    },
  ],
  [
    "another backoff: the first wait of each call changes, and its other decisions are not known",
    "  - { match: { class: ToolTransient }, retry: { maxAttempts: 5, backoff: { kind: fixed, initialMs: 40 }, jitter: 0 }, then: [surface] }",
    {
      table: ["1 ResourceBusy@search retry → retry -60 ms", "1 ToolUnavailable@fetch retry → retry -60 ms"],
      unknown: 5,
      waits: { savedMs: 120, addedMs: 0 },
      attempts: { saved: 0, added: 0 },
      openEnded: 2,
    },
  ],
  [
    "a fallback removed: the attempt at the other target is saved",
    "  - { match: { code: Overloaded }, retry: { maxAttempts: 3, backoff: { kind: exponential, initialMs: 1000, maxMs: 4000 } }, then: [fail] }",
    {
      table: ["1 Overloaded@west fallback → fail 0 ms"],
      unknown: 0,
      attempts: { saved: 1, added: 0 },
      money: { savedMicrocents: 7 },
      openEnded: 0,
    },
  ],
  [
    "a row for one tool: other tools stay as they are",
    "  - { match: { tool: search }, retry: none, then: [surface] }",
    {
      table: ["1 ResourceBusy@search retry → surface -100 ms"],
      unknown: 4,
      waits: { savedMs: 1_500, addedMs: 0 },
      attempts: { saved: 4, added: 0 },
    },
  ],
  [
    "a person is asked: nothing is known about what they would say",
    "  - { match: { code: Forbidden }, retry: none, then: [ask, fail] }",
    {
      table: ["1 Forbidden@pay surface → ask 0 ms"],
      unknown: 0,
      attempts: { saved: 0, added: 0 },
      openEnded: 1,
      limits: ["people", "shared-state", "later-work"],
    },
  ],
  [
    "the same policy in other words: nothing changes",
    "  - { match: { code: NotFound }, retry: none, then: [fail] }",
    { table: [], unknown: 0 },
  ],
];

describe("a replay of past decisions", () => {
  it("finds nothing to change under the policy that was in force", () => {
    const summary = replayed(BEFORE, DEFAULT_POLICY);
    expect(summary).toMatchObject({ decisions: 11, same: 11, changed: 0, sessions: 3, limits: [], examples: [] });
  });

  it.each(EDITS)("%s", (_name, rows, { table, unknown, ...figures }) => {
    const summary = replayed(BEFORE, edited(rows));
    expect(tableOf(summary)).toEqual(table);
    expect(summary).toMatchObject(figures);
    expect(total(summary)).toBe(unknown);
    expect(summary.decisions).toBe(summary.same + summary.changed + unknown);
  });

  it.each([
    ["a failure that is left out, as its stage says, is a decision", "resolution", 1],
    ["a gate that leaves a node out decides about no failure", "gate", 0],
    ["nor does an operator who skips one", "operator", 0],
  ] as const)("%s", (_what, reason, decisions) => {
    const skipped = {
      type: "node-skipped",
      node: "n",
      execution: 1,
      attempt: 1,
      reason,
      fault: fault("ToolUnavailable"),
      route: null,
    } as const;
    const summary = replayed([{ session: "r", seq: 1, at: 0, event: skipped }], DEFAULT_POLICY);
    expect([summary.decisions, summary.stageDecisions]).toEqual([decisions, decisions]);
  });

  it("counts what a stage's own rules would do now: the same, or something else, with a row of the table", () => {
    const retry = {
      maxAttempts: 2,
      backoff: { kind: "fixed", initialMs: 7, maxMs: 7, multiplier: 1 },
      jitter: 0,
    } as const;
    const whole = { ...retry, maxWaitMs: 60_000, maxTotalWaitMs: 60_000 };
    const seen: Readonly<Record<string, SeenStage>> = {
      retry: { roll: 0, retry: whole },
      defer: { roll: 0, retry: whole, retryOn: [], resolution: "retry-later" },
      fail: { roll: 0 },
      skip: { roll: 0, resolution: "skip" },
    };
    const recorded = {
      retry: { type: "node-retrying", delayMs: 7 },
      defer: { type: "node-deferred", notBefore: 7 },
      fail: { type: "node-failed", outcome: "", resolution: "abort-workflow", route: null },
      skip: { type: "node-skipped", reason: "resolution", route: null },
    };
    const place = { node: "n", execution: 1, attempt: 1, fault: fault("ToolUnavailable") };
    for (const [did, event] of Object.entries(recorded)) {
      for (const [would, saw] of Object.entries(seen)) {
        const entry = { session: "r", seq: 1, at: 0, event: { ...event, ...place, saw } } as unknown as Entry;
        const summary = replayed([entry, entry], DEFAULT_POLICY);
        const isSame = did === would;
        expect([did, would, summary.same, summary.changed]).toEqual([did, would, isSame ? 2 : 0, isSame ? 0 : 2]);
        expect(tableOf(summary)).toEqual(isSame ? [] : [`2 ToolUnavailable@ ${did} → ${would} 0 ms`]);
      }
    }
  });

  it("says for each of the first changes where it is, what was decided and what would be, and why", () => {
    const { examples } = replayed(BEFORE, edited(EDITS[1]?.[1] ?? ""));
    expect(examples).toEqual([
      {
        session: "a",
        seq: 6,
        at: expect.any(Number) as number,
        call: "t1/1/fetch",
        tool: "fetch",
        code: "ToolUnavailable",
        from: "retry",
        to: "surface",
        was: "Try again in 100 ms (attempt 2 of 5).",
        would: "Tell the model, and let it react.",
        why: ["not retried: the policy has no retry for it"],
      },
    ]);
  });

  it("describes no more changes than asked for, and counts them all", () => {
    const policy = edited("  - { match: { class: ToolTransient }, retry: none, then: [fail] }");
    const replay = createPolicyReplay(policy, { examples: 1 });
    for (const entry of BEFORE) replay.add(entry);
    expect(replay.summary()).toMatchObject({ changed: 2, examples: [{ tool: "search" }] });
  });

  it("counts what it cannot know, with the reason", () => {
    const [first] = BEFORE as [Entry];
    const { event } = first;
    if (event.type !== "call-failed") throw new Error("the first entry is a failure");
    const { saw: _saw, ...older } = event;
    const ofExtension = { ...event, decision: { ...event.decision, row: { layer: "adapter", at: "west" } as const } };
    const newer = {
      ...event,
      call: "other",
      fault: { ...event.fault, code: "NotInventedYet" },
    } as unknown as typeof event;
    const entries = [older, ofExtension, newer].map((one) => ({ ...first, event: one }));
    const summary = replayed(entries, edited("  - { match: { tool: search }, retry: none, then: [fail] }"));
    expect(summary.unknown).toEqual({ "after-change": 0, "not-recorded": 2, "extension-row": 1 });
    expect(summary.limits).toEqual(["not-recorded", "extension-row"]);
  });

  it("changes exactly the first decision of each call that `decide` makes differently, under any policy", () => {
    const presets = fc.constantFrom(...PRESET_NAMES).map((name) => PRESETS[name]);
    fc.assert(
      fc.property(presets, presets, fc.subarray([...PAST], { minLength: 1 }), (was, would, past) => {
        const entries = entriesOf(past, was);
        const again = replayUnder(would);
        const changed = new Set<string>();
        for (const entry of entries) {
          const { event, session } = entry;
          if (event.type !== "call-failed") continue;
          const decision = again(entry);
          if (decision !== null && !decidesAlike(event.decision, decision)) changed.add(`${session} ${event.call}`);
        }
        const summary = replayed(entries, would);
        expect(summary.changed).toBe(changed.size);
        expect(summary.decisions).toBe(summary.same + summary.changed + total(summary));
      }),
    );
  });

  it("looks at no other types of events than it names", () => {
    const other = {
      session: "a",
      seq: 1,
      at: 1,
      event: { type: "turn-started", turn: "t", deadlineAt: null },
    } as const;
    expect(replayed([other], DEFAULT_POLICY).decisions).toBe(0);
    const others = BEFORE.filter(({ event }) => !(REPLAYED_TYPES as readonly string[]).includes(event.type));
    expect(others).toEqual([]);
  });
});
