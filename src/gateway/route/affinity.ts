// Which target a conversation stays with. Vendors cache a conversation's beginning, so a conversation that a fallback has taken over
// stays there while it answers. A new conversation begins with the first choice again.
// N1  Nothing is remembered of conversations that the first choice answers.
// N2  The memory is bounded: the least recently used conversations are forgotten first.

import type { IncomingHttpHeaders } from "node:http";
import { type JsonObject, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import { sha256 } from "../key/sha256.ts";

const MAX_CONVERSATIONS = 50_000;

export class Affinity {
  readonly #places = new Map<string, string>();

  /** While it is empty, callers need not compute the name of a conversation. */
  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** The fallback that it stays with; null when it begins with the first choice. */
  place(conversation: string): string | null {
    return this.#places.get(conversation) ?? null;
  }

  /** `fallback`: the target that answered; null if it was the first choice. */
  note(conversation: string, fallback: string | null): void {
    this.#places.delete(conversation);
    if (fallback === null) return;
    this.#places.set(conversation, fallback);
    for (const oldest of this.#places.keys()) if (this.#places.size > MAX_CONVERSATIONS) this.#places.delete(oldest);
  }
}

/** Headers by which agents name their session. */
const SESSION_HEADERS = ["x-claude-code-session-id", "session_id", "x-session-id", "x-session-affinity"];

/** A name for the conversation that a request belongs to; null for the first request of one that has no name. */
export function conversationOf(body: JsonObject, headers: IncomingHttpHeaders, client: string): string | null {
  const named = SESSION_HEADERS.map((name) => headers[name]).find((value) => typeof value === "string" && value !== "");
  const said = typeof named === "string" ? named : textOf(body["prompt_cache_key"]) || textOf(body["session_id"]);
  if (said !== "") return `${client}/${said}`;
  const turns = objectsOf(body["messages"] ?? body["input"] ?? body["contents"]);
  if (!turns.some(isAnswer)) return null;
  const start = JSON.stringify([
    body["system"] ?? body["instructions"] ?? body["systemInstruction"],
    turns[0],
    turns[1],
  ]);
  return `${client}/${sha256(start.slice(0, MAX_HASHED))}`;
}

const MAX_HASHED = 16_384;
const ANSWERS: ReadonlySet<unknown> = new Set(["assistant", "model", "function_call", "reasoning"]);

function isAnswer({ role, type }: JsonObject): boolean {
  return ANSWERS.has(role) || ANSWERS.has(type);
}

/** What a request continues at its vendor; null when it continues nothing there. */
export function storedState(body: JsonObject): string | null {
  const conversation = textOf(body["conversation"]) || textOf(objectOf(body["conversation"])?.["id"]);
  return textOf(body["previous_response_id"]) || conversation || null;
}
