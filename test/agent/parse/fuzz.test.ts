// No output of any process, however broken, foreign or long, makes a parser or the verdict throw.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENT_KINDS } from "../../../src/agent/parse/agent-state.ts";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { verdictOn } from "../../../src/agent/verdict/verdict.ts";
import { FAULT_CODES } from "../../../src/core/index.ts";
import { CAPTURES } from "../captures/read-captures.ts";
import { samples } from "../../support/grid.ts";
import { anyText } from "../../support/any-text.ts";

const REAL_LINES = [
  ...new Set(CAPTURES.flatMap(({ stdout, stderr }) => [...stdout.split("\n"), ...stderr.split("\n")])),
];

const anyKind = fc.constantFrom(...AGENT_KINDS);
const bytes = fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw).toString("utf8"));
/** JSON in the CLIs' own vocabulary with values of any kind in every place. */
const oddEvent = fc
  .dictionary(
    fc.constantFrom(
      "type",
      "subtype",
      "message",
      "item",
      "part",
      "error",
      "event",
      "result",
      "usage",
      "content",
      "data",
      "stats",
      "session_id",
      "permission_denials",
      "messages",
      "metadata",
      "response",
    ),
    fc.oneof(
      fc.constantFrom(
        "result",
        "assistant",
        "user",
        "system",
        "init",
        "retry",
        "item.completed",
        "turn.failed",
        "tool_use",
        "step_finish",
        "message",
        "complete",
        "stream_event",
        "rate_limit_event",
      ),
      fc.jsonValue({ maxDepth: 3 }),
    ),
  )
  .map((event) => JSON.stringify(event));
/** A real line, cut, or with a piece of another in it. */
const bentLine = fc
  .tuple(fc.constantFrom(...REAL_LINES), fc.constantFrom(...REAL_LINES), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([line, other, share]) => line.slice(0, Math.floor(line.length * share)) + other.slice(0, 20));
const anyLine = fc.oneof(anyText(), bytes, fc.constantFrom(...REAL_LINES), bentLine, oddEvent, fc.json());

describe("any output", () => {
  it("is read to its end and judged", () => {
    fc.assert(
      fc.property(
        anyKind,
        fc.array(fc.tuple(fc.boolean(), anyLine), { maxLength: 30 }),
        fc.option(fc.integer({ min: 0, max: 255 })),
        fc.option(fc.constantFrom("SIGTERM", "SIGKILL", "SIGINT")),
        (kind, lines, exitCode, signal) => {
          const parser = createParser(kind);
          for (const [isStderr, line] of lines) {
            const events = isStderr ? parser.stderr(line) : parser.stdout(line);
            // Plain data: it survives being kept as JSON.
            expect(JSON.parse(JSON.stringify(events))).toEqual(events);
          }
          parser.end();
          const { state } = parser;
          expect(state.unknownLines.first.length).toBeLessThanOrEqual(5);
          expect(typeof state.text).toBe("string");
          const stderrTail = lines.flatMap(([isStderr, line]) => (isStderr ? [line] : [])).join("\n");
          const fault = verdictOn(kind, state, {
            exitCode,
            signal,
            stderrTail,
            observedAt: 1_794_772_000_000,
          });
          if (fault !== null) expect(FAULT_CODES).toContain(fault.code);
          // A process that did not end well never succeeded.
          if (exitCode !== 0 || signal !== null) expect(fault).not.toBeNull();
        },
      ),
      { numRuns: samples(100, 400) },
    );
  });

  it.each(AGENT_KINDS)("of a megabyte in one line is no trouble for %s", (kind) => {
    const megabyte = "x".repeat(1_048_576);
    const parser = createParser(kind);
    for (const line of [
      megabyte,
      `{${megabyte}`,
      `{"type":"${megabyte}"}`,
      "[{".repeat(200_000),
      `${'{"type":'.repeat(100_000)}1`,
      JSON.stringify({ type: "error", message: megabyte, error: { message: megabyte, data: { message: megabyte } } }),
      `\u001b[${megabyte}`,
      `Error when talking to Gemini API Full report available at: ${megabyte} ${megabyte}`,
    ]) {
      parser.stdout(line);
      parser.stderr(line);
    }
    parser.end();
    const ending = {
      exitCode: 1,
      signal: null,
      stderrTail: megabyte,
      observedAt: 0,
      timeZone: "UTC",
    };
    expect(verdictOn(kind, parser.state, ending)).not.toBeNull();
  });
});
