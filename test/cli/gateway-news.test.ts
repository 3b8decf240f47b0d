// What `faultline gateway` prints about targets that fail: the same failure once a minute, with what was done about it.

import { expect, it } from "vitest";
import { decisionTeller } from "../../src/cli/gateway/gateway-news.ts";
import type { Io } from "../../src/cli/io.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";

function teller(locale: "en" | "zh-CN", json = false) {
  const said: string[] = [];
  const clock = createFakeClock();
  const stderr = { isTTY: false, columns: 80, write: (text: unknown) => Promise.resolve(void said.push(String(text))) };
  const tell = decisionTeller({ clock, stderr } as unknown as Io, { json, locale, color: "never" });
  return { said, clock, tell };
}

const REFUSED = { target: "us/gpt-5", attempt: 1, code: "AuthFailed", recourse: "fallback" };

it.each([
  { locale: "en", line: /^us\/gpt-5: .+ \(AuthFailed\) → .+\n$/ },
  { locale: "zh-CN", line: /^us\/gpt-5：鉴权失败（AuthFailed） ?→ .+\n$/ },
] as const)("names the target, the failure and what was done ($locale)", ({ locale, line }) => {
  const { said, tell } = teller(locale);
  tell(REFUSED);
  expect(said).toEqual([expect.stringMatching(line)]);
});

it("tells the same failure of the same target once a minute, and another one at once", async () => {
  const { said, clock, tell } = teller("en");
  for (let call = 0; call < 100; call++) tell(REFUSED);
  tell({ ...REFUSED, target: "eu/gpt-5" });
  tell({ ...REFUSED, code: "RateLimited", recourse: "retry" });
  tell({ ...REFUSED, code: null, recourse: "hedge" });
  expect(said).toHaveLength(4);
  await clock.advance(60_000);
  tell(REFUSED);
  expect(said).toHaveLength(5);
});

it("is one JSON document per line with --json", () => {
  const { said, tell } = teller("en", true);
  tell(REFUSED);
  expect(JSON.parse(said.join(""))).toEqual({ targetFailed: REFUSED });
});
