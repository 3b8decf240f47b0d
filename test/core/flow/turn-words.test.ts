// What the user of a turn reads about missing results.

import { describe, expect, it } from "vitest";
import { fault, FAULT_CODES, LOCALES, traitsOf, type FaultCode } from "../../../src/core/index.ts";
import type { NodeStatus } from "../../../src/core/flow/round.ts";
import { describeTurn, type Settlement } from "../../../src/core/flow/turn-words.ts";

const done = (label: string): Settlement => ({ label, status: "done", fault: null, because: "" });
const missing = (label: string, status: NodeStatus, code: FaultCode, because = ""): Settlement => ({
  label,
  status,
  fault: fault(code, { message: "token sk-live-0123456789abcdef rejected at /srv/app.js" }),
  because,
});

/** Codes with a sentence of their own, instead of that of their cause. */
const OWN_REASON: ReadonlySet<FaultCode> = new Set<FaultCode>([
  ...(["Provider5xx", "QueueFull", "NetworkDisconnect", "AnswerUnreadable", "TlsUntrusted"] as const),
  ...(["KeyMissing", "SessionLost", "EmptyOutput", "AssertFailed", "ToolLoop"] as const),
]);

describe("a turn that is not complete", () => {
  it("says what was completed, what is missing and why", () => {
    const settlements = [
      done("flight search"),
      missing("car rental", "skipped", "ExecutionTimeout", "hotel search"),
      missing("hotel search", "failed", "ExecutionTimeout"),
    ];
    expect(describeTurn(settlements, null, "en")).toBe(
      "Completed flight search; hotel search timed out; car rental was left out because it needs hotel search.",
    );
    expect(
      describeTurn(
        [
          done("航班搜索"),
          missing("酒店搜索", "failed", "ExecutionTimeout"),
          missing("租车", "failed", "ExecutionTimeout", "酒店搜索"),
        ],
        null,
        "zh-CN",
      ),
    ).toBe("已完成航班搜索；酒店搜索超时；租车未执行，因为它依赖酒店搜索。");
  });

  it("says what replaces a result, and what is partial", () => {
    const settlements = [
      missing("hotel search", "partial", "TurnTimeout"),
      missing("price lookup", "defaulted", "RateLimited"),
      missing("map", "defaulted", "RateLimited", "price lookup"),
    ];
    expect(describeTurn(settlements, null, "en")).toBe(
      "Nothing was completed; hotel search timed out, so only part of it is available; price lookup was slowed down by too many requests, so a default value is used; map has a default value because it needs price lookup.",
    );
    expect(describeTurn(settlements, null, "zh-CN")).toContain("map 使用了默认值，因为它依赖 price lookup");
  });

  it("says nothing when all is there", () => {
    for (const locale of LOCALES) {
      expect(describeTurn([], null, locale)).toBe("");
      expect(describeTurn([done("a"), done("b")], null, locale)).toBe("");
    }
  });

  it.each([
    [6, "1 other step is missing too.", "另有 1 项未完成。"],
    [500, "495 other steps are missing too.", "另有 495 项未完成。"],
  ])("of %s missing steps names five and counts the others, causes first", (count, en, zh) => {
    const others = Array.from({ length: count - 1 }, (_, index) => missing(`s${index}`, "skipped", "NotFound", "root"));
    const settlements = [...others, missing("root", "failed", "NotFound")];
    const text = describeTurn(settlements, null, "en");
    expect(text.startsWith("Nothing was completed; root failed; s0 was left out")).toBe(true);
    expect(text.split("; ")).toHaveLength(7);
    expect(text.endsWith(en)).toBe(true);
    expect(describeTurn(settlements, null, "zh-CN").endsWith(zh)).toBe(true);
  });

  it("counts what was completed too", () => {
    const many = [
      ...Array.from({ length: 12 }, (_, index) => done(`s${index}`)),
      missing("x", "failed", "ExecutionTimeout"),
    ];
    expect(describeTurn(many, null, "en")).toBe("Completed s0, s1, s2, s3, s4 and 7 more; x timed out.");
    expect(describeTurn(many, null, "zh-CN")).toBe("已完成 s0、s1、s2、s3、s4 等 12 项；x 超时。");
  });

  it.each(LOCALES)("has words in %s for every fault, by what caused it, and says nothing of its message", (locale) => {
    const saidOf = new Map<string, string>();
    for (const code of FAULT_CODES) {
      const text = describeTurn([missing("X", "failed", code)], null, locale);
      expect(text).not.toMatch(/sk-live|srv|undefined|token/);
      const { cause } = traitsOf(code);
      const about = OWN_REASON.has(code) ? code : cause;
      expect(saidOf.get(about) ?? text).toBe(text);
      saidOf.set(about, text);
    }
    expect(new Set(saidOf.values()).size).toBe(saidOf.size);
  });

  it.each<[FaultCode, string]>([
    ["Provider5xx", "write failed because of an error on the server."],
    ["AssertFailed", "write gave a result that its own check refused."],
    ["KeyMissing", "write had no key or sign-in."],
    ["Overloaded", "write was too busy."],
  ])("says of %s nothing that is true only of others with the same cause", (code, text) => {
    expect(describeTurn([missing("write", "failed", code)], null, "en")).toBe(`Nothing was completed; ${text}`);
  });

  it("shows a label as one short line without secrets", () => {
    const text = describeTurn(
      [missing("y", "failed", "NotFound"), done(`look\n up\t with sk-${"a1B2".repeat(10)} ${"x".repeat(500)}`)],
      null,
      "en",
    );
    expect(text).not.toContain("a1B2");
    expect(text).not.toMatch(/[\n\t]/);
    expect(text.length).toBeLessThan(110);
  });

  it("says what it can of a code of a newer program", () => {
    const newer = { ...fault("NotFound"), code: "Haunted" as FaultCode };
    expect(describeTurn([{ label: "a", status: "failed", fault: newer, because: "" }], null, "en")).toBe(
      "Nothing was completed; a failed for an unknown reason.",
    );
  });

  it("says what it can when the reason is unknown", () => {
    const untold = (["partial", "defaulted", "skipped", "cancelled"] as const).map((status): Settlement => ({
      label: status,
      status,
      fault: null,
      because: "",
    }));
    expect(describeTurn(untold, null, "en")).toBe(
      "Nothing was completed; only part of partial is available; a default value is used for defaulted; skipped was left out; cancelled was cancelled.",
    );
    expect(describeTurn(untold, null, "zh-CN")).toBe(
      "没有步骤完成；partial 只有部分结果；defaulted 使用了默认值；skipped 未执行；cancelled 已取消。",
    );
  });
});
