// The schema of nodes, one per type, and of the edges between them.

import * as z from "zod";
import { RESOLUTIONS } from "../core/flow/visit.ts";
import { REDOABLE_CODES } from "../core/flow/stage.ts";
import { duration, expression, field, text } from "./field.ts";

const target = z
  .strictObject({
    to: field(text(64), "The node to go to, or `end`.", "reviewer"),
    max: field(
      z.int().min(1).max(1000),
      "The edge closes once its target node has been entered this many times in total. Every cycle needs one edge with `max`.",
      3,
    ),
    outcome: field(text(64), "The outcome of the run, for an edge to `end`.", "approved"),
  })
  .partial({ max: true, outcome: true });

export const edge = target
  .extend({
    when: field(
      expression(),
      "The edge is open only if this expression is true. Default: always.",
      "output.n > 3",
    ).optional(),
  })
  .meta({ description: "An edge to another node." });

const nodeName = field(text(64), "The node to go to, or `end`.", "reviewer");
const edgeOrName = z.union([nodeName, edge]);
export const targetOrName = z.union([nodeName, target]);
export const edgeList = z.array(edgeOrName).min(1).max(50);

/** A name, one edge, or a list; `grammar.ts` picks the form that was meant. */
const edges = (description: string, ...examples: readonly unknown[]) =>
  field(z.union([nodeName, edge, edgeList]), description, ...examples);

/** A list of names, or `inherit`. */
export const env = (of: string) =>
  field(
    z.union([
      z.literal("inherit"),
      z
        .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,126}\*?$/, "must be the name of an environment variable"))
        .min(1)
        .max(100),
    ]),
    `Environment variables that ${of} get besides the usual few, by name; \`inherit\` for all of them.`,
    ["DATABASE_URL"],
    "inherit",
  );

/** A prompt in the workflow, or in a file beside it. */
export const prompt = (description: string, ...examples: readonly unknown[]) =>
  field(
    z.union([
      text(),
      z.strictObject({ file: field(text(500), "A text file in this folder or below.", "prompts/coder.md") }),
    ]),
    `${description} With {{ inputs.… }} and {{ nodes.….output }}; a \`?\` before }} lets it be empty. Or \`file:\`.`,
    ...examples,
  );

export const retry = z
  .strictObject({
    max_attempts: field(z.int().min(1).max(100), "The most attempts, including the first.", 3),
    backoff: field(
      z.enum(["none", "fixed", "linear", "exponential"]),
      "How waits grow from attempt to attempt. Default: `exponential`.",
      "linear",
    ),
    initial: duration("The wait before the second attempt. Default: 1s.", "1s"),
    max: duration("The longest wait. Default: 1m.", "30s"),
    multiplier: field(z.number().min(1).max(100), "Growth per attempt, for `exponential`. Default: 2.", 2),
    jitter: field(z.number().min(0).max(1), "0.2 spreads a wait by ±20 %. Default: 0.2.", 0.1),
    on: field(
      z.array(z.string().meta({ enum: [...REDOABLE_CODES] })).min(1),
      "Retry only these faults. Default: all retryable ones.",
      ["NetworkDisconnect"],
    ),
  })
  .partial({ backoff: true, initial: true, max: true, multiplier: true, jitter: true, on: true })
  .meta({ description: "How often a failed attempt is repeated, from its beginning." });

const assertion = z
  .strictObject({
    that: field(
      expression(),
      "An expression that must be true. `output` is the node's output.",
      "output.items.length > 0",
    ),
    reason: field(text(500), "The message if it is not true.", "nothing was found"),
    verdict: field(z.enum(["retry", "fail"]), "What happens then: `retry` or `fail`. Default: `fail`.", "retry"),
  })
  .partial({ verdict: true });

/** Fields of every node. */
const shared = {
  retry: field(retry, "Retries of a failed attempt. Default: none.", {
    max_attempts: 3,
  }),
  resolution: field(
    z.enum(RESOLUTIONS),
    "What happens when it has failed for good. Default: `abort-workflow`.",
    "skip",
  ),
  role: field(
    z.enum(["coder", "reviewer", "tester"]),
    "The role of the node. It sets the outcome of an answer that does not fit its schema, such as `review_schema_invalid`.",
    "reviewer",
  ),
  only_if: field(expression(), "The node is skipped if this expression is false.", "inputs.tone !== 'x'"),
  assert: field(z.array(assertion).min(1).max(50), "Checks of the output.", [
    { that: "output.found", reason: "nothing was found", verdict: "retry" },
  ]),
  on_failure: edges("Where to go when it has failed for good. The first open edge is taken.", [
    { to: "coder", max: 3 },
  ]),
  idempotent: field(z.boolean(), "A whole attempt can run twice without harm.", true),
};

const next = edges("Where to go next. The first open edge is taken; without one the path ends.", "reviewer", [
  { to: "coder", when: "output.decision !== 'approve'", max: 3 },
  "tester",
]);

const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject(shape).partial().shape;
const common = optional({ ...shared, next });

