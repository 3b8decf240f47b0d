// One request to a chain of models: what the AI SDK asked for, where a stream goes, and what is remembered between attempts.

import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import { repeatsIn } from "../portable/repeated-calls.ts";
import type { Portable } from "../portable/make-portable.ts";
import { estimateTokens, type RequestWalk, walkRequest } from "./request-walk.ts";
import type { StreamSink } from "./stream-sink.ts";
import type { ContentTally } from "./tally.ts";

export interface RequestMemory {
  /** The text of the last answer that was not usable: asked about again. */
  lastAnswer: string;
  /** The answer in full, with what a journal need not keep. */
  result: LanguageModelV4GenerateResult | null;
  /** What has come of a stream, over all attempts that go on from each other; null before the first. */
  tally: ContentTally | null;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_REPEATS = { toolName: "", count: 0 };

export class ModelRequest implements ChainRequest {
  readonly options: LanguageModelV4CallOptions;
  /** null when the answer comes as a whole. */
  readonly sink: StreamSink | null;
  /** Shared by all forms this request takes on its way; never written down. */
  readonly memory: RequestMemory;
  /** As the caller asked, before it was made to fit a target. */
  readonly given: LanguageModelV4CallOptions;
  /** The names under which tools go out, with the caller's own names for them. */
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

  /** What one walk over it finds. */
  get walk(): RequestWalk {
    return (this.walked ??= walkRequest(this.options));
  }

  /** How often the last tool call has failed in a row, unchanged. A walk with one failure at most has no row of them. */
  get repeats(): ReturnType<typeof repeatsIn> {
    return this.walk.mostFailures > 1 ? repeatsIn(this.options.prompt) : NO_REPEATS;
  }

  /** About how many tokens it has, with so many characters of the answer that stand in it already. */
  tokens(continuedCharacters = 0): number {
    return estimateTokens(this.walk, continuedCharacters);
  }

  get isStreaming(): boolean {
    return this.sink !== null;
  }

  /** The same request with something else asked. */
  with(options: LanguageModelV4CallOptions): ModelRequest {
    return options === this.options ? this : new ModelRequest(options, this.sink, this.memory);
  }

  /** The same request as its target takes it. */
  fitted({ options, toolNames }: Portable): ModelRequest {
    return options === this.options ? this : new ModelRequest(options, this.sink, this.memory, this.options, toolNames);
  }

  /** What is sent: when a stream goes on after a break, what the caller has seen stands as the beginning of the answer. */
  get sent(): LanguageModelV4CallOptions {
    const text = this.sink?.continuable ?? null;
    if (text === null) return this.options;
    return {
      ...this.options,
      prompt: [...this.options.prompt, { role: "assistant", content: [{ type: "text", text }] }],
    };
  }

  /** This request as an earlier life of the program had changed it. */
  revived(kept: unknown): ModelRequest {
    const { asked } = kept as { readonly asked: LanguageModelV4CallOptions };
    return this.with({ ...this.options, ...asked });
  }

  /** What journals and digests see: no headers, which hold keys, and nothing of this process. */
  toJSON(): unknown {
    return { streaming: this.isStreaming, asked: { ...this.options, headers: undefined, abortSignal: undefined } };
  }
}
