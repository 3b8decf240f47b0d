import { describe, expect, it } from "vitest";
import { fault, FaultError } from "../../../src/index.ts";
import { LastFailure } from "../../../src/runtime/tool/binding.ts";

const SEEN = fault("ToolUnavailable");

class Custom extends Error {}
class WithGetter extends Error {
  get detail(): string {
    return `${this.message}, seen from ${this.name}`;
  }
}
class BelowGetter extends WithGetter {}

const error = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);
const hiding = (made: Error): Error => Object.defineProperty(made, "secret", { value: 1, enumerable: false });
const FIVE = { a: 1, b: "2", c: true, d: undefined, e: 5 };

describe("the last failure of a tool", () => {
  it.each([
    ["the same message", () => error("down")],
    ["the same fields", () => error("down", { code: "E", status: 503, retry: false, cause: undefined })],
    ["six fields", () => error("down", { ...FIVE, f: 6 })],
    ["the same class", () => new Custom("down")],
    ["an own class of the platform", () => new TypeError("down")],
  ])("is recognised in another error with %s", (_what, made) => {
    const last = new LastFailure();
    expect(last.faultOf(made())).toBeNull();
    last.note(made(), SEEN);
    expect(last.faultOf(made())).toBe(SEEN);
  });

  it.each([
    ["the message", error("up")],
    ["the class", Object.assign(new Custom("down"), { code: "E" })],
    ["the value of a field", error("down", { code: "F" })],
    ["the name of a field", error("down", { kode: "E" })],
    ["a missing field", error("down")],
    ["one field more", error("down", { code: "E", status: 503 })],
    ["a cause", Object.assign(new Error("down", { cause: "why" }), { code: "E" })],
    ["a cause that is listed like a field", error("down", { cause: "why" })],
    ["a hidden part", hiding(error("down", { code: "E" }))],
    ["its kind: it is no error", { message: "down", code: "E" }],
  ])("is not recognised in one that differs in %s", (_what, other) => {
    const last = new LastFailure();
    last.note(error("down", { code: "E" }), SEEN);
    expect(last.faultOf(other)).toBeNull();
  });

  it.each([
    ["with a cause", () => new Error("down", { cause: "why" })],
    ["with a cause that is listed like a field", () => error("down", { cause: "why" })],
    ["with seven fields", () => error("down", { ...FIVE, f: 6, g: 7 })],
    ["with an object in a field", () => error("down", { response: {} })],
    ["with null in a field", () => error("down", { response: null })],
    ["with a hidden part", () => hiding(error("down"))],
    ["that carries its fault", () => new FaultError(SEEN)],
    ["with errors of its own", () => new AggregateError([], "down")],
    ["with a getter in its class", () => new WithGetter("down")],
    ["with a getter further up", () => new BelowGetter("down")],
    ["of the DOM", () => new DOMException("down", "AbortError")],
    ["that is a string", () => "down"],
  ])("is not remembered when it is an error %s", (_what, made) => {
    const last = new LastFailure();
    const thrown = made();
    last.note(thrown, SEEN);
    expect(last.faultOf(thrown)).toBeNull();
  });

  it.each([{ retryAfterMs: 5 }, { resetAt: 5 }])(
    "is forgotten when the next one says when to come back: %o",
    (when) => {
      const last = new LastFailure();
      last.note(error("down"), SEEN);
      last.note(error("down"), fault("RateLimited", when));
      expect(last.faultOf(error("down"))).toBeNull();
    },
  );

  it("is only the last one", () => {
    const last = new LastFailure();
    last.note(error("first"), SEEN);
    last.note(error("second"), SEEN);
    expect([last.faultOf(error("first")), last.faultOf(error("second"))]).toEqual([null, SEEN]);
  });

  it("survives an error that throws when it is read", () => {
    const last = new LastFailure();
    last.note(error("down"), SEEN);
    const hostile = new Proxy(error("down"), {
      getPrototypeOf: () => Error.prototype,
      get: () => {
        throw new Error("no");
      },
    });
    expect(last.faultOf(hostile)).toBeNull();
    last.note(hostile, SEEN);
    expect(last.faultOf(error("down"))).toBeNull();
  });
});
