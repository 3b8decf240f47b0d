// A workflow file as programs use it: plain data, checked, with everything decided. `src/workflow/definition/compile.ts` makes stages of it.

import type { Policy } from "../core/index.ts";
import type { AgentSpec, NodeOptions, ToolSpec } from "../workflow-model/node-options.ts";
import type { WorkflowLimits, WorkflowSource } from "../workflow-model/stage.ts";
import type { INPUT_TYPES } from "./schema.ts";

export interface WorkflowDefinition {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** Of the file and of every file it refers to. */
  readonly digest: string;
  /** Enough to read it again when its files are gone: `read: (name) => source.files[name] ?? null`. */
  readonly source: WorkflowSource;
  readonly inputs: readonly InputSpec[];
  readonly limits: WorkflowLimits;
  /** null: nothing is said about it. */
  readonly policy: Policy | null;
  readonly agents: readonly AgentSpec[];
  readonly tools: readonly ToolSpec[];
  /** In the order of the file. */
  readonly nodes: readonly NodeOptions[];
  readonly start: string;
}

export type InputType = (typeof INPUT_TYPES)[number];

export interface InputSpec {
  readonly name: string;
  readonly type: InputType;
  readonly description: string;
  /** The only values it may have; null for any of its type. */
  readonly choices: readonly (string | number | boolean)[] | null;
  /** Wrapped, because null is a value too. */
  readonly default: { readonly value: unknown } | null;
  readonly required: boolean;
  readonly secret: boolean;
}
