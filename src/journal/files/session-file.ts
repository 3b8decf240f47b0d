// A session, or the end of one, as lines of JSON: a header, its entries with their hashes, values kept with it, a footer.
// S1  every line is checked by a hash: of the chain, of its own, or by the footer's over all lines.
// S2  a file that was changed, cut or written by something else is refused, with the number of the line.

import { nodeCrypto } from "../../host/builtin.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import { isMap, type JsonObject } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";
import { isKeepKind } from "../keep-kinds.ts";
import { chainStart, nextLink, sha256 } from "../chain.ts";
import { jsonOf } from "../encode.ts";
import type { Keep, NewEntry } from "../journal.ts";
import { drift } from "../journal-faults.ts";

export const FILE_FORMAT = "faultline-session";
export const FILE_VERSION = 1;

export interface SessionFileHeader {
  readonly storeId: string;
  readonly session: string;
  /** The entries begin after this number: 0 for a whole session. */
  readonly after: number;
  /** How many there are. */
  readonly entries: number;
  /** When it was written, or the newest entry happened. */
  readonly at: number;
}

export interface SessionFile extends SessionFileHeader {
  readonly content: readonly NewEntry[];
  readonly keeps: readonly Keep[];
}

/** Gives the lines of a file one by one, without their ends. Header first, then entries, then values, then the footer. */
export interface SessionFileWriter {
  header(): string;
  entry(entry: NewEntry): string;
  kept(keep: Keep): string;
  footer(): string;
}

export function createSessionFileWriter(header: SessionFileHeader): SessionFileWriter {
  const { storeId, session, after, entries, at } = header;
  const all = nodeCrypto().createHash("sha256");
  let seq = after;
  let lastHash = chainStart(session, after);
  let keptCount = 0;

  function line(text: string): string {
    all.update(`${text}\n`);
    return text;
  }

  return {
    header: () =>
      line(JSON.stringify({ format: FILE_FORMAT, version: FILE_VERSION, storeId, session, after, entries, at })),
    entry(entry) {
      const { type } = entry.event;
      const body = jsonOf(entry.event, `A ${type} event`);
      lastHash = nextLink(lastHash, ++seq, entry.at, type, body);
      return line(`{"seq":${seq},"at":${entry.at},"event":${body},"hash":"${lastHash}"}`);
    },
    kept({ kind, key, value }) {
      keptCount++;
      const text = `{"kind":"${kind}","key":${JSON.stringify(key)},"value":${jsonOf(value, `The ${kind} kept under ${key}`)}}`;
      return line(`${text.slice(0, -1)},"hash":"${sha256(text)}"}`);
    },
    footer: () =>
      JSON.stringify({ end: true, entries: seq - after, kept: keptCount, lastHash, fileHash: all.digest("hex") }),
  };
}

/** Reads and checks a whole file; returns exactly what was exported. */
export async function readSessionFile(lines: AsyncIterable<string> | Iterable<string>): Promise<SessionFile> {
  let reader: Reader | null = null;
  let lineNumber = 0;
  for await (const raw of lines) {
    lineNumber++;
    // What carries files about may change the ends of lines.
    const text = withoutEscapes(raw.replace(/^\ufeff/, "").replace(/\r?\n?$/, ""));
    if (text === "" && (reader === null || reader.isDone())) continue;
    reader = reader === null ? createReader(text, lineNumber) : reader.next(text, lineNumber);
  }
  if (reader === null) throw bad(1, "there is nothing in it");
  return reader.file(lineNumber);
}

/**
 * Lines are checked by the text they were written as. Exports escape characters that reverse or hide text, which JSON itself
 * leaves as they are: here they are put back.
 */
function withoutEscapes(line: string): string {
  return line.replace(/\\(?:u([0-9a-f]{4})|[^])/g, (escape, hex?: string) => {
    const code = hex === undefined ? 0 : parseInt(hex, 16);
    return code < FIRST_UNESCAPED || isSurrogate(code) ? escape : String.fromCharCode(code);
  });
}

