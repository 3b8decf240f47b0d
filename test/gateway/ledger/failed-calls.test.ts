// What the journal keeps of a failure of a gateway's call.

import { expect, it } from "vitest";
import { type Fault, fault, FaultError, originOf } from "../../../src/core/fault/fault.ts";
import { classify } from "../../../src/core/classify/classify.ts";
import { plainFault } from "../../../src/gateway/ledger/failed-calls.ts";

const finding = (): Fault => fault("NetworkTimeout", { message: "no response began within 1000 ms" });

it.each([
  {
    what: "what the gateway measured",
    seen: () => classify({ surface: "http", error: new FaultError(finding()) }),
    says: finding().message,
  },
  {
    what: "what a target said",
    seen: () => classify({ surface: "http", status: 503, error: new Error("you said: north") }),
    says: "Service overloaded (503)",
  },
])("keeps of $what neither stacks nor words of a target", ({ seen, says }) => {
  const met = seen();
  expect(originOf(met)?.thrown.length).toBeGreaterThan(0);
  const kept = plainFault(met);
  expect(kept.message).toBe(says);
  expect(JSON.stringify(kept)).not.toMatch(/north|at .*:\d+:\d+/u);
  expect(originOf(kept)?.thrown).toEqual([]);
});
