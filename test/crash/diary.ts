// What the killed program wrote down about itself, read back. A line that a kill cut off was never finished: it is left out.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../src/core/try-read.ts";

interface Line {
  /** Which start of the program wrote it. */
  readonly life: number;
  /** The place among all lines of that life. */
  readonly order: number;
}

export interface Effect extends Line {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly attempt: number;
  readonly phase: "begin" | "end";
  readonly ok?: boolean;
  readonly value?: string;
}

export interface Append extends Line {
  readonly what: "appending" | "appended" | "refused";
  readonly session: string;
  readonly after: number;
  /** Of each event, in order. */
  readonly digests: readonly string[];
  readonly code?: string;
}

export interface Told extends Line {
  readonly what: "told";
  readonly session: string;
  readonly seq: number;
  readonly digest: string;
}

export interface Mark extends Line {
  readonly what: "loaded" | "opened" | "committing" | "committed";
}

/** The journal delivered an entry that nothing waited for. */
export interface Trouble extends Line {
  readonly what: "trouble";
  readonly code: string;
  readonly while: string;
}

export type Ack = Append | Told | Mark | Trouble;

export interface Result extends Line {
  readonly session: string;
  readonly turn: string;
  readonly status: string;
  /** Each step's name, status and value. */
  readonly outcomes: readonly (readonly [string, string, unknown])[];
  /** Of all that the caller was given. */
  readonly digest: string;
}

export interface Diary {
  readonly effects: readonly Effect[];
  readonly acks: readonly Ack[];
  readonly results: readonly Result[];
}

export function readDiary(folder: string): Diary {
  return {
    effects: linesOf(folder, "effects") as readonly Effect[],
    acks: linesOf(folder, "acks") as readonly Ack[],
    results: linesOf(folder, "results") as readonly Result[],
  };
}

function linesOf(folder: string, name: string): readonly unknown[] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.map((line) => parseJson(line)).filter((line) => typeof line === "object" && line !== null);
}

export function appendsOf({ acks }: Diary, what: Append["what"]): readonly Append[] {
  return acks.filter((ack): ack is Append => ack.what === what);
}
