// One model call of a client, in a form that can be sent to every target of its chain.

import type { Fault } from "../../core/fault/fault.ts";
import type { JsonObject } from "../../core/json-fields.ts";
import type { ModelRequest } from "../../provider/model/model-request.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { RequestFacts } from "../../provider/wire/request-facts.ts";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import type { AnswerHead, ClientAnswer } from "../answer/client-answer.ts";
import type { Continuation } from "../answer/continuation.ts";
import { readRequest } from "../translate/read-request.ts";
import type { ReadRequest } from "../translate/request-reading.ts";
import type { PlainHeaders } from "./header-lists.ts";

/** A request as it came in. */
export interface AskedModel {
  readonly dialect: Protocol;
  readonly bytes: Buffer;
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

/** Fields that let a vendor do more than run a model. Its own tools (`tools.web_search`) are not in this list, and count, too. */
const RUN_BY_VENDOR: ReadonlySet<string> = new Set(["mcp_servers", "container", "background", "web_search_options"]);

/** Shared by all forms of a request. */
export interface GatewayMemory {
  /** What the last target refused the request with, in the client's dialect. */
  refused: (AnswerHead & { readonly body: string; readonly fault: Fault }) | null;
  whole: WholeAnswer | null;
  /** The head of the stream that is being answered. */
  head: AnswerHead | null;
  /** What the request to the target that answers lacks. */
  omitted: readonly string[];
  /** What the target has stored of the answer, by which a later request may continue it. */
  stored: string | null;
  /** How often another attempt continued a text that had broken off. */
  continued: number;
}

interface Handling {
  /** Its client has a budget, which each piece of a stream may exceed. */
  readonly isMetered: boolean;
  /** A text that breaks off may be continued by another target. */
  readonly isContinued: boolean;
}

/** A request in the form that one target gets. */
type TargetForm = Pick<GatewayRequest, "translated" | "omitted">;

const AS_ASKED: TargetForm = { translated: null, omitted: [] };

export class GatewayRequest implements ChainRequest, Handling {
  readonly asked: AskedModel;
  readonly answer: ClientAnswer;
  readonly isMetered: boolean;
  readonly isContinued: boolean;
  readonly memory: GatewayMemory;
  /** The request in the form that all dialects share, fitted to its target; null: its bytes are sent. */
  readonly translated: ModelRequest | null;
  /** What the request lacks in that form. */
  readonly omitted: readonly string[];
  #read: ReadRequest | null = null;

  constructor(
    asked: AskedModel,
    answer: ClientAnswer,
    { isMetered, isContinued }: Handling,
    memory: GatewayMemory = { refused: null, whole: null, head: null, omitted: [], stored: null, continued: 0 },
    { translated, omitted }: TargetForm = AS_ASKED,
  ) {
    this.asked = asked;
    this.answer = answer;
    this.isMetered = isMetered;
    this.isContinued = isContinued;
    this.memory = memory;
    this.translated = translated;
    this.omitted = omitted;
  }

  /** The request in the form that all dialects share, created when a target needs it. */
  get read(): ReadRequest {
    return (this.#read ??= readRequest(this.asked.dialect, this.asked.body));
  }

  translatedAs(translated: ModelRequest, omitted: readonly string[]): GatewayRequest {
    return new GatewayRequest(this.asked, this.answer, this, this.memory, { translated, omitted });
  }

  /** What the client has of an answer that broke off, for the target that continues it. */
  get continuation(): Continuation | null {
    const { refused, options } = this.read;
    const isText = this.isContinued && refused === null && options.responseFormat?.type !== "json";
    return isText && this.answer.isOpen ? this.answer.continuation(this.asked.dialect) : null;
  }

  get isContinuation(): boolean {
    return this.answer.isOpen;
  }

  get hedging(): NonNullable<ChainRequest["hedging"]> {
    const { refused, omitted } = this.read;
    const runsElsewhere = omitted.some((field) => field.startsWith("tools.") || RUN_BY_VENDOR.has(field));
    return { isStream: this.asked.facts.streaming, mayRepeat: refused === null && !runsElsewhere };
  }

  /** No other process resumes a gateway's calls. */
  revived(): this {
    return this;
  }

  /** Prompts are not written down. */
  toJSON(): unknown {
    const { dialect, facts } = this.asked;
    return { dialect, facts };
  }
}