/** From here on JSON.stringify escapes nothing but lone surrogates. */
const FIRST_UNESCAPED = 0x7f;

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

interface Reader {
  next(text: string, lineNumber: number): Reader;
  isDone(): boolean;
  file(lineCount: number): SessionFile;
}

function createReader(headerText: string, headerLine: number): Reader {
  const header = readHeader(headerText, headerLine);
  const writer = createSessionFileWriter(header);
  const content: NewEntry[] = [];
  const keeps: Keep[] = [];
  let isDone = false;
  if (writer.header() !== headerText) throw bad(headerLine, "the header was changed");

  function readEntry(fields: JsonObject, text: string, lineNumber: number): void {
    const { seq, at, event } = fields;
    const expected = header.after + content.length + 1;
    if (seq !== expected) throw bad(lineNumber, `it holds entry ${String(seq)} where entry ${expected} must follow`);
    if (!Number.isFinite(at) || !isEvent(event)) throw bad(lineNumber, "it is not an entry");
    const entry: NewEntry = { at: at as number, event };
    if (writer.entry(entry) !== text) throw bad(lineNumber, `entry ${expected} was changed`);
    content.push(entry);
  }

  function readKept({ kind, key, value }: JsonObject, text: string, lineNumber: number): void {
    if (!isKeepKind(kind) || typeof key !== "string" || value === undefined)
      throw bad(lineNumber, "it is not a kept value");
    const keep: Keep = { kind, key, value };
    if (writer.kept(keep) !== text) throw bad(lineNumber, `the ${kind} kept under ${key} was changed`);
    keeps.push(keep);
  }

  function readFooter(text: string, lineNumber: number): void {
    if (content.length !== header.entries) {
      throw bad(lineNumber, `the file ends after ${content.length} of ${header.entries} entries`);
    }
    // Every line but the first is checked by now, so a difference can only be there or here.
    if (writer.footer() !== text) throw bad(headerLine, `it, or the last line (${lineNumber}), was changed`);
    isDone = true;
  }

  const reader: Reader = {
    next(text, lineNumber) {
      if (isDone) throw bad(lineNumber, "it stands behind the end of the file");
      const fields = parseJson(text);
      if (!isMap(fields)) throw bad(lineNumber, "it is not JSON: the line was cut or changed");
      if ("end" in fields) readFooter(text, lineNumber);
      else if ("kind" in fields) readKept(fields, text, lineNumber);
      else readEntry(fields, text, lineNumber);
      return reader;
    },
    isDone: () => isDone,
    file(lineCount) {
      if (!isDone) throw bad(lineCount + 1, "the file was cut: its last line is missing");
      return { ...header, content, keeps };
    },
  };
  return reader;
}

function readHeader(text: string, lineNumber: number): SessionFileHeader {
  const fields = parseJson(text);
  if (!isMap(fields) || fields["format"] !== FILE_FORMAT)
    throw bad(lineNumber, "it is not the header of a session file");
  const { version, storeId, session, after, entries, at } = fields;
  if (version !== FILE_VERSION) {
    throw bad(lineNumber, `the file has version ${String(version)} and this program knows ${FILE_VERSION}: upgrade it`);
  }
  const isWhole = isName(storeId) && isName(session) && isCount(after) && isCount(entries) && Number.isFinite(at);
  if (!isWhole) throw bad(lineNumber, "the header lacks something");
  return { storeId, session, after, entries, at: at as number };
}

function bad(lineNumber: number, why: string): Error {
  return drift(
    `This session file cannot be trusted, line ${lineNumber}: ${why}. Nothing was imported; export the session again, or look for another copy.`,
    { context: { line: lineNumber } },
  );
}

function isEvent(value: unknown): value is JournalEvent {
  return isMap(value) && typeof value["type"] === "string" && value["type"] !== "";
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
