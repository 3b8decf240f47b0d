// A model that repeats a failing call gets one notice and is then stopped, for any tool and any kind of failure.

import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { createFaultline, fault, type FaultError, type ModelOptions, viewFor } from "../../../src/index.ts";
import { modelText } from "../../../src/mcp/index.ts";
import { noteAbout } from "../../../src/provider/portable/repeated-calls.ts";
import { type DialectName, DIALECTS, type DialectStub, startDialectStub } from "../../support/dialect-stub.ts";
import { shareOf } from "../../support/grid.ts";

let stub: DialectStub | null = null;
afterEach(async () => {
  await stub?.close();
  stub = null;
});

const FORBIDDEN = fault("Forbidden", { message: "not yours" });
const FAILED = { status: "surfaced", call: "c", attempts: 1, fault: FORBIDDEN } as never;

/** The ways in which tools report failures to a model. */
const FAILURES: Readonly<Record<string, () => unknown>> = {
  "an AI SDK tool that throws": () => {
    throw new Error("not yours");
  },
  "a tool of an MCP server": () => modelText(FAILED),
  "a view of a fault": () => viewFor("model", FORBIDDEN, { correlationId: "c" }),
  "a view of a fault as an error": () => ({ error: viewFor("model", FORBIDDEN, { correlationId: "c" }) }),
};

interface Loop {
  readonly error: unknown;
  readonly runs: number;
}

/** A loop that would take twenty steps. `inputs` are the arguments of each call; the last is repeated. */
async function loop(
  dialect: DialectName,
  isStreaming: boolean,
  run: (n: number) => unknown,
  inputs: readonly object[] = [{ path: "/etc", deep: true }],
  options: ModelOptions = {},
): Promise<Loop> {
  let asked = 0;
  stub = await startDialectStub(() => {
    const input = inputs[Math.min(asked, inputs.length - 1)] ?? {};
    asked += 1;
    return { calls: [{ id: `call_${asked}`, name: "read", input }] };
  });
  let runs = 0;
  const tools = {
    read: tool({
      inputSchema: jsonSchema<object>({ type: "object" }),
      execute: () => {
        runs += 1;
        return run(runs) as string;
      },
    }),
  };
  const model: LanguageModel = createFaultline().model([DIALECTS[dialect].make(stub.url, "first")], options);
  const asking = { model, prompt: "go", tools, stopWhen: stepCountIs(20), maxRetries: 0 };
  let error: unknown = null;
  if (isStreaming) {
    await streamText({ ...asking, onError: (told) => void (error = told.error) }).consumeStream();
  } else {
    error = await generateText(asking).then(
      () => null,
      (thrown: unknown) => thrown,
    );
  }
  return { error, runs };
}

function timesTold(count: number): readonly number[] {
  const note = noteAbout(count);
  return (stub?.requests ?? []).map(({ body }) => JSON.stringify(body).split(note).length - 1);
}

const GRID = (Object.keys(DIALECTS) as DialectName[]).flatMap((dialect, row) =>
  [false, true].map((isStreaming, column) => ({ dialect, isStreaming, turn: row + column })),
);

describe.each(GRID)("$dialect (stream: $isStreaming)", ({ dialect, isStreaming, turn }) => {
  it.each(shareOf(Object.entries(FAILURES), 2, turn))(
    "%s: one notice after three failures, stopped after twelve",
    async (_how, run) => {
      const { error, runs } = await loop(dialect, isStreaming, run);
      expect((error as FaultError).fault).toMatchObject({
        class: "Limit",
        code: "ToolLoop",
        context: { repeated: "read", limit: 12 },
      });
      expect(runs).toBe(12);
      // Of the twelve requests none has the notice before the third failure, and it stays in the history once from then on.
      expect(timesTold(3)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    },
  );
});

describe("a streak of failures", () => {
  const fail = FAILURES["an AI SDK tool that throws"] as () => never;

  it("continues when the same arguments come in another order", async () => {
    const { runs } = await loop("chat", false, fail, [
      { a: 1, b: { c: 1, d: 2 } },
      { b: { d: 2, c: 1 }, a: 1 },
    ]);
    expect(runs).toBe(12);
  });

  it("ends with other arguments", async () => {
    const inputs = Array.from({ length: 20 }, (_, n) => ({ path: n % 5 === 4 ? "/other" : "/etc" }));
    const { error, runs } = await loop("chat", false, fail, inputs);
    expect([error, runs]).toEqual([null, 20]);
    expect(timesTold(3).at(-1)).toBe(4);
  });

  it("ends with a success", async () => {
    const { error, runs } = await loop("chat", false, (n) => (n % 3 === 0 ? "fine" : fail()));
    expect([error, runs]).toEqual([null, 20]);
    expect(timesTold(3).at(-1)).toBe(0);
  });

  it("does not exist when the results are successes that look alike", async () => {
    const { error, runs } = await loop("chat", false, () => "still pending");
    expect([error, runs]).toEqual([null, 20]);
  });

  it("is as long as the program says", async () => {
    const repeatedFailures = { tellAfter: 2, stopAfter: 4 };
    const { error, runs } = await loop("anthropic", false, fail, undefined, { repeatedFailures });
    expect((error as FaultError).fault.code).toBe("ToolLoop");
    expect(runs).toBe(4);
    expect(timesTold(2)).toEqual([0, 0, 1, 1]);
  });

  it("is unlimited if the program says so", async () => {
    const repeatedFailures = { tellAfter: Infinity, stopAfter: Infinity };
    const { error, runs } = await loop("chat", false, fail, undefined, { repeatedFailures });
    expect([error, runs]).toEqual([null, 20]);
  });

  it.each([1, 0, -3, 2.5, NaN, "5"])("of %s is refused, by its name", (stopAfter) => {
    const model = DIALECTS.chat.make("http://127.0.0.1:1", "first");
    const options = { repeatedFailures: { stopAfter: stopAfter as number } };
    expect(() => createFaultline().model([model], options)).toThrow("repeatedFailures.stopAfter");
  });

  it("ends when a person speaks: the next request is sent", async () => {
    stub = await startDialectStub(() => ({ text: "well" }));
    const call = (n: number) => ({ type: "tool-call" as const, toolCallId: `c${n}`, toolName: "read", input: {} });
    const failed = (n: number) => ({
      type: "tool-result" as const,
      toolCallId: `c${n}`,
      toolName: "read",
      output: { type: "error-text" as const, value: "no" },
    });
    const turn = Array.from({ length: 12 }, (_, n) => [
      { role: "assistant" as const, content: [call(n)] },
      { role: "tool" as const, content: [failed(n)] },
    ]).flat();
    const model = createFaultline().model([DIALECTS.chat.make(stub.url, "first")]);
    const hi = { role: "user" as const, content: "go" };
    await expect(generateText({ model, messages: [hi, ...turn], maxRetries: 0 })).rejects.toMatchObject({
      fault: { code: "ToolLoop" },
    });
    expect(stub.requests).toHaveLength(0);
    const { text } = await generateText({ model, messages: [hi, ...turn, { ...hi, content: "I repaired it" }] });
    expect(text).toBe("well");
  });
});
