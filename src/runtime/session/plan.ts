// A plan as a program writes it: named steps, each a tool with its input, its dependencies, and a fallback.

import type { PlanNode } from "../../core/flow/plan.ts";
import type { PlannedNode } from "../../core/record/event.ts";
import { checkOptions } from "../../options/check-options.ts";
import { anything, flag, listOf, required, shape, text } from "../../options/kind.ts";
import { toolKind } from "../option-shapes.ts";
import { digestOf } from "./digest.ts";
import type { AnyTool, Tool } from "../tool/tool.ts";

/** The values of the steps a step needs, by name. */
export type Got = Readonly<Record<string, unknown>>;

/** One step of a turn: a tool, its input, and the steps it needs first. */
export interface PlanStep {
  readonly tool: AnyTool;
  /** The input, or a function of what the steps it needs returned. */
  readonly input?: unknown;
  readonly needs?: readonly string[];
  /** The turn can do without it. */
  readonly optional?: boolean;
  /** Used when the step, or one it needs, has failed. */
  readonly default?: unknown;
  /** What people call it; the step's name when left out. */
  readonly label?: string;
}

/** The steps of a turn, by name. */
export type PlanSteps = Readonly<Record<string, PlanStep>>;

const STEP_OPTIONS = shape<Omit<PlanStep, "tool" | "input">>({
  needs: listOf(text),
  optional: flag,
  default: anything,
  label: text,
});

const PLAN_STEP = shape<PlanStep>({ ...STEP_OPTIONS, tool: required(toolKind), input: anything });

/**
 * A step whose input fits its tool; the compiler checks what `PlanStep` alone leaves open.
 *
 * @example
 * ```ts
 * import { createFaultline, step, tool } from "faultline";
 *
 * const search = tool({ id: "search", run: (query: string) => [query] });
 * const session = await createFaultline().session("trip-1");
 * const { outcomes } = await session.turn({ flights: step(search, "Oslo") });
 * ```
 */
export function step<Accepts, Output>(
  tool: Tool<Accepts, Output>,
  input: Accepts | ((got: Got) => Accepts),
  options: Omit<PlanStep, "tool" | "input"> = {},
): PlanStep {
  return { ...checkOptions("step", options, STEP_OPTIONS), tool, input };
}

export function nodesOf(steps: PlanSteps): readonly PlanNode[] {
  return Object.entries(steps).map(([id, given]) => nodeOf(id, checkOptions(`step ${id}`, given, PLAN_STEP)));
}

function nodeOf(id: string, { tool, needs, optional, label, ...rest }: PlanStep): PlanNode {
  return {
    id,
    tool: tool.id,
    label: label ?? id,
    needs: needs ?? [],
    optional: optional ?? tool.optional,
    hasDefault: "default" in rest || tool.fallbackValue !== null,
  };
}

/** A plan with more steps is not written down: no person reads it. */
export const MAX_SHOWN_NODES = 200;

export function plannedNode({ id, tool, label, needs }: PlanNode): PlannedNode {
  return { id, tool, label, needs };
}

/** What makes two plans the same: steps, tools, and how they hang together. Inputs are held to account call by call. */
export function planDigest(nodes: readonly PlanNode[]): string {
  return digestOf(nodes.map(({ id, tool, needs, optional, hasDefault }) => [id, tool, needs, optional, hasDefault]));
}
