// One request to a chain of models: the AI SDK's call options, the sink of a stream, and the state shared between attempts.

import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import { repeatsIn } from "../portable/repeated-calls.ts";
import type { Portable } from "../portable/make-portable.ts";
import { estimateTokens, type RequestWalk, walkRequest } from "./request-walk.ts";
import type { StreamSink } from "./stream-sink.ts";
import type { ContentTally } from "./tally.ts";

export interface RequestMemory {
  /** The text of the last unusable answer, which goes into the next prompt. */
  lastAnswer: string;
  /** The full answer, including the parts that a journal does not record. */
  result: LanguageModelV4GenerateResult | null;
  /** The content streamed so far, across attempts that continue each other; null before the first. */
  tally: ContentTally | null;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_REPEATS = { toolName: "", count: 0 };

export class ModelRequest implements ChainRequest {
  readonly options: LanguageModelV4CallOptions;
  /** null when the answer is not streamed. */
  readonly sink: StreamSink | null;
  /** Shared by all forms of this request; never recorded. */
  readonly memory: RequestMemory;
  /** The caller's options, before they were adapted to a target. */
  readonly given: LanguageModelV4CallOptions;
  /** The tool names that are sent, mapped to the caller's own names. */
  readonly toolNames: ReadonlyMap<string, string>;
  private walked: RequestWalk | null = null;

  constructor(
    options: LanguageModelV4CallOptions,
    sink: StreamSink | null,
    memory: RequestMemory = { lastAnswer: "", result: null, tally: null },
    given: LanguageModelV4CallOptions = options,
    toolNames: ReadonlyMap<string, string> = NO_NAMES,
  ) {
    this.options = options;
    this.sink = sink;
    this.memory = memory;
    this.given = given;
    this.toolNames = toolNames;
  }

  /** The facts found in one walk over the request. */
  get walk(): RequestWalk {
    return (this.walked ??= walkRequest(this.options));
  }

  /** How often the last tool call has failed in a row with the same arguments. With at most one failure there is nothing to count. */
  get repeats(): ReturnType<typeof repeatsIn> {
    return this.walk.mostFailures > 1 ? repeatsIn(this.options.prompt) : NO_REPEATS;
  }

  /** An estimate of its tokens, including the part of the answer that it continues. */
  tokens(continuedCharacters = 0): number {
    return estimateTokens(this.walk, continuedCharacters);
  }

  get isStreaming(): boolean {
    return this.sink !== null;
  }

  get hedging(): NonNullable<ChainRequest["hedging"]> {
    const mayRepeat = (this.options.tools ?? []).every(({ type }) => type === "function");
    return { isStream: this.isStreaming, mayRepeat };
  }

  /** The same request with other options. */
  with(options: LanguageModelV4CallOptions): ModelRequest {
    return options === this.options ? this : new ModelRequest(options, this.sink, this.memory);
  }

  /** The same request, adapted to its target. */
  fitted({ options, toolNames }: Portable): ModelRequest {
    return options === this.options ? this : new ModelRequest(options, this.sink, this.memory, this.options, toolNames);
  }

  /** The options to send. When a broken stream is continued, they include the text that the caller has already seen. */
  get sent(): LanguageModelV4CallOptions {
    const text = this.sink?.continuable ?? null;
    if (text === null) return this.options;
    return {
      ...this.options,
      prompt: [...this.options.prompt, { role: "assistant", content: [{ type: "text", text }] }],
    };
  }

  /** Restores the changes that an earlier process made to this request. */
  revived(kept: unknown): ModelRequest {
    const { asked } = kept as { readonly asked: LanguageModelV4CallOptions };
    return this.with({ ...this.options, ...asked });
  }

  /** The form that journals and digests get: without headers, which contain keys, and without the state of this process. */
  toJSON(): unknown {
    return { streaming: this.isStreaming, asked: { ...this.options, headers: undefined, abortSignal: undefined } };
  }
}
