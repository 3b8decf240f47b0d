// What is read from evidence at the boundaries of each field and each limit, as files say that were reviewed. A change that is meant shows as
// a difference of these files (`npx vitest run test/core/classify/reviewed.test.ts -u` writes them again).

import { describe, expect, it } from "vitest";
import type { Evidence } from "../../../src/core/classify/evidence.ts";
import { hasPlenty, readPace } from "../../../src/core/classify/limits.ts";
import { createHeaderReader, readSignals } from "../../../src/core/classify/read-evidence.ts";
import { createPhraseBook, normalise, readTexts } from "../../../src/core/classify/read-text.ts";
import { durationInWords, parseClockTime, parseDuration } from "../../../src/core/classify/timing.ts";

const NOW = Date.parse("2026-11-15T20:16:00Z");

/** A long text by its length and its end. */
function short(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 20)}…${text.slice(-20)} (${text.length})`;
}

function shown(_key: string, value: unknown): unknown {
  if (value instanceof Set) return [...value].map(String).map(short);
  if (value instanceof Map) return shown("", Object.fromEntries(value));
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (typeof value === "string") return short(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return [value.name, value.message, Object.fromEntries(Object.entries(value))];
  const many = Object.entries(value);
  return many.length > 40 ? `${many.length} entries, the last is ${short(JSON.stringify(many.at(-1)))}` : value;
}

/** The signals that differ from those of no evidence. */
function signalsOf(evidence: Partial<Evidence>): string {
  const signals = readSignals({ surface: "http", ...evidence });
  readTexts(signals);
  const none = Object.entries(readSignals({ surface: "http" }));
  const plain = new Map(none.map(([field, value]) => [field, JSON.stringify(value, shown)]));
  const found = Object.entries(signals).filter(([field, value]) => JSON.stringify(value, shown) !== plain.get(field));
  return JSON.stringify(Object.fromEntries(found), shown);
}

const x = (count: number): string => "x".repeat(count);
const nested = (depth: number): unknown => (depth === 0 ? { code: "deep_code" } : { inner: nested(depth - 1) });
const keys = (count: number): unknown =>
  Object.fromEntries([...Array.from({ length: count - 1 }, (_, at) => [`k${at}`, 0]), ["code", "last_key"]]);
const named = (name: string, fields: object = {}): Error => Object.assign(new Error("words"), { name }, fields);

const EVIDENCE: readonly Partial<Evidence>[] = [
  ...[99, 100, 199, 200, 299, 300, 399, 400, 401, 599, 600, 429.5, "429", "4290", "x"].map((status) => ({
    status: status as number,
  })),
  ...[200, 299, 300].map((status) => ({ status, body: "" })),
  { status: 200, body: null },
  { surface: "schema", body: null },
  { surface: "schema", body: "", message: "words" },
  ...[true, false, "session", "turn", "tool", "other"].map((aborted) => ({
    aborted: aborted as boolean,
    code: "later",
  })),
  ...[0, 1, 125, 126, 127, 128].map((exitCode) => ({ exitCode })),
  ...["sigterm", "SIGKILL", "KILL", "SIGX"].map((signal) => ({ signal })),
  ...[0, NOW, NaN, "x"].map((observedAt) => ({ observedAt: observedAt as number })),
  ...["ECONNRESET", "E", "econnreset", "429", "42", "4290", "399", "some_code", x(80), x(81)].map((code) => ({ code })),
  { stopReason: "MAX_TOKENS" },
  ...[400, 399, 599, 600, -32_000, -31_999, -32_768, -32_769, "ENOENT", "overloaded_error"].map((code) => ({
    body: { code },
  })),
  ...[400, 500, "503", "UNAVAILABLE", true].map((status) => ({ body: { status } })),
  { status: 400, body: { status: 500 } },
  { status: 399, body: { status: 500 } },
  { body: { code: -32_001, error: { code: -32_002 } } },
  { body: { quotaValue: "0" } },
  { body: { quotaValue: 0 } },
  { body: { quotaValue: 1 } },
  ...["PerDayPerProject", "PerMinutePerProjectPerModel", "per_user_daily", "per_base_model", "other"].map(
    (quotaId) => ({ body: { quotaId } }),
  ),
  { body: { signal: "SIGTERM" } },
  { signal: "SIGKILL", body: { signal: "SIGTERM", exitCode: 3 } },
  { exitCode: 1, body: { exitCode: 3 } },
  ...["no", "", 1].map((refusal) => ({ body: { refusal } })),
  ...[0, 1, 2, 3].map((count) => ({ body: { permission_denials: Array.from({ length: count }, () => ({})) } })),
  { body: { choices: [], output: [], other: [] } },
  { body: { choices: [1], output: "text of the model" } },
  ...["", "overloaded", "two words", {}, 7, null].map((error) => ({ body: { error } })),
  { body: { content: "of the model" } },
  { body: { content: "of the tool", is_error: true } },
  { body: { content: [{ text: "of the tool" }], isError: true } },
  { body: { result: { is_error: true, text: "inner" } } },
  { body: { name: "tool_name", type: "tool_use" } },
  { body: { name: "tool_name", type: "function" } },
  { body: { name: "an_error", type: "error" } },
  { body: { errorMessage: "words", other: "not read", warning_message: "more words" } },
  { body: { reason: "rate_limited", detail: "words" } },
  { body: { reason: x(80) } },
  { body: { reason: x(81) } },
  { body: { type: x(80) } },
  { body: { type: x(81) } },
  { body: { retry_after: 5, resets_at: "soon", reset_time: null, estimated_time: {} } },
  { body: { headers: { a: "1" } } },
  { headers: { b: "2" }, body: { headers: { a: "1" } } },
  { body: { input: { code: "not_read" }, usage: { code: "not_read" } } },
  { body: { failed_generation: "x", syscall: "spawn node", syscalls: "spawn" } },
  { body: { syscall: "read" } },
  // Depth, items, keys.
  ...[15, 16, 17].map((depth) => ({ body: nested(depth) })),
  ...[15, 16].map((depth) => ({ error: nested(depth) })),
  ...[12, 13].map((depth) => ({ message: JSON.stringify(nested(depth)) })),
  ...[15, 16].map((count) => ({ body: [...Array.from({ length: count }, () => 0), { code: "in_list" }] })),
  ...[128, 129].map((count) => ({ body: keys(count) })),
  // Texts.
  ...[16, 17].map((count) => ({
    body: Array.from({ length: 2 }, (_, list) =>
      Array.from({ length: count / 2 + 1 }, (_v, at) => ({ message: `words ${list} ${at}` })),
    ),
  })),
  { body: { message: "same" }, message: "same" },
  ...[
    "",
    " ",
    "{}",
    '"words"',
    '"{\\"code\\":\\"inner_code\\"}"',
    "[1",
    '[{"code":"listed"}]',
    "{broken",
    "null",
    "7",
  ].map((message) => ({ message })),
  ...[
    "<html>",
    "<!DOCTYPE HTML>",
    `${" ".repeat(64)}<html>`,
    `${" ".repeat(65)}<html>`,
    "a<html>",
    "z <html>",
    "Z",
    "<p>",
  ].map((body) => ({ body })),
  ...[262_144, 262_145].map((length) => ({ message: `{"code":"of_json"${" ".repeat(length - 18)}}` })),
  ...[65_535, 65_536, 65_537].map((length) => ({ message: `a${x(49_151)}b${x(length - 49_155)}yz` })),
  ...[65_536, 65_537].map((length) => ({ body: new TextEncoder().encode(`${x(length - 1)}z`) })),
  { body: new String("words") },
  { message: 'data: {"code":"first"}\n\ndata: {"code":"second"}\n\nevent: x\ndata: [DONE]' },
  { message: 'event: error\ndata: {"error":{"type":"cut' },
  { message: 'event: other\ndata: {"type":"cut' },
  ...[63, 64].map((count) => ({ message: `${"data: 1\n\n".repeat(count)}data: {"code":"late"}` })),
  // Errors.
  { error: named("TimeoutError") },
  { error: named("Error", { code: "ENOENT", cause: named("Inner", { status: 503 }) }) },
  { error: named("Error", { cmd: "node x", code: 3 }) },
  { error: named("Error", { code: 3 }) },
  { error: named("Error", { cmd: 1, code: 4 }) },
  { error: new AggregateError([named("One", { code: "E1" }), named("Two", { code: "E2" })], "all") },
  { error: "words" },
  { error: { name: "NotAnError", message: "words", cause: { code: "inner_cause" } } },
  { error: null, body: undefined },
  // What texts say.
  ...[
    "type: overloaded_error, code=429, finish_reason: LENGTH, reason: quota, terminal_reason: tired",
    'retryDelay: "34s" resets_at=17 quotaId: "PerDay" status: 503',
    "no pairs here",
    "code: 99 code: 100 code: 4000",
    "HTTP 429",
    "HTTP 429 and HTTP 500",
    "exit 429",
    "429 Too Many Requests",
    "(503) failed",
    "failed (503)",
    "Limit 7000, Used 0, Requested 7000",
    "Limit 7000, Used 0, Requested 7001",
    "Limit 7000, Used 0, requested 9000",
    "error: -32601",
    "error code: -32601 then code: -32602",
    "-32601",
    "[unavailable] Error",
    "[abc] [abcd]",
    "no brackets unavailable",
    "ECONNRESET context_length_exceeded ThrottlingException AbortError _x plain Plain PLAIN1 a1 A1",
    "/ECONNRESET -ECONNRESET .ECONNRESET",
    "ECONNRESET",
    "x/some_error some_error",
    "Zz_zz aZ zA z9_ `code_a` {code_b} @CODE_C [CODE_D]",
  ].map((message) => ({ message })),
  ...[8_191, 8_192, 8_193].flatMap((end) =>
    ["HTTP 429", "Limit 1, Requested 2", "error: -32601", "[unavailable]"].map((said) => ({
      message: said.padStart(end, " "),
    })),
  ),
  ...[199, 200, 201].flatMap((count) => [
    { message: `${"type: a, ".repeat(count - 1)}type: lastpair` },
    { message: `${"ABC ".repeat(count - 1)}LAST_WORD` },
  ]),
  { status: 399, message: "HTTP 500" },
  { status: 400, message: "HTTP 500" },
];

const HEADERS: readonly unknown[] = [
  { a: "1" },
  { A: "2" },
  { A: ["3", "4"] },
  { a: 5 },
  { a: true },
  { a: x(1_024) },
  { a: x(1_025) },
  new Map([["A", "6"]]),
  new Headers({ a: "7" }),
  [["A", "8"]],
  ["B", "9", "A", "10"],
  ["A"],
  new String("a"),
  null,
  "a",
  { get: () => "no Headers", a: "11" },
  ...[255, 256].flatMap((count) => {
    const others = Array.from({ length: count }, (_, at) => [`H${at}`, "x"] as const);
    return [new Map([...others, ["A", "late"]]), [...others, ["A", "late"]], [...others.flat(), "A", "late"]];
  }),
];

const LIMITS = ["0", "1", "9", "10", "11", "-1", " ", "many", undefined];
const RESETS = [
  "1s",
  "0",
  "1",
  "120",
  "120.001",
  "120s",
  "2m1s",
  " ",
  "soon",
  String(NOW / 1_000 + 5),
  String(NOW + 5_000),
  String(NOW),
  String(NOW / 1_000),
  new Date(NOW + 5_000).toISOString(),
  new Date(NOW).toISOString(),
  undefined,
];

function headersOf(remaining: string | undefined, limit: string | undefined, reset: string | undefined): object {
  const named = { remaining, limit, reset };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [`x-ratelimit-${name}-requests`, value]));
}

const BOOK = ["rate limit", "rate limit*", "limit", "time*", "日本", "a b", "é", "over", "overload", "load*", "oa"];
const TEXTS = [
  "rate limit",
  "rate limits",
  "rate limited, limit",
  "prelimit limit",
  "limit1 1limit",
  "limità",
  "limit。",
  "timeout times",
  "time",
  "日本語 x日本",
  "a b a b",
  "é éa aé",
  "overload overloaded loader oad oa",
  "limitz limita limit{ limit` zlimit alimit {limit `limit",
  "limit0 limit9 limit: limit/ 0limit 9limit :limit /limit",
  "limitß limitÞ limitɏ limitɐ",
  "not your limit",
  "not a rate limit",
  "not-your limit",
  "knot your limit",
  "not your  limit",
  "not yourlimit",
  "it is a limit",
  "limit ".repeat(8),
  "limit ".repeat(9),
  "limit ".repeat(20),
];

const page = (rows: readonly (readonly [unknown, unknown])[]): string =>
  `${rows.map(([given, found]) => `${JSON.stringify(given, shown)}\n  ${typeof found === "string" ? found : JSON.stringify(found)}`).join("\n")}\n`;

describe("as the file says that was reviewed", () => {
  it("signals are read from evidence", async () => {
    const rows = EVIDENCE.map((evidence) => [evidence, signalsOf(evidence)] as const);
    await expect(page(rows)).toMatchFileSnapshot("reviewed/signals.txt");
  });

  it("headers are read from whatever holds them", async () => {
    const rows = HEADERS.map((headers) => [headers, short(String(createHeaderReader(headers)?.("a")))] as const);
    await expect(page(rows)).toMatchFileSnapshot("reviewed/headers.txt");
  });

  it("a pace is read from limits", async () => {
    const told = (headers: object): string => JSON.stringify([hasPlenty(headers), readPace(headers, NOW)]);
    const rows = [
      ...LIMITS.flatMap((remaining) => ["100", "0", undefined].map((limit) => headersOf(remaining, limit, "30s"))),
      ...RESETS.flatMap((reset) => ["0", "1"].map((remaining) => headersOf(remaining, "100", reset))),
    ].map((headers) => [headers, told(headers)] as const);
    await expect(page(rows)).toMatchFileSnapshot("reviewed/paces.txt");
  });

  it("times are read from words", async () => {
    const durations = [
      "1ms",
      "1.5s",
      "2m",
      "3h",
      "4d",
      "5w",
      "6 msecs",
      "7 milliseconds",
      "1h2m3.4s",
      "1 day, 2 hours and 3 minutes",
      "1",
      "s",
      "",
      " 1s ",
      `1s${" ".repeat(78)}`,
      `1s${" ".repeat(79)}`,
    ];
    const sentences = [
      ...[
        "in 5s",
        "try again in 5s",
        "retry after 1.5 minutes",
        "请在 30 秒后重试",
        "5分钟后再试",
        "2小时后重试",
        "3天后再试",
        "4分后重试",
        "9毫秒后重试",
        "Retry-After: 30",
        "retry-after: 30%",
      ],
      ...[16_383, 16_384, 16_385].map((end) => "try again in 5s".padStart(end)),
    ];
    const clocks = [
      ...[
        "resets 9:16pm (UTC)",
        "resets 8:16pm (UTC)",
        "resets 8:15pm (UTC)",
        "resets 8:17pm (UTC)",
        "resets 12am (UTC)",
        "resets 12pm (UTC)",
        "resets 12:30am (UTC)",
        "resets 12:30pm (UTC)",
        "resets 5pm (Nowhere/Land)",
      ],
      ...[
        "resets Nov 20, 9am (UTC)",
        "resets Nov 10, 9am (UTC)",
        "resets Nov 10, 2026, 9am (UTC)",
        "resets Nov 10, 2027, 9am (UTC)",
        "resets Nix 10, 9am (UTC)",
        "resets 5pm (Europe/Berlin)",
        "resets Mar 29, 2:30am (Europe/Berlin)",
        "resets Oct 25, 2:30am (Europe/Berlin)",
        "resets 1am (Pacific/Kiritimati)",
      ],
      ...["access on 2026-06-01 at 00:00 UTC", "access on 2026-12-31T23:59:30Z", "access on 2026-06-01"],
      ...[16_384, 16_385].map((end) => "resets 9:16pm (UTC)".padStart(end)),
    ];
    const at = (text: string): string => tryIso(parseClockTime(text, NOW));
    await expect(
      page([
        ...durations.map((text) => [text, String(parseDuration(text))] as const),
        ...sentences.map((text) => [text, String(durationInWords(text))] as const),
        ...clocks.map((text) => [text, at(text)] as const),
        ["without a day", tryIso(parseClockTime("resets 9pm (UTC)", undefined))],
      ]),
    ).toMatchFileSnapshot("reviewed/times.txt");
  });

  it("phrases are found in texts", async () => {
    const book = createPhraseBook(BOOK);
    const found = (text: string): string =>
      JSON.stringify([...book.find(text)].map(([id, ends]) => [book.phraseOf(id), ...ends]));
    await expect(page(TEXTS.map((text) => [text, found(text)] as const))).toMatchFileSnapshot("reviewed/phrases.txt");
    expect([...BOOK, "none"].map(book.idOf)).toEqual([...BOOK.keys(), -1]);
    expect(normalise('A_b-c  "D"\\n see HTTPS://x.y/Z?q src/Auth.ts:12 it’s')).toBe("a b c d see it's");
  });
});

function tryIso(at: number): string {
  return Number.isNaN(at) ? "NaN" : new Date(at).toISOString();
}
