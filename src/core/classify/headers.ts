// Response headers, whatever holds them and however they are written, and what some of them say about the cause.

import { isA, readField, readWith, tryRead } from "../try-read.ts";
import { addToken, type Signals } from "./signals.ts";

export type HeaderReader = (name: string) => string | undefined;

/** Adds what headers alone tell: AWS names the exception in one, a Claude plan says in another that its window is used up. */
export function readHeaders(signals: Signals, header: HeaderReader): void {
  addToken(signals, header("x-amzn-errortype")?.split(":")[0]);
  if (header("anthropic-ratelimit-unified-status") === "rejected") signals.tokens.add("plan:rejected");
}

/** Reads a header from whatever holds headers, whatever its letter case; null when nothing holds any. */
export function createHeaderReader(headers: unknown): HeaderReader | null {
  if (typeof headers !== "object" || headers === null) return null;
  // `new String(…)` has a key for every character: looking through the keys of a long one takes minutes.
  if (isA(headers, String)) return null;
  // An object with the names in it, which most clients give, has no method of this name.
  const get = readField(headers, "get");
  if (typeof get === "function" && tryRead(() => typeof Headers === "function" && headers instanceof Headers, false)) {
    return (name) => headerText(tryRead(() => (headers as Headers).get(name), undefined));
  }
  let byName: Map<string, unknown> | undefined;
  return (name) => {
    const direct = readField(headers, name);
    return headerText(direct ?? (byName ??= otherwiseNamed(headers)).get(name));
  };
}

const NO_HEADERS = new Map<string, unknown>();

/** Most clients lower-case header names, so a plain lookup usually settles it. */
function otherwiseNamed(headers: object): Map<string, unknown> {
  return readWith(headers, isLowerCased) === true ? NO_HEADERS : lowerCased(headers);
}

function isLowerCased(headers: object): boolean {
  return !Array.isArray(headers) && !(headers instanceof Map) && !/[A-Z]/.test(Object.keys(headers).join(" "));
}

/** No server sends more. A hostile array can claim four billion items, and a hostile Map can iterate without end. */
const MAX_HEADERS = 256;

function lowerCased(headers: object): Map<string, unknown> {
  const byName = new Map<string, unknown>();
  const pairs = tryRead(() => pairsOf(headers), []);
  for (const pair of pairs.slice(0, MAX_HEADERS)) {
    if (Array.isArray(pair) && typeof pair[0] === "string") byName.set(pair[0].toLowerCase(), pair[1]);
  }
  return byName;
}

/** A Map, pairs, names and values in turn (Node's raw headers), or an object. */
function pairsOf(headers: object): readonly unknown[] {
  if (headers instanceof Map) return firstPairs(headers as Map<unknown, unknown>);
  if (!Array.isArray(headers)) return Object.entries(headers);
  const list = Array.prototype.slice.call(headers, 0, 2 * MAX_HEADERS) as readonly unknown[];
  if (list.every((item) => typeof item !== "string")) return list;
  return list.flatMap((item, index) => (index % 2 === 0 ? [[item, list[index + 1]]] : []));
}

function firstPairs(headers: Iterable<unknown>): readonly unknown[] {
  const pairs: unknown[] = [];
  for (const pair of headers) if (pairs.push(pair) === MAX_HEADERS) break;
  return pairs;
}

function headerText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === "number") return String(first);
  return typeof first === "string" && first.length <= 1024 ? first : undefined;
}
