// The tool calls in an answer, whole or streamed, complete or cut, in the order in which a client sees them.

import { isMap, type JsonObject, listOf, objectOf, objectsOf, textOf } from "../../../src/core/json-fields.ts";
import { parseJson } from "../../../src/core/try-read.ts";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";

export interface SeenCall {
  readonly name: string;
  /** As JSON; a part of it while the answer is cut. */
  readonly input: string;
}

export function calledTools(dialect: Protocol, raw: string): readonly SeenCall[] {
  const whole = objectOf(parseJson(raw));
  return whole === null ? STREAMED[dialect](eventsIn(raw)) : WHOLE[dialect](whole);
}

function eventsIn(raw: string): readonly JsonObject[] {
  return [...raw.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => parseJson(data)).filter(isMap);
}

type Events = (events: readonly JsonObject[]) => readonly SeenCall[];

const first = (list: unknown): JsonObject => objectOf(listOf(list)[0]) ?? {};
const inputOf = (value: unknown): string => JSON.stringify(value ?? {});

const WHOLE: Readonly<Record<Protocol, (body: JsonObject) => readonly SeenCall[]>> = {
  "openai-chat": (body) =>
    objectsOf(objectOf(first(body["choices"])["message"])?.["tool_calls"])
      .map((call) => objectOf(call["function"]) ?? {})
      .map((called) => ({ name: textOf(called["name"]), input: textOf(called["arguments"]) })),
  "openai-responses": (body) =>
    objectsOf(body["output"])
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ name: textOf(item["name"]), input: textOf(item["arguments"]) })),
  "anthropic-messages": (body) =>
    objectsOf(body["content"])
      .filter(({ type }) => type === "tool_use")
      .map((block) => ({ name: textOf(block["name"]), input: inputOf(block["input"]) })),
  "google-generate": googleCalls,
};

function googleCalls(piece: JsonObject): readonly SeenCall[] {
  return objectsOf(objectOf(first(piece["candidates"])["content"])?.["parts"])
    .map((part) => objectOf(part["functionCall"]))
    .filter((call) => call !== null)
    .map((call) => ({ name: textOf(call["name"]), input: inputOf(call["args"]) }));
}

/** Calls that arrive in pieces, by the place they have in the answer. A second start at one place is another call. */
class Collected {
  readonly calls: { name: string; input: string }[] = [];
  readonly #open = new Map<unknown, { name: string; input: string }>();

  start(place: unknown, name: string): void {
    const call = { name, input: "" };
    this.calls.push(call);
    this.#open.set(place, call);
  }

  add(place: unknown, piece: unknown): void {
    const call = this.#open.get(place);
    if (call !== undefined) call.input += textOf(piece);
  }
}

const STREAMED: Readonly<Record<Protocol, Events>> = {
  "openai-chat": (events) => {
    const found = new Collected();
    for (const event of events) {
      for (const { index, id, function: called } of objectsOf(
        objectOf(first(event["choices"])["delta"])?.["tool_calls"],
      )) {
        const own = objectOf(called) ?? {};
        if (typeof id === "string" && id !== "") found.start(index, textOf(own["name"]));
        found.add(index, own["arguments"]);
      }
    }
    return found.calls;
  },
  "openai-responses": (events) => {
    const found = new Collected();
    for (const { type, item, output_index: place, delta } of events) {
      const added = objectOf(item) ?? {};
      if (type === "response.output_item.added" && added["type"] === "function_call")
        found.start(place, textOf(added["name"]));
      if (type === "response.function_call_arguments.delta") found.add(place, delta);
    }
    return found.calls;
  },
  "anthropic-messages": (events) => {
    const found = new Collected();
    for (const { type, index, content_block: block, delta } of events) {
      const begun = objectOf(block) ?? {};
      if (type === "content_block_start" && begun["type"] === "tool_use") found.start(index, textOf(begun["name"]));
      if (type === "content_block_delta") found.add(index, objectOf(delta)?.["partial_json"]);
    }
    return found.calls;
  },
  "google-generate": (events) => events.flatMap(googleCalls),
};
