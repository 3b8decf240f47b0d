// Asks the fault-injecting provider the way a client without an SDK does, and tells everything that came back.

import { systemClock, type Clock } from "../../src/host/clock.ts";
import type { Chaos } from "../../src/chaos/start-chaos.ts";
import type { ProtocolId } from "../../src/chaos/wire.ts";

/** A clock without waiting: every wait is over at once. */
export const impatientClock: Clock = { ...systemClock, after: (_delayMs, wake) => systemClock.after(0, wake) };

export interface Answer {
  /** 0: there was no answer. */
  readonly status: number;
  readonly headers: Headers;
  /** What came before the connection broke. */
  readonly text: string;
  /** How the connection broke; null when it did not. */
  readonly error: unknown;
}

export interface Question {
  readonly streaming?: boolean;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

const PROMPT = "hello";

const REQUESTS: Readonly<
  Record<ProtocolId, (model: string, streaming: boolean) => { readonly path: string; readonly body: object }>
> = {
  "openai-chat": (model, stream) => ({
    path: "/v1/chat/completions",
    body: { model, stream, messages: [{ role: "user", content: PROMPT }] },
  }),
  "openai-responses": (model, stream) => ({ path: "/v1/responses", body: { model, stream, input: PROMPT } }),
  "anthropic": (model, stream) => ({
    path: "/v1/messages",
    body: { model, stream, max_tokens: 64, messages: [{ role: "user", content: PROMPT }] },
  }),
  "google": (model, streaming) => ({
    path: `/v1beta/models/${model}:${streaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: PROMPT }] }] },
  }),
};

export async function ask({ url }: Chaos, protocol: ProtocolId, question: Question = {}): Promise<Answer> {
  const { streaming = false, model = "good-model", headers = {}, body = {}, signal } = question;
  const request = REQUESTS[protocol](model, streaming);
  let status = 0;
  let answered = new Headers();
  let text = "";
  try {
    const response = await fetch(`${url}${request.path}`, {
      method: "POST",
      // Every request has a connection of its own, so that none suffers from the end of another.
      headers: { "content-type": "application/json", "connection": "close", ...headers },
      body: JSON.stringify({ ...request.body, ...body }),
      ...(signal === undefined ? {} : { signal }),
    });
    status = response.status;
    answered = response.headers;
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
    return { status, headers: answered, text, error: null };
  } catch (error) {
    return suppressed({ status, headers: answered, text, error });
  }
}

/** What broke is a part of the answer here. */
function suppressed(answer: Answer): Answer {
  return answer;
}