const kind = <Name extends string>(name: Name) => field(z.literal(name), "The type of the node.", name);

export const NODE_SCHEMAS = {
  agent: z.strictObject({
    type: kind("agent"),
    agent: field(text(64), "The agent, by its name under `agents`.", "coder"),
    prompt: prompt("The prompt.", "Do {{ inputs.task }}."),
    ...common,
    ...optional({ timeout: duration("Time limit of one attempt. Default: 35m.", "10m") }),
  }),
  command: z.strictObject({
    type: kind("command"),
    run: field(
      z.union([
        text(2000),
        z.strictObject({
          from: field(expression(), "Returns the commands as a list.", "nodes.tester.output.commands"),
        }),
        z.array(text(2000)).min(1).max(50),
      ]),
      "The commands, run one after the other; or `from:` with an expression that returns them.",
      "npm test",
      { from: "nodes.tester.output.commands" },
    ),
    ...common,
    ...optional({
      allow: field(
        z.array(text(500)).min(1).max(100),
        "The commands that may run. An entry that ends in ` *` allows further words. Required if commands are only known at run time.",
        ["npm test", "node --test *"],
      ),
      cwd: field(text(500), "The folder they run in.", "packages/app"),
      env: env("its commands"),
      timeout: duration("Time limit of each command. Default: 2m.", "2m"),
      fails_as: field(
        z.enum(["TestsFailed", "ExecutionFailed"]),
        "The fault code of a failed command. Default: `ExecutionFailed`.",
        "TestsFailed",
      ),
      stop_when_repeated: field(
        z.boolean(),
        "The node fails for good if the same command fails in two visits in a row.",
        true,
      ),
    }),
  }),
  tool: z.strictObject({
    type: kind("tool"),
    tool: field(text(64), "The tool to call, by its name under `tools`.", "lookup"),
    ...common,
    ...optional({
      input: field(z.unknown(), "The tool's input. Texts may contain {{ … }}.", { q: "{{ inputs.task }}" }),
      timeout: duration(
        "Time limit of one attempt, including all calls. Default: enough for every attempt of the tool.",
        "2m",
      ),
    }),
  }),
  human_gate: z.strictObject({
    type: kind("human_gate"),
    prompt: prompt("The question.", "Ship {{ nodes.coder.output }}?"),
    ...common,
    ...optional({
      ask: field(z.enum(["Approve", "Confirm", "Select", "Ask"]), "The kind of answer. Default: `Approve`.", "Select"),
      options: field(
        z
          .array(
            z.strictObject({
              id: field(text(64), "The id of the option, as `choice` in the output.", "ship"),
              label: field(text(200), "What the person sees.", "Ship it"),
            }),
          )
          .min(1)
          .max(50),
        "The options, for `Select`.",
        [{ id: "ship", label: "Ship it" }],
      ),
      timeout: duration("How long to wait for an answer. Default: no limit.", "1d"),
      on_timeout: field(z.enum(["reject", "approve"]), "What no answer means. Default: `reject`.", "reject"),
    }),
  }),
  // `next` applies if the condition is skipped or its edge is closed.
  condition: z.strictObject({
    type: kind("condition"),
    when: field(expression(), "Returns true or false, or the name of a case.", "nodes.a.output.n > 3"),
    ...common,
    ...optional({
      then: field(targetOrName, "Where to go if it is true.", "big"),
      else: field(targetOrName, "Where to go if it is false.", "small"),
      cases: field(z.record(z.string(), targetOrName), "Where to go for each value.", {
        small: "quick",
        big: "careful",
      }),
    }),
  }),
  transform: z.strictObject({
    type: kind("transform"),
    value: field(expression(), "Returns the output.", "({ n: nodes.a.output.items.length })"),
    ...common,
  }),
  parallel: z.strictObject({
    type: kind("parallel"),
    branches: field(z.array(text(64)).min(1).max(50), "The nodes that run side by side.", ["lint", "tests"]),
    join: field(text(64), "The merge node where the branches join.", "both_done"),
    ...optional(shared),
    ...optional({
      fail_fast: field(z.boolean(), "A failed branch stops the others. Default: true.", false),
    }),
  }),
  merge: z.strictObject({
    type: kind("merge"),
    ...common,
    ...optional({ value: field(expression(), "Returns the output.", "({ lint: nodes.lint.output })") }),
  }),
} as const;

export type NodeType = keyof typeof NODE_SCHEMAS;
export const NODE_TYPES = Object.keys(NODE_SCHEMAS) as readonly NodeType[];

export type WrittenEdge = z.infer<typeof edge>;
export type WrittenEdges = string | WrittenEdge | readonly (string | WrittenEdge)[];
export type WrittenTarget = z.infer<typeof targetOrName>;
export type WrittenRetry = z.infer<typeof retry>;
export type WrittenPrompt = z.infer<ReturnType<typeof prompt>>;
export type WrittenNode = { readonly [Type in NodeType]: z.infer<(typeof NODE_SCHEMAS)[Type]> }[NodeType];
