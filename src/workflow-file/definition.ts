// A checked workflow file as plain data, with all defaults filled in. `src/workflow/definition/load.ts` builds stages from it.

import type { Policy } from "../core/index.ts";
import type { ToolManifest } from "../tool-file/index.ts";
import type { AgentSpec, NodeOptions, ToolSpec } from "../workflow-model/node-options.ts";
import type { WorkflowLimits, WorkflowSource } from "../workflow-model/stage.ts";
import type { INPUT_TYPES } from "./schema.ts";

/** A workflow file as data, with everything resolved. */
export interface WorkflowDefinition {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** The hash of the file, of every file it refers to, and of those that apply to its folder. */
  readonly digest: string;
  /** Enough to load it again after its files are gone: `read: (name) => source.files[name] ?? null`. */
  readonly source: WorkflowSource;
  readonly inputs: readonly InputSpec[];
  readonly limits: WorkflowLimits;
  /** null: the file sets no policy. */
  readonly policy: Policy | null;
  readonly agents: readonly AgentSpec[];
  readonly tools: readonly ToolSpec[];
  /** What the tool manifests of its folder say about its tools. */
  readonly manifests: readonly ToolManifest[];
  /** In file order. */
  readonly nodes: readonly NodeOptions[];
  readonly start: string;
}

/** The types of inputs. */
export type InputType = (typeof INPUT_TYPES)[number];

/** An input that a workflow declares. */
export interface InputSpec {
  readonly name: string;
  readonly type: InputType;
  readonly description: string;
  /** The allowed values; null for any value of the type. */
  readonly choices: readonly (string | number | boolean)[] | null;
  /** Wrapped, because null is a valid default. */
  readonly default: { readonly value: unknown } | null;
  readonly required: boolean;
  readonly secret: boolean;
}
