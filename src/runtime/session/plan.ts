// A plan as a program writes it: named steps, each a tool with its input, its dependencies, and a fallback.

import type { PlanNode } from "../../core/flow/plan.ts";
import type { PlannedNode } from "../../core/record/event.ts";
import {
  anything,
  checkOptions,
  described,
  either,
  flag,
  having,
  invalidOption,
  isPlain,
  listOf,
  mapOf,
  required,
  shape,
  text,
} from "../../options/check-options.ts";
import type { Outcome } from "../call/outcome.ts";
import { toolKind } from "../option-shapes.ts";
import { digestOf } from "./session-core.ts";
import type { AnyTool, Tool } from "../tool/tool.ts";

/** What a step returns. */
export type OutputOf<Step> = Step extends PlanStep<infer Output> ? Output : never;

/** The steps a step needs: by name, or the steps themselves, so that the compiler knows what they return. */
export type Needs = readonly string[] | PlanSteps;

/** The values of the steps a step needs, by name. */
export type Got<Needed extends Needs = readonly string[]> = Needed extends PlanSteps
  ? { readonly [Name in keyof Needed]: OutputOf<Needed[Name]> }
  : Readonly<Record<string, unknown>>;

/** Options of a step. */
export interface StepOptions<Output = unknown, Needed extends Needs = Needs> {
  /** The steps that must end first: `{ flights }`, or their names. */
  readonly needs?: Needed;
  /** The turn can do without it. */
  readonly optional?: boolean;
  /** Used when the step, or one it needs, has failed. */
  readonly default?: Output;
  /** What people call it; the step's name when left out. */
  readonly label?: string;
}

/** One step of a turn: a tool, its input, and the steps it needs first. */
export interface PlanStep<Output = unknown> extends StepOptions<Output> {
  readonly tool: AnyTool;
  /** The input, or a function of what the steps it needs returned. */
  readonly input?: unknown;
  /** Only for the compiler: what it returns. */
  readonly gives?: () => Output;
}

/** The steps of a turn, by name. */
export type PlanSteps = Readonly<Record<string, PlanStep>>;

/** How the steps of a plan ended, by name. A step that has not started, because another one waits, is not there. */
export type OutcomesOf<Steps extends PlanSteps> = string extends keyof Steps
  ? Readonly<Record<string, Outcome<OutputOf<Steps[string]>>>>
  : { readonly [Name in keyof Steps]?: Outcome<OutputOf<Steps[Name]>> };

const stepKind = having("a step, as in step(search, query)", "tool");
const STEP_OPTIONS = shape<StepOptions>({
  needs: described("steps, as in { flights }, or a list of their names", either(listOf(text), mapOf(stepKind))),
  optional: flag,
  default: anything,
  label: text,
});

const PLAN_STEP = shape<Omit<PlanStep, "gives">>({ ...STEP_OPTIONS, tool: required(toolKind), input: anything });

/**
 * A step of a plan. Its input fits its tool, and is a value or a function of what the needed steps returned.
 *
 * @example
 * ```ts
 * import { createFaultline, step, tool } from "faultline";
 *
 * const search = tool({ id: "search", run: (to: string) => [`${to} 07:10`] });
 * const book = tool({ id: "book", run: (flight: string) => `booked ${flight}` });
 * const session = await createFaultline().session("trip-1");
 *
 * const flights = step(search, "Oslo");
 * const booking = step(book, (got) => got.flights[0] ?? "none", { needs: { flights } });
 * const { outcomes } = await session.turn({ flights, booking });
 * ```
 */
export function step<Accepts, Output, Needed extends Needs = readonly string[]>(
  tool: Tool<Accepts, Output>,
  input: Accepts | ((got: Got<Needed>) => Accepts),
  options: StepOptions<Output, Needed> = {},
): PlanStep<Output> {
  checkOptions<StepOptions>("step", options, STEP_OPTIONS);
  return { ...options, tool, input };
}

export function nodesOf(steps: PlanSteps): readonly PlanNode[] {
  return Object.entries(steps).map(([id, given]) => {
    if (!isPlain(given)) throw invalidOption("turn", id, `${id} is not a step; make it with step(tool, input)`);
    return nodeOf(id, checkOptions(`step ${id}`, given, PLAN_STEP), steps);
  });
}

function nodeOf(id: string, given: PlanStep, steps: PlanSteps): PlanNode {
  const { tool, needs, optional, label } = given;
  return {
    id,
    tool: tool.id,
    label: label ?? id,
    needs: namesOf(id, needs ?? [], steps),
    optional: optional ?? tool.optional,
    hasDefault: "default" in given || tool.fallbackValue !== null,
  };
}

/** A plan must have the needed steps under the same names, or the types of their values would be wrong. */
function namesOf(id: string, needs: Needs, steps: PlanSteps): readonly string[] {
  if (isNames(needs)) return needs;
  for (const [name, needed] of Object.entries(needs)) {
    if (name in steps && steps[name] !== needed)
      throw invalidOption(`step ${id}`, `needs.${name}`, `needs.${name} is another step than ${name} in the plan`);
  }
  return Object.keys(needs);
}

function isNames(needs: Needs): needs is readonly string[] {
  return Array.isArray(needs);
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
