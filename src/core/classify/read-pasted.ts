// A failure as someone copied it: an HTTP answer, JSON, the output of a process, or any text. Finds out which, and what it is evidence of.

import { parseJson } from "../try-read.ts";
import type { Evidence, Surface } from "./evidence.ts";

export type PastedKind = "http" | "json" | "process" | "text";

export interface Pasted {
  readonly kind: PastedKind;
  /** Where such a failure is usually seen. */
  readonly surface: Surface;
  readonly evidence: Omit<Evidence, "surface">;
}

export function readPasted(text: string): Pasted {
  const trimmed = text.trim();
  return readHttp(trimmed) ?? readJson(trimmed) ?? readProcess(trimmed);
}

/** `HTTP/1.1 429 Too Many Requests`, `HTTP/2 503`, `status: 401`, or a line with nothing but the status and its name. */
const STATUS_LINE =
  /^(?:HTTP\/\d(?:\.\d)?[ \t]+|[Ss]tatus(?:[ _]code)?[ \t]*[:=]?[ \t]*)?([1-5]\d\d)(?:[ \t]+[A-Z][A-Za-z-]{0,20}){0,4}$/;
const HEADER = /^([A-Za-z][\w-]{0,60}):[ \t]*(.{0,4000})$/;
/** How `curl -v` marks what the server sent. */
const RECEIVED = /^<[ \t]?/;

function readHttp(text: string): Pasted | null {
  const all = text.split(/\r?\n/);
  const isMarked = all.some((line) => /^<[ \t]?HTTP\//.test(line));
  const lines = isMarked ? receivedOf(all) : all;
  const status = STATUS_LINE.exec(lines[0] ?? "")?.[1];
  if (status === undefined) return null;
  const headers: Record<string, string> = {};
  let at = 1;
  for (; at < lines.length; at++) {
    const [, name, value] = HEADER.exec(lines[at] ?? "") ?? [];
    if (name === undefined || value === undefined) break;
    headers[name.toLowerCase()] = value;
  }
  const body = lines.slice(at).join("\n").trim();
  return {
    kind: "http",
    surface: "http",
    evidence: { status: Number(status), headers, ...(body === "" ? {} : { body: parsed(body) ?? body }) },
  };
}

/** The answer in what `curl -v` printed: marked lines first, then everything that carries no mark. */
function receivedOf(lines: readonly string[]): readonly string[] {
  const head = lines.filter((line) => RECEIVED.test(line)).map((line) => line.replace(RECEIVED, "").trimEnd());
  const body = lines.filter((line) => line !== "" && !/^[<>*{}][ \t]|^[<>*]$/.test(line));
  return [...head.slice(head.findLastIndex((line) => line.startsWith("HTTP/"))), ...body];
}

const HTTP_KEYS = ["headers", "body"] as const;

function readJson(text: string): Pasted | null {
  const value = parsed(text);
  if (value === null) return null;
  const { status, message, ...more } = value;
  const isAnswer = typeof status === "number" && HTTP_KEYS.some((key) => key in more);
  if (isAnswer)
    return { kind: "http", surface: "http", evidence: { status, headers: more["headers"], body: more["body"] } };
  const isThrown = typeof message === "string" && ("stack" in more || "name" in more || "code" in more);
  return isThrown
    ? { kind: "json", surface: "node", evidence: { error: value } }
    : { kind: "json", surface: "http", evidence: { body: value } };
}

/** `exited with code 137`, `exit status 1`, `exit code: 2`. */
const EXIT = /\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,3}(\d{1,3})\b/i;

function readProcess(text: string): Pasted {
  const code = EXIT.exec(text)?.[1];
  const evidence = { message: text };
  return code === undefined
    ? { kind: "text", surface: "cli", evidence }
    : { kind: "process", surface: "cli", evidence: { ...evidence, exitCode: Number(code) } };
}

/** An object or a list; null for everything else. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  const value = text.startsWith("{") || text.startsWith("[") ? parseJson(text) : undefined;
  return (value as Readonly<Record<string, unknown>> | undefined) ?? null;
}
