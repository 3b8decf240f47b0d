// What fits as an answer to each kind of question, and that nothing else gets through.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  checkAnswer,
  INTERACTION_KINDS,
  INTERACTIONS,
  type InteractionKind,
  MAX_ANSWER_BYTES,
  formFacts,
  type Question,
  type QuestionPayload,
} from "../../../src/core/flow/interaction.ts";

const PAYLOADS: Readonly<Record<InteractionKind, QuestionPayload>> = {
  "Ask": { kind: "Ask", prompt: "Another input?", field: "city" },
  "Approve": { kind: "Approve", prompt: "Run it?", tool: "bash", approvalKey: "bash:ls" },
  "Select": {
    kind: "Select",
    prompt: "What now?",
    options: [
      { id: "retry", label: "Try again" },
      { id: "skip", label: "Go on without" },
    ],
  },
  "Confirm": { kind: "Confirm", prompt: "Delete the branch?" },
  "Auth.DeviceCode": { kind: "Auth.DeviceCode", prompt: "Sign in", url: "https://x.test", code: "ABCD" },
  "Auth.Password": { kind: "Auth.Password", prompt: "Password:" },
};

function question(kind: InteractionKind): Question {
  const payload = PAYLOADS[kind];
  return { id: "q_1", call: "c", turn: "t", session: "s", code: null, payload, askedAt: 0, expiresAt: 1000 };
}

function check(kind: InteractionKind, value: unknown): ReturnType<typeof checkAnswer> {
  return checkAnswer(question(kind), { status: "accepted", value });
}

const cycle: unknown[] = [];
cycle.push(cycle);
let bottomless: unknown = [];
for (let depth = 0; depth < 100_000; depth++) bottomless = [bottomless];

interface Row {
  readonly kind: InteractionKind;
  readonly fits: readonly unknown[];
  readonly doesNot: readonly unknown[];
}

const ROWS: readonly Row[] = [
  {
    kind: "Ask",
    fits: ["", "Berlin", 3.5, 0, true, null, [], { a: [1, { b: null }] }, Object.create(null)],
    doesNot: [
      undefined,
      NaN,
      -Infinity,
      1n,
      Symbol("x"),
      () => 1,
      cycle,
      bottomless,
      { a: undefined },
      [() => 1],
      [NaN],
      new Map(),
      new Error("x"),
      { nested: new Set() },
    ],
  },
  { kind: "Approve", fits: [true, false], doesNot: ["yes", 1, 0, null, undefined, {}, "true", new Boolean(true)] },
  { kind: "Confirm", fits: [true, false], doesNot: ["y", 1, null, undefined, []] },
  { kind: "Auth.DeviceCode", fits: [true, false], doesNot: ["done", null, undefined] },
  { kind: "Select", fits: ["retry", "skip"], doesNot: ["Retry", "fail", "", 0, null, undefined, ["retry"], true] },
  { kind: "Auth.Password", fits: ["", "hunter2 and more"], doesNot: [null, 1234, undefined, {}, ["x"]] },
];

describe("an accepted answer", () => {
  it.each(ROWS)("to $kind is passed on when it fits, and refused when not", ({ kind, fits, doesNot }) => {
    for (const value of fits) expect(check(kind, value)).toEqual({ status: "accepted", value });
    for (const value of doesNot) {
      expect(check(kind, value), typeof value).toMatchObject({
        code: "ShapeInvalid",
        context: { question: "q_1", kind },
      });
    }
  });

  it("has a row here for every kind there is", () => {
    expect(ROWS.map(({ kind }) => kind).sort()).toEqual([...INTERACTION_KINDS].sort());
  });

  it("is a copy: what the interactor does to its own afterwards changes nothing", () => {
    const mine = { list: [1] };
    const checked = check("Ask", mine);
    mine.list.push(2);
    expect(checked).toEqual({ status: "accepted", value: { list: [1] } });
  });

  it("keeps only what an answer has", () => {
    const answer = { status: "accepted", value: true, secret: "x" };
    expect(checkAnswer(question("Approve"), answer)).toEqual({ status: "accepted", value: true });
  });

  it("is refused above 64 KiB, counted in bytes, as text, as JSON and as the reason of a no", () => {
    const fits = "a".repeat(MAX_ANSWER_BYTES);
    const wide = "é".repeat(MAX_ANSWER_BYTES / 2);
    for (const text of [fits, wide]) {
      expect(check("Auth.Password", text)).toMatchObject({ status: "accepted" });
      expect(check("Ask", text)).toMatchObject({ status: "accepted" });
      expect(check("Ask", `${text}a`)).toMatchObject({ code: "ShapeInvalid" });
      expect(check("Auth.Password", `${text}a`)).toMatchObject({ code: "ShapeInvalid" });
      expect(check("Ask", { text })).toMatchObject({ code: "ShapeInvalid" });
      const rejected = (reason: string): unknown => checkAnswer(question("Confirm"), { status: "rejected", reason });
      expect(rejected(text)).toMatchObject({ status: "rejected" });
      expect(rejected(`${text}a`)).toMatchObject({ code: "ShapeInvalid" });
    }
  });
});

