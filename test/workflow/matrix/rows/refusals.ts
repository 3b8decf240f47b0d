// Cases that are refused before anything happens: seed 000's Validation, and the part of Session that a resume detects.

import type { Setting } from "../world.ts";
import { AGENT } from "./expect.ts";

export interface Refusal extends Setting {
  readonly name: string;
  readonly seed: string;
  readonly injected: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Replacements in the file when the run is resumed. */
  readonly changedTo?: Readonly<Record<string, string>>;
  readonly refusedAt: "reading the file" | "starting the run" | "resuming the run";
  /** Diagnostic codes, or the class and code of the fault. */
  readonly with: readonly string[];
  /** Part of the person's text. */
  readonly says: string;
}

const VALIDATION = "000 Validation";
const WITH_INPUT = { "agents:\n": "inputs: { count: { type: integer } }\nagents:\n" };

export const REFUSALS: readonly Refusal[] = [
  {
    name: "a file that is not YAML",
    seed: VALIDATION,
    injected: "a bracket that is not closed",
    file: AGENT,
    edits: { "{ model: openai/coder }": "{ model: openai/coder" },
    refusedAt: "reading the file",
    with: ["WFL001"],
    says: "this `{` is not closed",
  },
  {
    name: "a file with an unknown format version",
    seed: VALIDATION,
    injected: "`faultline: 9`",
    file: AGENT,
    edits: { "faultline: 1": "faultline: 9" },
    refusedAt: "reading the file",
    with: ["WFL004"],
    says: "faultline",
  },
  {
    name: "a node with an unknown agent",
    seed: VALIDATION,
    injected: "`agent: codre`",
    file: AGENT,
    edits: { "agent: coder,": "agent: codre," },
    refusedAt: "reading the file",
    with: ["WFL012"],
    says: "codre",
  },
  {
    name: "a cycle that never ends",
    seed: VALIDATION,
    injected: "a node that leads to itself without a `max`",
    file: AGENT,
    edits: { "prompt: Write it.": "prompt: Write it., next: coder" },
    refusedAt: "reading the file",
    with: ["WFL019"],
    says: "max",
  },
  {
    name: "a missing required input",
    seed: VALIDATION,
    injected: "no `count`",
    file: AGENT,
    edits: WITH_INPUT,
    refusedAt: "starting the run",
    with: ["Validation/ShapeInvalid"],
    says: "count",
  },
  {
    name: "an input of another type",
    seed: VALIDATION,
    injected: "`count: many`",
    file: AGENT,
    edits: WITH_INPUT,
    inputs: { count: "many" },
    refusedAt: "starting the run",
    with: ["Validation/ShapeInvalid"],
    says: "count",
  },
  {
    name: "a run whose workflow has changed since it started",
    seed: "000 Session (ResumeMismatch)",
    injected: "the prompt was changed meanwhile",
    file: AGENT,
    changedTo: { "Write it.": "Write something else." },
    refusedAt: "resuming the run",
    with: ["Session/ResumeMismatch"],
    says: "continue with the changed workflow (accept), or with the one it was started with (as-started)",
  },
];
