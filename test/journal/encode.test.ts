// What a journal takes and refuses before it writes anything, at each boundary.

import { describe, expect, it } from "vitest";
import type { JournalEvent, SessionStatus } from "../../src/core/record/event.ts";
import {
  checkHold,
  checkInstant,
  checkPosition,
  checkSession,
  decodeEvent,
  decodeKept,
  encodeChanged,
  encodeEntry,
  encodeKeep,
  encodeLoose,
  encodePresent,
  jsonOf,
  statusAfter,
  statusMarkOf,
} from "../../src/journal/encode.ts";
import { isFaultError } from "../../src/core/fault/fault.ts";
import type { Keep } from "../../src/journal/journal.ts";

const long = (length: number): string => "n".repeat(length);
const event = (type: unknown, more: object = {}): JournalEvent => ({ type, ...more }) as unknown as JournalEvent;

/** The message of the refusal; null when it is taken. */
function refusal(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    if (isFaultError(error)) return error.fault.message;
    throw error;
  }
}

describe("a journal takes", () => {
  // prettier-ignore
  it.each<[string, () => unknown, boolean]>([
    ["a session's name of one character",  () => checkSession("s"),                     true],
    ["one of 200",                         () => checkSession(long(200)),               true],
    ["one of 201",                         () => checkSession(long(201)),               false],
    ["one of none",                        () => checkSession(""),                      false],
    ["one with a slash",                   () => checkSession("a/b"),                   false],
    ["one with a line break",              () => checkSession("a\nb"),                  false],
    ["one with the last control character", () => checkSession("a\u009f"),              false],
    ["one with a space that is none",      () => checkSession("a\u00a0"),               true],
    ["one with half a character",          () => checkSession("a\ud800"),               false],
    ["one that is no text",                () => checkSession(7 as unknown as string),  false],
    ["the key of a hold of 2000",          () => checkHold(long(2_000), "o"),           true],
    ["one of 2001",                        () => checkHold(long(2_001), "o"),           false],
    ["the owner of a hold of 200",         () => checkHold("k", long(200)),             true],
    ["one of 201",                         () => checkHold("k", long(201)),             false],
    ["the key of a value of 2000",         () => encodeKeep({ kind: "wake", key: long(2_000), value: 1 }), true],
    ["one of 2001",                        () => encodeKeep({ kind: "wake", key: long(2_001), value: 1 }), false],
    ["a value of a kind that is not there", () => encodeKeep({ kind: "none" as "wake", key: "k", value: 1 }), false],
    ["the first instant",                  () => checkInstant(-Number.MAX_SAFE_INTEGER, "It"), true],
    ["the last instant",                   () => checkInstant(Number.MAX_SAFE_INTEGER, "It"), true],
    ["one behind it",                      () => checkInstant(Number.MAX_SAFE_INTEGER + 1, "It"), false],
    ["a part of a millisecond",            () => checkInstant(0.5, "It"),               true],
    ["no instant",                         () => checkInstant(Number.NaN, "It"),        false],
    ["one without end",                    () => checkInstant(Infinity, "It"),          false],
    ["the first position",                 () => checkPosition(0),                      true],
    ["one before it",                      () => checkPosition(-1),                     false],
    ["half a position",                    () => checkPosition(0.5),                    false],
    ["the last position",                  () => checkPosition(Number.MAX_SAFE_INTEGER), true],
    ["one behind it",                      () => checkPosition(Number.MAX_SAFE_INTEGER + 1), false],
    ["an event of any type",               () => encodeEntry({ at: 0, event: event("constructor") }), true],
    ["one without a type",                 () => encodeEntry({ at: 0, event: event("") }), false],
    ["one whose type is no text",          () => encodeEntry({ at: 0, event: event(7) }), false],
    ["one whose type has a tab",           () => encodeEntry({ at: 0, event: event("a\tb") }), false],
    ["one without an instant",             () => encodeEntry({ at: Number.NaN, event: event("x") }), false],
    ["a value that goes with its entry",   () => encodeLoose({ kind: "result", key: "s/1", value: 1 }), false],
    ["one that goes alone",                () => encodeLoose({ kind: "wake", key: "s", value: 1 }), true],
    ["one that is kept first",             () => encodePresent({ kind: "wake", key: "s", value: 0 }), true],
    ["nothing that is kept first",         () => encodePresent({ kind: "wake", key: "s", value: null }), false],
    ["a number as JSON",                   () => jsonOf(1, "It"),                       true],
    ["a large number as JSON",             () => jsonOf(1n, "It"),                      false],
    ["a function as JSON",                 () => jsonOf(() => 1, "It"),                 false],
  ])("%s: %s", (_what, action, isTaken) => {
    const told = refusal(action);
    expect(told === null ? null : told.length > 20).toBe(isTaken ? null : true);
  });

  it("a value with where it belongs, and a run with what it is searched by", () => {
    const value = { workflow: "team", inputs: { task: "find me" } };
    const kept = (keep: Keep): unknown => {
      const { text, searched } = encodeKeep(keep);
      return [text, searched !== null];
    };
    expect([
      kept({ kind: "run", key: "run_1", value }),
      kept({ kind: "run", key: "run_1", value: null }),
      kept({ kind: "wake", key: "run_1", value }),
    ]).toEqual([
      [JSON.stringify(value), true],
      [null, false],
      [JSON.stringify(value), false],
    ]);
  });

  it("a change of a kept value, unless it is the same or fails", () => {
    const present = { a: 1 };
    expect(encodeChanged("wake", "k", present, () => present)).toEqual({ value: present, encoded: null });
    expect(encodeChanged("wake", "k", present, () => ({ a: 2 })).encoded?.text).toBe('{"a":2}');
    expect(encodeChanged("wake", "k", present, () => null).encoded?.text).toBeNull();
    const failing = (): never => {
      throw new TypeError("no");
    };
    expect(refusal(() => encodeChanged("wake", "k", present, failing))).toContain("nothing was changed");
  });

  it("only back what is JSON, and says whose it was", () => {
    expect(decodeEvent("s", 3, '{"type":"x"}')).toEqual({ type: "x" });
    expect(refusal(() => decodeEvent("s", 3, "{"))).toContain("Entry 3 of session s");
    expect(refusal(() => decodeKept("wake", "k", "{"))).toContain("The wake kept under k");
  });
});

describe("the status of a session", () => {
  const STATUSES: readonly SessionStatus[] = ["open", "waiting", "done", "failed", "cancelled"];

  it("follows from each event as the table says", () => {
    const events = [
      event("session-started"),
      event("session-resumed"),
      event("turn-started"),
      event("turn-ended", { status: "waiting" }),
      event("turn-ended", { status: "done" }),
      event("session-ended", { status: "failed" }),
      event("session-ended", { status: "nonsense" }),
      event("call-failed"),
      event("constructor"),
    ];
    const rows = events.map((one) => {
      const mark = statusMarkOf(one);
      return [one.type, STATUSES.map((before) => statusAfter(before, mark)).join(" ")].join(": ");
    });
    expect(rows).toMatchInlineSnapshot(`
      [
        "session-started: open open done failed cancelled",
        "session-resumed: open open open open open",
        "turn-started: open open done failed cancelled",
        "turn-ended: waiting waiting done failed cancelled",
        "turn-ended: open waiting done failed cancelled",
        "session-ended: failed failed done failed cancelled",
        "session-ended: open waiting done failed cancelled",
        "call-failed: open waiting done failed cancelled",
        "constructor: open waiting done failed cancelled",
      ]
    `);
  });
});
