// An incident report shows no secret, stack or path, and nothing in a journal can break out of its Markdown.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, type Entry, fault, type JournalEvent, type Locale } from "../../../src/core/index.ts";
import { recordIncident } from "../../../src/core/record/incident.ts";
import { incidentMarkdown } from "../../../src/core/record/incident-markdown.ts";
import { markdownName, markdownText, withoutPaths } from "../../../src/core/record/markdown-text.ts";
import { historyOf, PLANTED, RUN } from "./run-history.ts";
import { samples } from "../../support/grid.ts";
import { anyText } from "../../support/any-text.ts";

const HOSTILE = [
  "```\n# owned\n```",
  "| a | b |\n|---|---|",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[click](javascript:alert(1)) ![x](https://evil.example/x.png)",
  "https://evil.example www.evil.example <https://evil.example>",
  "\n\n## What you can do\n\n- pay me",
  "- item\n1. one\n> quote\n+ plus\n=====",
  "\u001b[2J\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u0000\u0008",
  "\u202egnp.exe\u2066 \u200bhidden\u2069 \u2028next",
  "*bold* _em_ ~~gone~~ $x$ `code` &lt;b&gt; \\",
  "Error: x\n    at run (/srv/app/secret-place/x.js:1:2)\n    at async file:///home/me/y.mjs:3:4",
];
const SECRET = "Tr0ub4dor-and-3-horses";
const texts = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 80 }), anyText({ maxLength: 40 }));

/** Every text that a journal entry can hold, replaced. */
function entriesWith(text: string): readonly Entry[] {
  const said = fault("ExecutionFailed", {
    message: `${text} ${SECRET}`,
    evidence: { rule: "raised", source: "process", nearly: [], excerpt: `${text}\n${SECRET}` },
  });
  const row = { layer: "file", at: text } as const;
  const story = { row, considered: [], left: [], passedOver: [], preferred: null } as const;
  const place = { node: text, execution: 1, attempt: 1 } as const;
  const payload = { kind: "Approve", prompt: `${text}${SECRET}`, tool: "", approvalKey: "" } as const;
  const question = { id: "q", session: RUN, call: "c", code: null, payload, expiresAt: null, askedAt: 0 };
  const common = { call: `${text}/1/x`, tool: text, fault: said, breaker: "closed" } as const;
  const limits = { maxParallel: 1, maxNodes: 9, timeoutMs: null, maxCostMicrocents: 0 };
  const instruction = { action: text, params: {}, by: text };
  const run = {
    workflow: text,
    version: text,
    digest: "d",
    file: "/srv/x.yaml",
    inputs: SECRET,
    start: [text],
    limits,
  };
  const events = [
    { type: "run-started", ...run, predecessor: text, inherited: null, instruction },
    { type: "session-resumed", interrupted: [text] },
    { type: "node-started", ...place, kind: "agent" },
    { type: "node-paused", ...place, why: "question", questions: [], wakeAt: null },
    { type: "node-resumed", ...place, answer: null, by: text },
    { type: "node-settled", turn: text, round: 1, node: text, status: "skipped", fault: said, because: text },
    { type: "turn-ended", turn: text, status: "failed", fault: said },
    {
      type: "call-failed",
      ...common,
      attempt: 1,
      decision: { ...story, recourse: "fallback", target: text },
      durationMs: 5,
      cost: null,
    },
    { type: "call-decided", ...common, decision: { ...story, recourse: "alternative", tool: text } },
    {
      type: "call-succeeded",
      call: `${text}/1/x`,
      tool: text,
      attempt: 2,
      durationMs: 5,
      cost: { microcents: 7, basis: "estimated" },
      errors: [],
      output: SECRET,
    },
    { type: "call-adapted", call: "c", tool: text, changes: [{ rule: text, where: text, why: text }], kept: false },
    { type: "question-asked", call: "c", question },
    { type: "question-answered", call: "c", id: "q", answer: { status: "accepted", value: SECRET }, by: text },
    { type: "run-instructed", action: text, node: text, execution: 1, key: "k", params: { text: SECRET }, by: text },
    { type: "fault-suppressed", fault: said, reason: text },
    {
      type: "node-failed",
      ...place,
      fault: said,
      outcome: "internal_error",
      resolution: "abort-workflow",
      route: null,
    },
    { type: "run-ended", status: "failed", outcome: text, node: text, fault: said },
    { type: "run-superseded", successor: text },
  ];
  return events.map((event, index) => ({
    session: RUN,
    seq: index + 1,
    at: index,
    event: event as unknown as JournalEvent,
  }));
}

