// What `faultline gateway` prints about targets that fail (the same failure once a minute, with what was done about it) and about a journal
// that cannot be written.

import { expect, it } from "vitest";
import { breakerPrinter, decisionPrinter, journalPrinter } from "../../src/cli/gateway/gateway-news.ts";
import type { Cli } from "../../src/cli/cli.ts";
import { fault } from "../../src/core/index.ts";
import type { JournalNews } from "../../src/gateway/ledger/write-trouble.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";

function teller(locale: "en" | "zh-CN", json = false, isTTY = false) {
  const said: string[] = [];
  const clock = createFakeClock();
  const stderr = { isTTY, columns: 80, write: (text: unknown) => Promise.resolve(void said.push(String(text))) };
  const tell = decisionPrinter({ clock, stderr, json, locale } as unknown as Cli);
  return { said, clock, tell };
}

const REFUSED = { target: "us/gpt-5", attempt: 1, code: "AuthFailed", recourse: "fallback" };

it.each([
  { locale: "en", line: /^1970-01-01 00:00:00 UTC {2}us\/gpt-5: .+ \(AuthFailed\) → .+\n$/ },
  { locale: "zh-CN", line: /^1970-01-01 00:00:00 UTC {2}us\/gpt-5：鉴权失败（AuthFailed） ?→ .+\n$/ },
] as const)("names the target, the failure and what was done ($locale)", ({ locale, line }) => {
  const { said, tell } = teller(locale);
  tell(REFUSED, null);
  expect(said).toEqual([expect.stringMatching(line)]);
});

it.each([
  { locale: "en", line: "us/gpt-5: Connection lost (NetworkDisconnect): connect ECONNREFUSED 10.0.0.9:443 → retried" },
  { locale: "zh-CN", line: "us/gpt-5：网络断流（NetworkDisconnect）：connect ECONNREFUSED 10.0.0.9:443 → 重试" },
] as const)("says what this machine saw of a broken connection, on one line ($locale)", ({ locale, line }) => {
  const { said, tell } = teller(locale);
  tell({ ...REFUSED, code: "NetworkDisconnect", recourse: "retry" }, "connect ECONNREFUSED\n10.0.0.9:443");
  expect(said).toEqual([`1970-01-01 00:00:00 UTC  ${line}\n`]);
});

it("breaks a line between words on a terminal, and indents the rest", () => {
  const { said, tell } = teller("en", false, true);
  tell({ ...REFUSED, code: "NetworkDisconnect", recourse: "retry" }, "connect ECONNREFUSED 10.0.0.9:443");
  expect(said).toEqual([
    "1970-01-01 00:00:00 UTC  us/gpt-5: Connection lost (NetworkDisconnect):\n  connect ECONNREFUSED 10.0.0.9:443 → retried\n",
  ]);
});

it("tells the same failure of the same target once a minute, and another one at once", async () => {
  const { said, clock, tell } = teller("en");
  for (let call = 0; call < 100; call++) tell(REFUSED, null);
  tell({ ...REFUSED, target: "eu/gpt-5" }, null);
  tell({ ...REFUSED, code: "RateLimited", recourse: "retry" }, null);
  tell({ ...REFUSED, code: null, recourse: "hedge" }, null);
  expect(said).toHaveLength(4);
  await clock.advance(60_000);
  tell(REFUSED, null);
  expect(said).toHaveLength(5);
});

it("is one JSON document per line with --json", () => {
  const { said, tell } = teller("en", true);
  tell(REFUSED, null);
  expect(JSON.parse(said.join(""))).toEqual({ targetFailed: { at: 0, ...REFUSED } });
  said.length = 0;
  tell({ ...REFUSED, target: "eu" }, "read ECONNRESET");
  expect(JSON.parse(said.join(""))).toEqual({
    targetFailed: { at: 0, ...REFUSED, target: "eu", detail: "read ECONNRESET" },
  });
});

const OPENED = { at: 0, target: "us/gpt-5", key: "api|acct|gpt-5", code: "Overloaded", until: 30_000 } as const;

