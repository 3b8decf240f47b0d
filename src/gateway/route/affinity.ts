// Which target a conversation stays with. Vendors cache the beginning of a conversation, so one that a fallback has taken over stays
// with that fallback while it answers. A new conversation begins with the first choice again.
// N1  Conversations that the first choice answers are not remembered.
// N2  The memory is bounded: the least recently used conversations are forgotten first.

import type { IncomingHttpHeaders } from "node:http";
import { type JsonObject, objectOf, objectsOf, textOf } from "../../core/json-fields.ts";
import { sha256 } from "../key/sha256.ts";

const MAX_CONVERSATIONS = 50_000;

/** The names under which a conversation's place is remembered. */
export interface Conversation {
  readonly name: string;
  /**
   * The name of its first request: a hash of the prompt only, so equal prompts share it. `name` also covers the first answer.
   * null: this is the first request, or the client or the vendor has named the conversation.
   */
  readonly opening: string | null;
  /** This is its first request, so it begins with the first choice. */
  readonly isNew: boolean;
}

export class Affinity {
  readonly #places = new Map<string, string>();

  /** While it is empty, callers need not compute the name of a conversation. */
  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** The fallback that it stays with; null when it begins with the first choice. */
  place({ name, opening, isNew }: Conversation): string | null {
    if (isNew) return null;
    return this.#places.get(name) ?? (opening === null ? null : (this.#places.get(opening) ?? null));
  }

  /** `fallback`: the target that answered; null if it was the first choice. */
  note({ name, opening }: Conversation, fallback: string | null): void {
    this.#places.delete(name);
    if (opening !== null) this.#places.delete(opening);
    if (fallback === null) return;
    this.#places.set(name, fallback);
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MAX_CONVERSATIONS) break;
      this.#places.delete(oldest);
    }
  }
}

/** A conversation that the vendor has stored is named by the vendor's id. */
export function storedConversation(stored: string): Conversation {
  return { name: stored, opening: null, isNew: false };
}

/** Headers by which agents name their session. */
const SESSION_HEADERS = ["x-claude-code-session-id", "session_id", "x-session-id", "x-session-affinity"];

export function conversationOf(body: JsonObject, headers: IncomingHttpHeaders, client: string): Conversation {
  const named = SESSION_HEADERS.map((name) => headers[name]).find((value) => typeof value === "string" && value !== "");
  const given = typeof named === "string" ? named : textOf(body["prompt_cache_key"]) || textOf(body["session_id"]);
  if (given !== "") return { name: `${client}/${given}`, opening: null, isNew: false };
  const { messages, input, contents } = body;
  // The first request may be only a text. The next request has the same text as a message.
  const turns =
    typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(messages ?? input ?? contents);
  const system = body["system"] ?? body["instructions"] ?? body["systemInstruction"];
  const nameOf = (start: unknown): string => `${client}/${sha256(JSON.stringify(start).slice(0, MAX_HASHED))}`;
  const answerAt = turns.findIndex(isAnswer);
  const said = answerAt === -1 ? turns : turns.slice(0, answerAt);
  // Only the beginning is hashed, and many conversations share a long system prompt, so the last message comes first.
  const opening = nameOf([said.at(-1), system, said]);
  if (answerAt === -1) return { name: opening, opening: null, isNew: true };
  return { name: nameOf([opening, turns[answerAt]]), opening, isNew: false };
}

const MAX_HASHED = 16_384;
const ANSWERS: ReadonlySet<unknown> = new Set(["assistant", "model", "function_call", "reasoning"]);

function isAnswer({ role, type }: JsonObject): boolean {
  return ANSWERS.has(role) || ANSWERS.has(type);
}

/** The id of what the vendor has stored and this request continues; null for none. */
export function storedState(body: JsonObject): string | null {
  const conversation = textOf(body["conversation"]) || textOf(objectOf(body["conversation"])?.["id"]);
  return textOf(body["previous_response_id"]) || conversation || null;
}