const LONG = "字".repeat(1_500);

/** Where a report has long texts, and how long they are. */
function lengthsIn(value: unknown, path = ""): readonly string[] {
  if (typeof value === "string") return value.length < 40 ? [] : [`${path}: ${value.length}`];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    lengthsIn(inner, Array.isArray(value) ? path : `${path}.${key}`),
  );
}

function pageOf(entries: readonly Entry[], locale: Locale, around: string): string {
  const recorder = recordIncident(RUN, { locale, redactor: createRedactor([SECRET, PLANTED]) });
  for (const entry of entries) recorder.add(entry);
  const acted = [{ key: "other", action: around, by: around, at: 5 }];
  const actions = [{ label: around, explains: around }];
  return incidentMarkdown(recorder.incident({ now: 99, actions, questions: [around], acted }), locale);
}

/** What a Markdown reader sees as markup: without what is escaped, and without the names that the report sets as code. */
function markupIn(page: string): string {
  return page.replace(/`[\w./#:@-]+`/g, "").replace(/\\[!-/:-@[-`{-~]/g, "");
}

/** How many cells the rows of each table have. */
function cellsIn(markup: string): readonly number[] {
  return markup.split("\n\n").flatMap((part) => {
    const rows = part.split("\n").filter((line) => line.startsWith("|"));
    return rows.length === 0 ? [] : [new Set(rows.map((row) => row.split("|").length)).size];
  });
}

const LINES = /^(?:#{1,3} .*|\|(?: [^|]*\|)+|- .*| {2}- .*|[^\s#|>+=-].*|)$/u;

describe("an incident report", () => {
  it.each(["en", "zh-CN"] as const)(
    "is made of its own lines and cells only, whatever the journal holds (%s)",
    (locale) => {
      fc.assert(
        fc.property(texts, texts, (text, around) => {
          const page = pageOf(entriesWith(text), locale, around);
          const markup = markupIn(page);
          expect(page.split("\n").filter((line) => /^#{1,2} /.test(line))).toHaveLength(6);
          expect(markup.split("\n").filter((line) => !LINES.test(line))).toEqual([]);
          expect(cellsIn(markup).every((widths) => widths === 1)).toBe(true);
          expect(markup).not.toMatch(/[<>`[\]~&$]|:\/\/|\bwww\./i);
          expect(page).not.toMatch(
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/,
          );
        }),
        { numRuns: samples(75, 300) },
      );
    },
  );

  it("shows no secret, wherever it was planted", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(1_000_000), { maxLength: 40 }), (text, choices) => {
        expect(pageOf(entriesWith(`${text}${SECRET}`), "en", `${text}${SECRET}`)).not.toContain(SECRET);
        expect(pageOf(historyOf(choices), "en", PLANTED)).not.toContain(PLANTED);
      }),
      { numRuns: samples(50, 200) },
    );
  });

  it("shows every moment of a timeline, or says once in its middle how many it leaves out", () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(5), fc.integer({ min: 395, max: 405 }), fc.nat(1_000)), (count) => {
        const [started] = historyOf([]);
        if (started === undefined) throw new Error("a history begins with its start");
        const deeds = Array.from({ length: count }, (_one, index): Entry => {
          const deed = { action: "note", node: "", execution: 0, key: `k${index}`, params: {}, by: "ada" };
          return { ...started, seq: index + 2, at: index, event: { type: "run-instructed", ...deed } };
        });
        const page = pageOf([started, ...deeds], "en", "x");
        const lines = page.split("\n").filter((line) => line.startsWith("- "));
        const moments = lines.map((line) => line.startsWith("- `"));
        const leftOut = Math.max(0, count + 1 - 400);
        const shown = count + 1 - leftOut;
        const timeline = moments.slice(0, moments.lastIndexOf(true) + 1);
        expect(timeline.filter((isMoment) => isMoment)).toHaveLength(shown);
        expect(timeline.filter((isMoment) => !isMoment)).toHaveLength(leftOut > 0 ? 1 : 0);
        if (leftOut > 0) expect(timeline.indexOf(false)).toBe(200);
        if (leftOut > 0) expect(lines[200]).toContain(String(leftOut));
      }),
      { numRuns: 30 },
    );
  });

  it("cuts each text at the length of its place", () => {
    const recorder = recordIncident(RUN, { locale: "en", redactor: createRedactor([]) });
    for (const entry of entriesWith(LONG)) recorder.add(entry);
    const acted = [{ key: "other", action: LONG, by: LONG, at: 5 }];
    const { timeline, ...report } = recorder.incident({ now: 99, actions: [], questions: [LONG], acted });
    expect(lengthsIn(report)).toMatchInlineSnapshot(`
      [
        ".workflow: 100",
        ".outcome: 60",
        ".cause.said: 300",
        ".failedNode: 80",
        ".predecessor: 300",
        ".successor: 300",
        ".summary: 92",
        ".causes.fingerprint: 92",
        ".causes.where: 80",
        ".causes.said: 300",
        ".costs.target: 80",
        ".people.by: 60",
        ".people.what: 68",
        ".people.by: 60",
        ".people.what: 68",
        ".people.by: 60",
        ".people.by: 60",
        ".people.what: 68",
        ".next: 105",
        ".next: 300",
      ]
    `);
    expect(timeline.map((moment) => lengthsIn(moment).join(" "))).toMatchInlineSnapshot(`
      [
        ".what: 96 .more: 93 .more: 134",
        ".more: 116",
        ".who: 80",
        ".who: 80",
        ".who: 80 .what: 75",
        ".who: 80 .more: 69",
        ".what: 98",
        ".who: 80 .what: 57 .more: 300 .more: 302",
        ".who: 80 .what: 57 .more: 300 .more: 302",
        ".who: 80 .what: 58",
        ".who: 80 .more: 300",
        ".more: 300",
        ".who: 80",
        ".who: 80 .what: 134",
        ".more: 300 .more: 300",
        ".who: 80 .what: 50 .more: 300",
        ".what: 83",
        ".what: 93",
      ]
    `);
  });

  // prettier-ignore
  it.each([
    ["ENOENT: no such file '/srv/app/x.ts'",            "ENOENT: no such file '[path]'"],
    ["in C:\\Users\\me\\x.ts: bad",                     "in [path] bad"],
    ["see file:///home/me/x.mjs",                       "see [path]"],
    ["~/.ssh/id_rsa is not readable",                   "[path] is not readable"],
    ["POST https://api.example/v1/chat said 404 n/a",   "POST https://api.example/v1/chat said 404 n/a"],
    ["boom\n    at run (/srv/x.js:1:2)\n    at <anonymous>", "boom\n\n"],
  ])("takes machine paths and stacks out of %j", (text, expected) => {
    expect(withoutPaths(text)).toBe(expected);
  });

  it("keeps ordinary words readable", () => {
    expect(markdownText("rate_limit_exceeded: try again in 1.4 s (attempt 2 of 6)")).toBe(
      "rate_limit_exceeded: try again in 1.4 s (attempt 2 of 6)",
    );
    expect(markdownText("- 1. x | y")).toBe(String.raw`\- 1. x \| y`);
    expect(markdownName("west/gpt-5")).toBe("`west/gpt-5`");
    expect(markdownName("a`b")).toBe("a\\`b");
  });
});
