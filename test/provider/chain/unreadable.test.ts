// Unreadable answers with status 200: every dialect, whole and streamed, alone and with a fallback, through the real SDKs. Each
// is a fault of the endpoint: retried, sent to the fallback, counted by the breaker, and never taken for bad model output.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { generateText, streamText } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { createFaultline, type FaultError, traitsOf } from "../../../src/index.ts";
import { type DialectName, DIALECTS, type DialectStub, startDialectStub } from "../../support/dialect-stub.ts";
import { shareOf } from "../../support/grid.ts";
import { UNREADABLE } from "../../support/unreadable-answers.ts";

const CASES = (Object.keys(DIALECTS) as DialectName[]).flatMap((dialect, row) =>
  (["whole", "streamed"] as const).map((form, column) => ({ dialect, form, turn: row + column })),
);

/** The default policy, without waits. */
const POLICY = {
  ...DEFAULT_POLICY,
  rows: DEFAULT_POLICY.rows.map((row) =>
    row.retry === null
      ? row
      : { ...row, retry: { ...row.retry, backoff: { ...row.retry.backoff, initialMs: 1, maxMs: 1 } } },
  ),
};

let stub: DialectStub | null = null;
afterEach(async () => {
  await stub?.close();
  stub = null;
});

interface Seen {
  readonly text: string;
  readonly error: unknown;
}

async function ask(model: LanguageModelV4, form: "whole" | "streamed"): Promise<Seen> {
  if (form === "whole") {
    return generateText({ model, prompt: "hi", maxRetries: 0 }).then(
      ({ text }) => ({ text, error: null }),
      (error: unknown) => ({ text: "", error }),
    );
  }
  let error: unknown = null;
  const { textStream } = streamText({
    model,
    prompt: "hi",
    maxRetries: 0,
    onError: (told) => void (error = told.error),
  });
  let text = "";
  for await (const piece of textStream) text += piece;
  return { text, error };
}

const targets = (): readonly string[] => stub?.requests.map(({ target }) => target) ?? [];

describe.each(CASES)("$dialect, $form:", ({ dialect, form, turn }) => {
  const { make } = DIALECTS[dialect];

  // Half of the answers come to a model alone, and the others to one with a fallback.
  it.each(shareOf(Object.entries(UNREADABLE), 2, turn))(
    "%s, alone: tried again, AnswerUnreadable, counted by the breaker",
    async (_name, reply) => {
      stub = await startDialectStub(reply);
      const fl = createFaultline({ policy: { ...POLICY, breaker: { ...POLICY.breaker, failures: 1 } } });
      const model = fl.model([make(stub.url, "first")]);
      const { text, error } = await ask(model, form);
      const { fault } = error as FaultError;
      expect([text, fault.code]).toEqual(["", "AnswerUnreadable"]);
      expect(traitsOf(fault.code)).toMatchObject({ retryable: true, tripsBreaker: true, scope: "endpoint" });
      expect(targets()).toEqual(["first", "first", "first"]);
      const next = await ask(model, form);
      expect((next.error as FaultError).fault.code).toBe("CircuitOpen");
      expect(targets()).toHaveLength(3);
    },
  );

  it.each(shareOf(Object.entries(UNREADABLE), 2, turn + 1))(
    "%s, with a fallback: the fallback answers",
    async (_name, reply) => {
      stub = await startDialectStub((request) => (request.target === "first" ? reply(request) : { text: "well" }));
      const retryBeforeFallback = {
        maxAttempts: 2,
        backoff: { kind: "fixed", initialMs: 1, maxMs: 1, multiplier: 1 },
      } as const;
      const second = { model: make(stub.url, "second"), endpoint: "elsewhere" };
      const model = createFaultline({ policy: POLICY }).model([make(stub.url, "first"), second], {
        retryBeforeFallback,
      });
      expect(await ask(model, form)).toEqual({ text: "well", error: null });
      expect(targets()).toEqual(["first", "first", "second"]);
    },
  );

  it("an answer that is empty twice goes to the fallback", async () => {
    stub = await startDialectStub(({ target }) => ({ text: target === "first" ? "" : "well" }));
    const retryBeforeFallback = {
      maxAttempts: 2,
      backoff: { kind: "fixed", initialMs: 1, maxMs: 1, multiplier: 1 },
    } as const;
    const second = { model: make(stub.url, "second"), endpoint: "elsewhere" };
    const model = createFaultline({ policy: POLICY }).model([make(stub.url, "first"), second], { retryBeforeFallback });
    expect(await ask(model, form)).toEqual({ text: "well", error: null });
    expect(targets()).toEqual(["first", "first", "second"]);
  });
});
