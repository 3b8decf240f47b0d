// Reads the files that a workflow refers to: policy, schemas and prompts. They must be in its folder or below, so that a workflow
// cannot read foreign files. Each file is read once.

import { classify } from "../core/index.ts";
import { withoutMark } from "../yaml-file/diagnostic.ts";
import type { Path } from "../yaml-file/locate.ts";
import { type WorkflowFinding, finding, type ReferredFile } from "./codes.ts";

/** The text of a file beside the workflow, or the reason it cannot be read; null if it does not exist. */
export type ReadText = (relativeFile: string) => string | null | Unreadable;

/** A file that exists but cannot be read, and why. */
export interface Unreadable {
  readonly why: string;
}

const MAX_CHARS = 200_000;

export class ReferredFiles {
  readonly #read: ReadText;
  readonly #known = new Map<string, ReferredFile | string>();

  constructor(read: ReadText) {
    this.#read = read;
  }

  /** The readable files, by name. */
  get texts(): Readonly<Record<string, string>> {
    const read = [...this.#known.values()].flatMap((one) =>
      typeof one === "string" ? [] : [[one.name, one.text] as const],
    );
    return Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  open(name: string, path: Path): ReferredFile | WorkflowFinding {
    const known = this.#known.get(name) ?? this.#load(name);
    this.#known.set(name, known);
    if (typeof known !== "string") return known;
    const help = "Write a path from the workflow's folder, such as `prompts/coder.md`, and check that the file exists.";
    return finding("unreadable-file", path, `the file \`${name}\` cannot be read: ${known}`, "not readable", help);
  }

  /** The file, or the reason it cannot be read. */
  #load(name: string): ReferredFile | string {
    const outside = /^(?:[/\\~]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(name) || name.split(/[/\\]/).includes("..");
    if (outside) return "it is not in the workflow's folder or below";
    if (name.includes("\0") || name === "__proto__") return "that is not a file name";
    const text = this.#textOf(name);
    if ("why" in text) return text.why;
    if (text.text.includes("\0")) return "it is not UTF-8 text";
    return text.text.length > MAX_CHARS
      ? `it has more than ${MAX_CHARS} characters`
      : { name, text: withoutMark(text.text) };
  }

  #textOf(name: string): { readonly text: string } | Unreadable {
    try {
      const text = this.#read(name);
      if (text === null) return { why: "there is no such file" };
      return typeof text === "string" ? { text } : text;
    } catch (error) {
      // The error's own message may contain folder names of this machine.
      return { why: `reading it failed (${classify({ surface: "node", error }).code})` };
    }
  }
}

export function isFinding(value: ReferredFile | WorkflowFinding): value is WorkflowFinding {
  return "kind" in value;
}
