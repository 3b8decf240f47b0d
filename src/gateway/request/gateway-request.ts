// One model call of a client, in a form that every target of its chain can be sent.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Fault } from "../../core/fault/fault.ts";
import type { JsonObject } from "../../core/json-fields.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { RequestFacts } from "../../provider/wire/request-facts.ts";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import type { AnswerHead, ClientAnswer } from "../answer/client-answer.ts";
import type { PlainHeaders } from "./header-lists.ts";

/** A request as it came in. */
export interface AskedModel {
  readonly dialect: Protocol;
  readonly text: string;
  readonly body: JsonObject;
  readonly facts: RequestFacts;
  /** Headers that may be passed on to a target of the same dialect. */
  readonly headers: PlainHeaders;
  /** Empty, or with its question mark; without keys. */
  readonly query: string;
}

/** A whole answer as a target gave it. */
export interface WholeAnswer extends AnswerHead {
  readonly body: Uint8Array<ArrayBuffer> | string;
}

/** Shared by all forms of a request. */
export interface GatewayMemory {
  /** What the last target refused the request with, in the client's dialect. */
  refused: (WholeAnswer & { readonly fault: Fault }) | null;
  whole: WholeAnswer | null;
  /** The head of the stream that is being answered. */
  head: AnswerHead | null;
}

export class GatewayRequest implements ChainRequest {
  readonly asked: AskedModel;
  readonly answer: ClientAnswer;
  readonly memory: GatewayMemory = { refused: null, whole: null, head: null };
  readonly #decode: (asked: AskedModel) => LanguageModelV4CallOptions;
  #options: LanguageModelV4CallOptions | null = null;

  constructor(asked: AskedModel, answer: ClientAnswer, decode: (asked: AskedModel) => LanguageModelV4CallOptions) {
    this.asked = asked;
    this.answer = answer;
    this.#decode = decode;
  }

  /** The request in the form that all dialects share. Read when a target of another dialect is asked. */
  get options(): LanguageModelV4CallOptions {
    return (this.#options ??= this.#decode(this.asked));
  }

  /** Calls of a gateway are not taken up by another process. */
  revived(): this {
    return this;
  }

  /** Prompts are not written down. */
  toJSON(): unknown {
    const { dialect, facts } = this.asked;
    return { dialect, facts };
  }
}
