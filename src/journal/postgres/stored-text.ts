// Text as PostgreSQL can hold and index it: without the character NUL, and not longer than an index takes.

import { sha256 } from "../chain.ts";

const MAX_TAG_CHARS = 400;
const DIGEST_CHARS = 32;

export function indexable(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

/** A long tag is known by its beginning and its hash. */
export function tagText(tag: string): string {
  const text = indexable(tag);
  if (text.length <= MAX_TAG_CHARS) return text;
  return `${text.slice(0, MAX_TAG_CHARS).toWellFormed()}…${sha256(text).slice(0, DIGEST_CHARS)}`;
}
