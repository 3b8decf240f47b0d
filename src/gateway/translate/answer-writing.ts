// What the writers of the four dialects share. A writer gets the parts of an answer in the form that all dialects share and writes them in
// the client's dialect: as events while they come, or as one body.

import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { objectOf, textOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";
import type { Continuation } from "../answer/continuation.ts";

export type AnswerPart = LanguageModelV4StreamPart;
export type AnswerFinish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
export type AnswerCall = Extract<LanguageModelV4Content, { type: "tool-call" }>;

/** What an answer says about itself. */
export interface AboutAnswer {
  readonly id: string;
  /** The model as the client named it. */
  readonly model: string;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  readonly inputTokens: number;
  /** Tools whose input is plain text in the client's dialect. */
  readonly textTools: ReadonlySet<string>;
  /** The client wants the usage as an event of its own. */
  readonly wantsUsage: boolean;
  /** The client reads a list of JSON instead of events. */
  readonly asList: boolean;
  /** What the client has received from a target whose stream broke off. The rest of the answer uses its ids. */
  readonly sent: Continuation | null;
}

/** The id of an answer in the Responses dialect. */
export function responseIdOf({ id, sent }: AboutAnswer): string {
  return sent?.id ?? `resp_${id}`;
}

export interface WholeAnswerParts {
  readonly content: readonly LanguageModelV4Content[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
}

/** Writes the parts of a streamed answer. A dialect implements what it has a form for; the other parts are left out. */
export abstract class AnswerWriter {
  protected readonly about: AboutAnswer;
  #hasBegun = false;

  constructor(about: AboutAnswer) {
    this.about = about;
  }

  /** The text to send to the client for a part; empty if the dialect has no form for it. */
  part(part: AnswerPart): string {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? "" : this.text(part.delta);
      case "text-end":
        return this.textEnd();
      case "reasoning-delta":
        return part.delta === "" ? "" : this.thought(part.delta);
      case "tool-input-start":
        return part.providerExecuted === true ? "" : this.callStart(part.id, part.toolName);
      case "tool-input-delta":
        return part.delta === "" ? "" : this.callInput(part.id, part.delta);
      case "tool-call":
        return part.providerExecuted === true ? "" : this.wholeCall(part);
      default:
        return "";
    }
  }

  abstract finish(finish: AnswerFinish): string;

  protected abstract text(delta: string): string;

  /** The call is complete. Some targets give its input only now. */
  protected abstract wholeCall(call: AnswerCall): string;

  protected textEnd(): string {
    return "";
  }

  protected thought(_delta: string): string {
    return "";
  }

  protected callStart(_id: string, _name: string): string {
    return "";
  }

  protected callInput(_id: string, _delta: string): string {
    return "";
  }

  /** What comes before the first part. */
  protected head(): string {
    return "";
  }

  /** The head, the first time; then nothing. */
  protected begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.head();
  }
}

export interface DialectWriter {
  readonly stream: (about: AboutAnswer) => AnswerWriter;
  readonly body: (answer: WholeAnswerParts, about: AboutAnswer) => unknown;
}

export interface TokenTotals {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export function totalsOf({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenTotals {
  return {
    input: inputTokens.total ?? 0,
    cached: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
    output: outputTokens.total ?? 0,
    reasoning: outputTokens.reasoning ?? 0,
  };
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function named(name: string, data: unknown): string {
  return `event: ${name}\n${event(data)}`;
}

export function secondsOf(atMs: number): number {
  return Math.floor(atMs / 1_000);
}

export function thoughtsIn(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
}

export function callsIn(content: readonly LanguageModelV4Content[]): readonly AnswerCall[] {
  return content
    .filter((part) => part.type === "tool-call")
    .filter(({ providerExecuted }) => providerExecuted !== true);
}

/** The input of a call as an object. */
export function inputObject({ input }: Pick<AnswerCall, "input">): Readonly<Record<string, unknown>> {
  return objectOf(parseJson(input)) ?? {};
}

/** The text of a tool that takes plain text. */
export function inputText(call: Pick<AnswerCall, "input">): string {
  return textOf(inputObject(call)["input"]);
}

/** Google's proof that it made a call, which it wants back with the call; null for calls of other vendors. */
export function signatureOf({ providerMetadata }: AnswerCall): string | null {
  return textOf(providerMetadata?.["google"]?.["thoughtSignature"]) || null;
}
