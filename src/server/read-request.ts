// Reads a request: its language, its body up to a limit, and its parts by the shapes of its route.

import { locales, type z } from "zod";
import type { ProblemPointer } from "../core/fault/problem.ts";
import { type Locale, resolveLocale } from "../core/fault/words/words.ts";
import type { RouteSpec } from "../api/route.ts";
import { Refused } from "./problems.ts";

export interface ReadParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** The body as it came, for the fingerprint of an idempotent request. */
  readonly text: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
const NOTHING = Object.freeze({});

export async function readParts(
  spec: RouteSpec,
  request: Request,
  params: Readonly<Record<string, string>>,
  locale: Locale,
): Promise<ReadParts> {
  const text = spec.body === undefined ? "" : await readBody(request);
  const parts = {
    params: spec.params === undefined ? NOTHING : read("params", spec.params, params, locale),
    query: spec.query === undefined ? NOTHING : read("query", spec.query, queryOf(request), locale),
    body: spec.body === undefined ? undefined : read("body", spec.body, jsonOf(text), locale),
  };
  return { ...parts, text };
}

/** What is wrong with a field, in the sender's language. */
const WORDS = {
  "en": { ...locales.en(), noField: "there is no such field" },
  "zh-CN": { ...locales.zhCN(), noField: "没有这个字段" },
} as const;

const MAX_ERRORS = 20;

function read(part: string, shape: z.ZodType, value: unknown, locale: Locale): unknown {
  const result = shape.safeParse(value, { error: WORDS[locale].localeError });
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) => pointers(part, issue, locale));
  throw new Refused("invalid", { errors: errors.slice(0, MAX_ERRORS) });
}

function pointers(part: string, issue: z.core.$ZodIssue, locale: Locale): readonly ProblemPointer[] {
  const at = [...(part === "body" ? [] : [part]), ...issue.path.map(String)];
  if (issue.code !== "unrecognized_keys") return [{ pointer: pointerTo(at), detail: issue.message }];
  return issue.keys.map((key) => ({ pointer: pointerTo([...at, key]), detail: WORDS[locale].noField }));
}

function pointerTo(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function queryOf(request: Request): Readonly<Record<string, string>> {
  const { searchParams } = new URL(request.url);
  return Object.fromEntries(searchParams);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(new Refused("bad-json"), { cause: error });
  }
}

/** Stops reading at the limit, whatever the length that was announced. The HTTP server limits the time. */
async function readBody(request: Request): Promise<string> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Refused("not-json");
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw new Refused("too-large");
  if (request.headers.has("content-length")) return request.text();
  return readChunks(request);
}

async function readChunks(request: Request): Promise<string> {
  const body: ReadableStream<Uint8Array> | null = request.body;
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const read = await reader.read();
    if (read.done) break;
    bytes += read.value.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Refused("too-large");
    chunks.push(read.value);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The first language of `Accept-Language` that we speak, by its weight; English when there is none. */
export function localeOf(header: string | null): Locale {
  const tags = (header ?? "")
    .split(",")
    .slice(0, 20)
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().split(";");
      const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find((each) => each !== undefined);
      return { tag: tag.toLowerCase(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => weight > 0 && (tag.startsWith("zh") || tag.startsWith("en") || tag === "*"))
    .sort((a, b) => b.weight - a.weight);
  return resolveLocale(tags[0]?.tag ?? "en");
}