describe("the form of a question", () => {
  const ask = { kind: "Ask", prompt: "?", field: "to" } as const;
  const schema = { type: "object" };
  const issues = [{ path: "$.to", expected: "is required", got: "nothing" }];
  it.each<[string, QuestionPayload, object]>([
    ["is empty where the question has none", ask, {}],
    ["has its schema", { ...ask, schema }, { schema }],
    ["has what was wrong with the last answer", { ...ask, schema, issues }, { schema, issues }],
    ["is empty for other kinds", { kind: "Confirm", prompt: "?" }, {}],
  ])("%s", (_what, payload, facts) => {
    expect(formFacts(payload)).toStrictEqual(facts);
  });
});

describe("any answer", () => {
  it("that is a no or a timeout is passed on for every kind, if it is well formed", () => {
    for (const kind of INTERACTION_KINDS) {
      const no: Answer = { status: "rejected", reason: "not today" };
      expect(checkAnswer(question(kind), no)).toEqual(no);
      expect(checkAnswer(question(kind), { status: "timeout", more: 1 })).toEqual({ status: "timeout" });
      expect(checkAnswer(question(kind), { status: "rejected" })).toMatchObject({ code: "ShapeInvalid" });
    }
  });

  it("of no known status is refused, and so is what cannot even be looked at", () => {
    const hostile = new Proxy({}, { get: () => { throw new Error("no"); } }); // prettier-ignore
    const throwing = { status: "accepted", get value(): unknown { throw new Error("no"); } }; // prettier-ignore
    for (const answer of [undefined, null, true, "accepted", [], {}, { status: "maybe" }, hostile, throwing]) {
      expect(checkAnswer(question("Confirm"), answer)).toMatchObject({ code: "ShapeInvalid" });
    }
    expect(check("Ask", hostile)).toMatchObject({ code: "ShapeInvalid" });
    expect(check("Ask", { toJSON: () => { throw new Error("no"); } })).toMatchObject({ code: "ShapeInvalid" }); // prettier-ignore
  });

  it("is never quoted in the refusal", () => {
    for (const kind of INTERACTION_KINDS) {
      const refused = JSON.stringify(check(kind, { planted: new Map([["hunter2-secret", 1]]) }));
      expect(refused).not.toContain("hunter2");
    }
    expect(JSON.stringify(check("Select", "hunter2-secret"))).not.toContain("hunter2");
  });

  it("gives an answer or a fault, and the same again when it is checked again", () => {
    fc.assert(
      fc.property(fc.constantFrom(...INTERACTION_KINDS), fc.anything(), (kind, value) => {
        const checked = check(kind, value);
        if ("status" in checked) expect(checkAnswer(question(kind), checked)).toEqual(checked);
        else expect(checked.code).toBe("ShapeInvalid");
      }),
    );
  });
});

describe("the table of questions", () => {
  it("waits a finite time for each, and only passwords are secret", () => {
    for (const kind of INTERACTION_KINDS) {
      expect(INTERACTIONS[kind].timeoutMs).toBeGreaterThan(0);
      expect(INTERACTIONS[kind].timeoutMs).toBeLessThanOrEqual(600_000);
      expect(INTERACTIONS[kind].secret).toBe(kind === "Auth.Password");
    }
  });
});
