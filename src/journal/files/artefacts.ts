// Output that is too large or too raw for the journal, such as a transcript, as files beside it. Without secrets,
// with a limit on their size, readable by their owner only, and gone with their session.

import { nodeFs } from "../../host/builtin.ts";
import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import type { Redactor } from "../../core/fault/redact.ts";
import { fileNameOf, isFileName } from "./artefact-names.ts";
import { unfit } from "../journal-faults.ts";
import { type FileStore, folderStore, type JournalFiles } from "./file-store.ts";

interface Artefact {
  readonly session: string;
  readonly call: string;
  readonly name: string;
  readonly content: string | Uint8Array;
}

interface KeptArtefact {
  /** Names it for `readArtefact`: `session/call/name`, as the files are called. */
  readonly ref: string;
  /** Hash and size of the file on disk. */
  readonly bytes: number;
  /** It was longer: its middle is missing. */
  readonly cut: boolean;
}

interface ArtefactOptions {
  readonly maxBytes?: number;
  readonly redactor: Redactor;
}

const MAX_BYTES = 1024 * 1024;
/** A limit below this would leave nothing but the mark that says so. */
const MIN_BYTES = 256;

/** The folder in which a journal keeps large outputs of failed attempts. */
export function artefactsFolder(journalPath: string): string {
  return `${journalPath}.artefacts`;
}

/** Where the files about failed stages of runs are, a folder for each run. */
export function runsFolder(journalPath: string): string {
  return `${journalPath}.runs`;
}

/** The files of a journal in a file of its own. */
export function filesBeside(journalPath: string): JournalFiles {
  return { artefacts: folderStore(artefactsFolder(journalPath)), runs: folderStore(runsFolder(journalPath)) };
}

/** Writes the file and syncs it, so that an entry that names it never points at nothing. A second one of the same name gets a number. */
export async function keepArtefact(
  store: FileStore,
  { session, call, name, content }: Artefact,
  { maxBytes = MAX_BYTES, redactor }: ArtefactOptions,
): Promise<KeptArtefact> {
  if (!(maxBytes >= MIN_BYTES)) throw unfit(`maxBytes must be at least ${MIN_BYTES}, and is ${maxBytes}.`);
  const { bytes, cut } = fit(content, maxBytes, redactor);
  const folder = `${fileNameOf(session)}/${fileNameOf(call)}`;
  const file = await store.writeNew(folder, fileNameOf(name), bytes);
  return { ref: `${folder}/${file}`, bytes: bytes.length, cut };
}

/** Whether it has the form of a `ref`; one that has not could lead out of the folder. */
export function isArtefactRef(ref: string): boolean {
  const parts = ref.split("/");
  return parts.length === 3 && parts.every(isFileName);
}

/** `place`: the artefacts of a journal (`journal.files.artefacts`), or their folder. null when it is not there: its session was removed. */
export async function readArtefact(place: string | FileStore, ref: string): Promise<Uint8Array | null> {
  if (!isArtefactRef(ref)) {
    throw unfit(`${JSON.stringify(ref)} names no artefact. Use the ref of an artefact-kept entry.`);
  }
  return (typeof place === "string" ? folderStore(place) : place).read(ref);
}

/** In one go, because the session is removed within a transaction. */
export function removeArtefacts(folder: string, session: string): void {
  nodeFs().rmSync(join(folder, fileNameOf(session)), { recursive: true, force: true });
}

// Takes secrets out of a long text and keeps its head and its tail when it is too long. The redactor reads a limited
// length at a time, so the text is cut into pieces, at places where no secret lies across the cut.

interface Fitted {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

/** A piece that the redactor reads as a whole. */
const PIECE_CHARS = 131_072;
/** How far on both sides of a cut a secret is looked for. */
const REACH_CHARS = 8192;
const STEP_BACK_CHARS = 1021;
const MAX_STEPS_BACK = 64;

export function fit(content: string | Uint8Array, maxBytes: number, redactor: Redactor): Fitted {
  const { text, encoding } = textOf(content);
  // Redacting may shorten the text, so the ends are read until there is enough of them.
  const head = redactFrom(text, 0, maxBytes, encoding, redactor);
  if (head.end === text.length && head.bytes.length <= maxBytes) return { bytes: head.bytes, cut: false };
  const given = Buffer.byteLength(text, encoding);
  const mark = Buffer.from(`\n… cut here: ${given} bytes were given, ${maxBytes} are kept …\n`, "utf8");
  const room = Math.max(0, maxBytes - mark.length);
  const tailBytes = Math.floor(room / 2);
  const first = wholeChars(head.bytes.subarray(0, room - tailBytes), encoding);
  const last = lastBytes(text, tailBytes, encoding, redactor);
  return { bytes: Buffer.concat([first, mark, last]).subarray(0, maxBytes), cut: true };
}

interface Decoded {
  readonly text: string;
  readonly encoding: "utf8" | "latin1";
}

/** Content that is not text is read byte by byte and comes out unchanged except for masked secrets. */
function textOf(content: string | Uint8Array): Decoded {
  if (typeof content === "string") return { text: content.toWellFormed(), encoding: "utf8" };
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const encoding = isUtf8(buffer) ? "utf8" : "latin1";
  return { text: buffer.toString(encoding), encoding };
}

/** Redacts from `start` until more than `enough` bytes are there, or the text ends. */
function redactFrom(
  text: string,
  start: number,
  enough: number,
  encoding: Decoded["encoding"],
  redactor: Redactor,
): { readonly bytes: Buffer; readonly end: number } {
  const pieces: Buffer[] = [];
  let size = 0;
  let at = start;
  while (at < text.length && size <= enough) {
    const end = cutAt(text, at + PIECE_CHARS, at, redactor);
    const piece = Buffer.from(redactor.text(text.slice(at, end)), encoding);
    pieces.push(piece);
    size += piece.length;
    at = end;
  }
  return { bytes: Buffer.concat(pieces), end: at };
}

function lastBytes(text: string, wanted: number, encoding: Decoded["encoding"], redactor: Redactor): Buffer {
  const start = cutAt(text, Math.max(0, text.length - wanted - REACH_CHARS), 0, redactor);
  const { bytes } = redactFrom(text, start, Infinity, encoding, redactor);
  let from = Math.max(0, bytes.length - wanted);
  while (encoding === "utf8" && from < bytes.length && isInsideChar(bytes[from])) from++;
  return bytes.subarray(from);
}

/** The nearest place at or before `wanted` where redacting both sides apart gives the same as redacting them together. */
function cutAt(text: string, wanted: number, floor: number, redactor: Redactor): number {
  if (wanted >= text.length) return text.length;
  for (let step = 0, at = wanted; step < MAX_STEPS_BACK && at > floor; step++, at -= STEP_BACK_CHARS) {
    const place = isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
    const left = text.slice(Math.max(0, place - REACH_CHARS), place);
    const right = text.slice(place, place + REACH_CHARS);
    if (place > floor && redactor.text(left + right) === redactor.text(left) + redactor.text(right)) return place;
  }
  return wanted;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The bytes without a character at the end that was cut through. */
function wholeChars(bytes: Buffer, encoding: Decoded["encoding"]): Buffer {
  if (encoding === "latin1") return bytes;
  let end = bytes.length;
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isInsideChar(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(0, end);
}

/** The second or a later byte of a character in UTF-8. */
function isInsideChar(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
