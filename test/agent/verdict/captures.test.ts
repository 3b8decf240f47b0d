// Every recorded run of every agent CLI is judged rightly: by code, times, session, usage and denials.

import { describe, expect, it } from "vitest";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { verdictOn } from "../../../src/agent/verdict/verdict.ts";
import { CAPTURES, type Capture, endingOf, parsed } from "../captures/read-captures.ts";

function judged(capture: Capture): Readonly<Record<string, unknown>> {
  const { state } = parsed(capture);
  const fault = verdictOn(capture.kind, state, endingOf(capture));
  const code = fault?.code ?? "ok";
  const { expected } = capture;
  return {
    // Any of several names may be right; what is compared is the one that was given.
    codes: expected.codes.includes(code) ? expected.codes : [code],
    resetAt: fault?.resetAt !== undefined,
    retryAfterMs: expected.retryAfterMs === null ? null : fault?.retryAfterMs,
    denials: state.permissionDenials.length,
    session: state.sessionId !== null,
    usage: state.usage !== null,
  };
}

/** JSON with reversed keys, at every depth. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, reversed(inner)] as const)
      .reverse(),
  );
}

function withReversedKeys(line: string): string {
  if (!line.startsWith("{")) return line;
  try {
    return JSON.stringify(reversed(JSON.parse(line)));
  } catch (error) {
    if (error instanceof SyntaxError) return line;
    throw error;
  }
}

describe("recorded runs", () => {
  it("are all there", () => {
    expect(CAPTURES).toHaveLength(287);
    expect(new Set(CAPTURES.map(({ name }) => name)).size).toBe(287);
  });

  it.each(CAPTURES.map((capture) => [capture.name, capture] as const))("%s is judged rightly", (_name, capture) => {
    expect(judged(capture)).toEqual(capture.expected);
  });

  // A change that is meant shows as a difference of these files (`npx vitest run -u` writes them again).
  it.each([...new Set(CAPTURES.map(({ kind }) => kind))])(
    "of %s are read as the files say that were reviewed",
    async (kind) => {
      const pages = CAPTURES.filter((capture) => capture.kind === kind).map((capture) => {
        const parser = createParser(kind);
        const events = [
          ...capture.stdout.split("\n").flatMap((line) => parser.stdout(line)),
          ...capture.stderr.split("\n").flatMap((line) => parser.stderr(line)),
          ...parser.end(),
        ];
        const fault = verdictOn(kind, parser.state, endingOf(capture));
        const judged =
          fault === null
            ? ["ok"]
            : [fault.code, fault.evidence.rule, fault.message, fault.context, fault.retryAfterMs, fault.resetAt];
        return [capture.name, ...[...events, parser.state, judged].map((one) => JSON.stringify(one)), ""].join("\n");
      });
      await expect(pages.join("\n")).toMatchFileSnapshot(`read-runs/${kind}.txt`);
    },
  );

  it("are judged the same whatever the order of keys in a line", () => {
    for (const capture of CAPTURES) {
      const other = { ...capture, stdout: capture.stdout.split("\n").map(withReversedKeys).join("\n") };
      expect([capture.name, judged(other)]).toEqual([capture.name, judged(capture)]);
      expect([capture.name, parsed(other).state.text]).toEqual([capture.name, parsed(capture).state.text]);
    }
  });

  it("leave no event unknown", () => {
    const unknown = CAPTURES.filter((capture) => parsed(capture).state.unknownLines.count > 0);
    // Its banner stands before the JSON because it was run without -q.
    expect(unknown.map(({ name }) => name)).toEqual(["goose-ok-json"]);
  });

  it("say the exact time at which a usage limit lifts where the CLI gave it", () => {
    const capture = CAPTURES.find(({ name }) => name === "claude-oauth-429unified7d-stream");
    if (capture === undefined) throw new Error("missing capture");
    expect(verdictOn("claude", parsed(capture).state, endingOf(capture))?.resetAt).toBe(1_794_777_395_000);
  });
});
