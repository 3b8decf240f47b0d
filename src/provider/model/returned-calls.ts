// Restores the caller's tool names in the tool calls of an answer and makes their ids unique. Some servers give every call the same id,
// or restart their numbering with each answer. Calls that a vendor runs itself keep name and id, because their results refer to them
// and their adapter knows them.

import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { idsIn } from "../portable/tool-ids.ts";
import type { ModelRequest } from "./model-request.ts";

interface Begun {
  readonly id: string;
  ended: boolean;
  called: boolean;
}

export class ReturnedCalls {
  private readonly request: Pick<ModelRequest, "given" | "toolNames">;
  /** Ids used in this conversation and this answer; null before the first call. */
  private ids: Set<string> | null = null;
  /** Calls of this answer by the provider's id, oldest first. */
  private readonly begun = new Map<string, Begun[]>();

  constructor(request: Pick<ModelRequest, "given" | "toolNames">) {
    this.request = request;
  }

  result(result: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
    const content = result.content.map((part) => this.part(part));
    return content.every((part, at) => part === result.content[at]) ? result : { ...result, content };
  }

  part<T extends LanguageModelV4StreamPart | LanguageModelV4Content>(part: T): T;
  part(part: LanguageModelV4StreamPart | LanguageModelV4Content): LanguageModelV4StreamPart | LanguageModelV4Content {
    switch (part.type) {
      case "tool-input-start":
        return part.providerExecuted === true
          ? part
          : returned(part, { id: this.begin(part.id).id, toolName: this.nameOf(part.toolName) });
      case "tool-input-delta":
        return returned(part, { id: this.begun.get(part.id)?.at(-1)?.id ?? part.id });
      case "tool-input-end": {
        const call = this.begun.get(part.id)?.find(({ ended }) => !ended);
        if (call !== undefined) call.ended = true;
        return returned(part, { id: call?.id ?? part.id });
      }
      case "tool-call": {
        if (part.providerExecuted === true) return part;
        const call = this.begun.get(part.toolCallId)?.find(({ called }) => !called) ?? this.begin(part.toolCallId);
        call.called = true;
        return returned(part, { toolCallId: call.id, toolName: this.nameOf(part.toolName) });
      }
      default:
        return part;
    }
  }

  private nameOf(sent: string): string {
    return this.request.toolNames.get(sent) ?? sent;
  }

  private begin(given: string): Begun {
    const ids = (this.ids ??= idsIn(this.request.given));
    const base = given === "" ? "call" : given;
    let id = given;
    for (let number = 2; id === "" || ids.has(id); number++) id = `${base}_${number}`;
    ids.add(id);
    const call: Begun = { id, ended: false, called: false };
    const before = this.begun.get(given);
    if (before === undefined) this.begun.set(given, [call]);
    else before.push(call);
    return call;
  }
}

/** Returns the same part if nothing changes. */
function returned<T extends object>(part: T, fields: Partial<T>): T {
  const isSame = Object.entries(fields).every(([key, value]) => part[key as keyof T] === value);
  return isSame ? part : { ...part, ...fields };
}
