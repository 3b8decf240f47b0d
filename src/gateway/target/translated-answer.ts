// An answer of another dialect on its way to the client: its parts are written in the client's dialect, and held until there is content.

import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import type { Clock } from "../../host/clock.ts";
import type { ModelRequest } from "../../provider/model/model-request.ts";
import type { Streamed } from "../../provider/model/attempt.ts";
import type { StreamSink } from "../../provider/model/stream-sink.ts";
import { tokensIn } from "../../provider/price/cost.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { objectOf } from "../../core/json-fields.ts";
import type { AnswerHead } from "../answer/client-answer.ts";
import { dialectFor } from "../dialect/dialect.ts";
import { headerText } from "../request/header-lists.ts";
import type { GatewayRequest } from "../request/gateway-request.ts";
import { type AboutAnswer, type AnswerPart, responseIdOf } from "../translate/answer-writing.ts";
import { WRITERS } from "../translate/write-answer.ts";

export interface TranslatedCall {
  readonly request: GatewayRequest;
  readonly context: RunContext;
  readonly target: string;
  readonly clock: Clock;
}

export function writeWhole(call: TranslatedCall, { memory }: ModelRequest, value: unknown): void {
  const { request } = call;
  const result = memory.result ?? (value as LanguageModelV4GenerateResult);
  const body = JSON.stringify(WRITERS[request.asked.dialect].body(result, aboutOf(call)));
  const { omitted } = request;
  Object.assign(request.memory, { whole: { ...headOf(call, "application/json"), body }, omitted, stored: null });
}

/** Resolves when the answer is whole and all of it but its end was given to the client. */
export async function streamTranslated(call: TranslatedCall, sink: StreamSink, running: unknown): Promise<void> {
  const { request, context } = call;
  const { answer, asked } = request;
  const sent = request.continuation;
  const about = { ...aboutOf(call), sent };
  const writer = WRITERS[asked.dialect].stream(about);
  // The client has this part of the answer; the writer continues from there.
  if (sent !== null) writer.part({ type: "text-delta", id: "0", delta: sent.text });
  const head = headOf(call, about.asList ? "application/json" : "text/event-stream; charset=utf-8");
  const encoder = new TextEncoder();
  let isGone = false;
  let isRunning = true;
  // The sink gets parts only after the attempt has claimed the answer.
  const begun = { isFirst: true };
  let ending: AnswerPart | null = null;
  const reading = readAll(sink, async (part) => {
    if (part.type === "text-end") {
      // The vendor's package also ends a text that has broken off. So its end is written with what comes after it, or by `finish`.
      ending = part;
      return;
    }
    const ended = isGone || ending === null ? "" : writer.part(ending);
    ending = null;
    const written = isGone ? "" : ended + writer.part(part);
    if (written === "") return;
    if (begun.isFirst) begin(call, head, about);
    begun.isFirst = false;
    answer.push(encoder.encode(written));
    if (!answer.isOpen && answer.open(head) && !request.isContinued) context.commit();
    if (isRunning && answer.isOpen && answer.isFull) await clientHasRead(call);
  });
  try {
    const { finish } = (await running) as Streamed;
    sink.finish(finish);
    await reading;
    if (begun.isFirst) begin(call, head, about);
    answer.last(encoder.encode(writer.finish(finish)));
  } catch (error) {
    // If the client has seen part of the answer, it gets all that came before the break. Otherwise it gets nothing of this attempt.
    isGone = !answer.isOpen;
    isRunning = false;
    sink.paced.close();
    answer.stopAwaitingClient();
    await reading;
    // The client has seen part of the answer. If it cannot be continued, it must not start over either.
    if (!begun.isFirst && answer.isOpen && request.continuation === null) context.commit();
    throw error;
  }
}

function begin({ request, target }: TranslatedCall, head: AnswerHead, about: AboutAnswer): void {
  const { answer, memory, omitted } = request;
  answer.begin();
  answer.responseId ??= responseIdOf(about);
  if (answer.isOpen) {
    answer.resume(headerText(target));
    memory.continued += 1;
  }
  Object.assign(memory, { head, omitted, stored: null, whole: null });
}

async function readAll(sink: StreamSink, write: (part: AnswerPart) => Promise<void>): Promise<void> {
  const parts = sink.paced.stream.getReader();
  for (let read = await parts.read(); !read.done; read = await parts.read()) await write(read.value);
}

function clientHasRead({ request, context }: TranslatedCall): Promise<void> {
  return new Promise((resolve) => {
    request.answer.whenRead(resolve, () => {
      context.cancel();
      resolve();
    });
  });
}

function aboutOf({ request, context, clock }: TranslatedCall): AboutAnswer {
  const { asked, read } = request;
  const { facts, body, query, dialect } = asked;
  return {
    id: context.call.replaceAll(/[^A-Za-z0-9]/g, ""),
    model: facts.model ?? "",
    createdAt: clock.now(),
    inputTokens: tokensIn(facts.inputCharacters),
    textTools: read.textTools,
    wantsUsage: objectOf(body["stream_options"])?.["include_usage"] === true,
    asList: dialectFor(dialect, query, facts.streaming).streamAs === "list",
    sent: null,
  };
}

function headOf({ request, context, target }: TranslatedCall, contentType: string): AnswerHead {
  const { omitted } = request;
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      "x-faultline-target": headerText(target),
      "x-faultline-call": context.call,
      ...(omitted.length === 0 ? {} : { "x-faultline-omitted": headerText(omitted.join(", ")) }),
    },
  };
}
