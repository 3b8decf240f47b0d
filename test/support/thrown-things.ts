// Everything a program can throw, each with what has to become of it: the names in its chain of causes, and the fault it carries,
// if it carries one.

import { APICallError } from "@ai-sdk/provider";
import { NoOutputGeneratedError, RetryError } from "ai";
import { fault, type FaultCode, FaultError } from "../../src/index.ts";

export interface ThrownThing {
  readonly what: string;
  readonly make: () => unknown;
  /** The fault it carries; null when it carries none. */
  readonly code: FaultCode | null;
  /** The chain of causes, outermost first. */
  readonly names: readonly string[];
}

/** Part of every message and path below: no view for a model or a user may show it. */
export const PRIVATE = "zebra-ledger";

/** A secret the program has registered; it has no shape by which it could be recognised. */
export const SECRET = "corvid-lantern-7731";

const carried = (): FaultError => new FaultError(fault("NotFound", { message: `no ${PRIVATE} here` }));

export const THROWN_THINGS: readonly ThrownThing[] = [
  {
    what: "an Error with a chain of causes",
    make: () =>
      new Error(`could not load ${PRIVATE}`, {
        cause: new TypeError(`${PRIVATE} is not iterable`, { cause: new RangeError(PRIVATE) }),
      }),
    code: null,
    names: ["Error", "TypeError", "RangeError"],
  },
  { what: "a FaultError", make: carried, code: "NotFound", names: ["FaultError"] },
  {
    what: "an Error that a FaultError caused",
    make: () => new Error(PRIVATE, { cause: carried() }),
    code: "NotFound",
    names: ["Error", "FaultError"],
  },
  {
    what: "a plain Fault",
    make: () => fault("NotFound", { message: `no ${PRIVATE} here` }),
    code: "NotFound",
    names: ["object"],
  },
  {
    what: "the AI SDK's RetryError around a FaultError",
    make: () =>
      new RetryError({ message: PRIVATE, reason: "errorNotRetryable", errors: [new Error("first"), carried()] }),
    code: "NotFound",
    names: ["AI_RetryError", "FaultError"],
  },
  {
    what: "the AI SDK's APICallError around a FaultError",
    make: () =>
      new APICallError({ message: PRIVATE, url: "http://127.0.0.1/", requestBodyValues: {}, cause: carried() }),
    code: "NotFound",
    names: ["AI_APICallError", "FaultError"],
  },
  {
    what: "the AI SDK's NoOutputGeneratedError around a FaultError",
    make: () => new NoOutputGeneratedError({ message: PRIVATE, cause: carried() }),
    code: "NotFound",
    names: ["AI_NoOutputGeneratedError", "FaultError"],
  },
  {
    what: "an AggregateError",
    make: () => new AggregateError([new Error("first"), new TypeError(PRIVATE)], `all of ${PRIVATE} failed`),
    code: null,
    names: ["AggregateError", "TypeError"],
  },
  {
    what: "an Error that holds a registered secret in message, stack and cause",
    make: () => {
      const error = new Error(`key ${SECRET} of ${PRIVATE}`, { cause: new TypeError(`no ${SECRET}`) });
      error.stack = `Error: ${SECRET}\n    at load (/srv/${SECRET}/app.js:1:2)`;
      return error;
    },
    code: null,
    names: ["Error", "TypeError"],
  },
  { what: "a string", make: () => `oh no, ${PRIVATE}`, code: null, names: ["string"] },
  { what: "undefined", make: () => undefined, code: null, names: [] },
  { what: "null", make: () => null, code: null, names: ["object"] },
  { what: "a Proxy that throws from everything", make: hostileProxy, code: null, names: ["object"] },
  {
    what: "an Error with getters that throw",
    make: () =>
      Object.defineProperties(new Error("x"), {
        message: { get: () => { throw new Error(PRIVATE); } }, // prettier-ignore
        stack: { get: () => { throw new Error(PRIVATE); } }, // prettier-ignore
        cause: { get: () => { throw new Error(PRIVATE); } }, // prettier-ignore
      }),
    code: null,
    names: ["Error"],
  },
  {
    what: "an Error that is its own cause",
    make: () => {
      const error = new Error(PRIVATE);
      error.cause = error;
      return error;
    },
    code: null,
    names: ["Error"],
  },
];

function hostileProxy(): object {
  const refuse = (): never => {
    throw new Error(PRIVATE);
  };
  return new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
  );
}