it.each([
  {
    locale: "en",
    says: "us/gpt-5: breaker opened after Service overloaded (Overloaded); calls pass it over until 1970-01-01 00:00:30 UTC, then one tries it",
  },
  {
    locale: "zh-CN",
    says: "us/gpt-5：已熔断，原因是服务过载（Overloaded）；1970-01-01 00:00:30 UTC 之前的调用跳过它，之后由一个调用试探",
  },
] as const)("tells that a breaker opened, why and until when ($locale)", ({ locale, says }) => {
  const said: string[] = [];
  const stderr = { isTTY: false, columns: 80, write: (text: unknown) => Promise.resolve(void said.push(String(text))) };
  const cli = { clock: createFakeClock(), stderr, locale } as unknown as Cli;
  breakerPrinter({ ...cli, json: false })(OPENED);
  breakerPrinter({ ...cli, json: true })(OPENED);
  expect(said).toEqual([`1970-01-01 00:00:00 UTC  ${says}\n`, `${JSON.stringify({ breakerOpened: OPENED })}\n`]);
});

/** What was said about these news, in their order. */
function journalSaid(locale: "en" | "zh-CN", json: boolean, news: readonly JournalNews[]): readonly string[] {
  const said: string[] = [];
  const stderr = { isTTY: false, columns: 80, write: (text: unknown) => Promise.resolve(void said.push(String(text))) };
  const clock = createFakeClock();
  const tell = journalPrinter({ clock, stderr, json, locale } as unknown as Cli);
  for (const one of news) tell(one);
  return said;
}

const FULL = fault("StoreUnavailable", { message: "database or disk is full" });

function unwritten(at: number, since: number): JournalNews {
  return { state: "unwritten", at, since, fault: FULL, lines: 3, lostLines: 0 };
}

function written(at: number, since: number): JournalNews {
  return { state: "written", at, since, lostLines: 2 };
}

it.each([
  {
    locale: "en",
    json: false,
    lines: [
      "1970-01-01 00:00:00 UTC  The journal cannot be written (database or disk is full). The gateway keeps answering, and budgets go by what it knows itself. Lines of the ledger that wait in memory: 3; lost: 0.\n",
      "1970-01-01 00:00:00 UTC  The journal can be written again, after 12 s. Lost lines of the ledger: 2.\n",
    ],
  },
  {
    locale: "zh-CN",
    json: false,
    lines: [
      "1970-01-01 00:00:00 UTC  日志无法写入（database or disk is full）。网关继续应答，预算只按本网关已知的花费计算。内存中等待写入的账目行数：3；丢失的行数：0。\n",
      "1970-01-01 00:00:00 UTC  日志恢复写入，中断了 12 秒。丢失的账目行数：2。\n",
    ],
  },
  {
    locale: "en",
    json: true,
    lines: [
      expect.stringMatching(
        /^\{"journalUnwritten":\{"since":0,"at":0,"lines":3,"lostLines":0,"fault":\{.*disk is full.*\}\n$/,
      ),
      '{"journalWritten":{"since":0,"at":12000,"lostLines":2}}\n',
    ],
  },
] as const)(
  "tells when the journal cannot be written, and its end ($locale, JSON: $json)",
  ({ locale, json, lines }) => {
    expect(journalSaid(locale, json, [unwritten(0, 0), unwritten(2_000, 0), written(12_000, 0)])).toEqual(lines);
  },
);

it("repeats a trouble of the journal once a minute, and tells no end of one that it has not told", () => {
  const every2s = Array.from({ length: 91 }, (_none, index) => unwritten(index * 2_000, 0));
  const again = [
    written(181_000, 0),
    unwritten(182_000, 182_000),
    written(183_000, 182_000),
    unwritten(400_000, 400_000),
  ];
  const said = journalSaid("en", false, [...every2s, ...again]).map((line) =>
    line.slice(line.indexOf("The"), line.indexOf(".")),
  );
  expect(said).toEqual([
    "The journal cannot be written (database or disk is full)",
    "The journal could not be written for 1 min (database or disk is full)",
    "The journal could not be written for 2 min (database or disk is full)",
    "The journal could not be written for 3 min (database or disk is full)",
    "The journal can be written again, after 3 min 1 s",
    "The journal cannot be written (database or disk is full)",
  ]);
});
