// What people read about decisions of a gateway: the recourse in a word, and the targets in an error.

import { expect, it } from "vitest";
import { fault } from "../../src/core/index.ts";
import { errorWords } from "../../src/gateway/dialect/error-words.ts";
import { gatewayRecourse } from "../../src/gateway/ledger/recourse-word.ts";

it("says that an error went to the client, not to a model", () => {
  expect([gatewayRecourse("surface", "en"), gatewayRecourse("surface", "zh-CN")]).toEqual([
    "told the client",
    "交给客户端",
  ]);
  expect(gatewayRecourse("retry", "zh-CN")).toBe("重试");
});

it("names a target that was not asked as such, and of one that was, the last failure of its own", () => {
  const met = (target: string, attempt: number, code: string) => ({ target, attempt, code, recourse: "fallback" });
  const decisions = [met("a/m", 1, "Overloaded"), met("a/m", 0, "CircuitOpen"), met("b/m", 0, "CircuitOpen")];
  const { message } = errorWords(fault("CircuitOpen"), "call_1", decisions);
  expect(message).toMatch(/; tried a\/m \(Overloaded\), then b\/m \(CircuitOpen, not asked\)$/);
});
