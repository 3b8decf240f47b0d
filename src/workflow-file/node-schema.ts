// What a node of a workflow file may say: one schema per kind, and the edges between them.

import * as z from "zod";
import { RESOLUTIONS } from "../core/flow/node.ts";
import { REDOABLE_CODES } from "../core/flow/stage.ts";
import { duration, expression, field, text } from "./field.ts";

const target = z
  .strictObject({
    to: field(text(64), "The node to go to, or `end`.", "reviewer"),
    max: field(
      z.int().min(1).max(1000),
      "The edge is closed once the node has been entered this often in all. One edge of every cycle needs it.",
      3,
    ),
    outcome: field(text(64), "How the run ended, for an edge to `end`.", "approved"),
  })
  .partial({ max: true, outcome: true });

export const edge = target
  .extend({
    when: field(
      expression(),
      "Taken only when this expression is true. Always when left out.",
      "output.n > 3",
    ).optional(),
  })
  .meta({ description: "A way to go on." });

const nodeName = field(text(64), "The node to go to, or `end`.", "reviewer");
export const edgeOrName = z.union([nodeName, edge]);
export const targetOrName = z.union([nodeName, target]);
export const edgeList = z.array(edgeOrName).min(1).max(50);

/** As a name, as one edge, or as a list; `grammar.ts` picks the one that was meant. */
const edges = (description: string, ...examples: readonly unknown[]) =>
  field(z.union([nodeName, edge, edgeList]), description, ...examples);

/** Names of variables, or all of them. */
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

/** A prompt in the file, or in one beside it. */
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
    max_attempts: field(z.int().min(1).max(100), "All attempts, the first included.", 3),
    backoff: field(
      z.enum(["none", "fixed", "linear", "exponential"]),
      "How waits grow from one attempt to the next. `exponential` when left out.",
      "linear",
    ),
    initial: duration("The wait before the second attempt. 1s when left out.", "1s"),
    max: duration("No wait is longer. 1m when left out.", "30s"),
    multiplier: field(z.number().min(1).max(100), "Growth per attempt, for `exponential`. 2 when left out.", 2),
    jitter: field(z.number().min(0).max(1), "0.2 spreads a wait by ±20 %. 0.2 when left out.", 0.1),
    on: field(
      z.array(z.string().meta({ enum: [...REDOABLE_CODES] })).min(1),
      "Only these faults are tried again. Every one that may be when left out.",
      ["NetworkDisconnect"],
    ),
  })
  .partial({ backoff: true, initial: true, max: true, multiplier: true, jitter: true, on: true })
  .meta({ description: "How often a failed attempt is made again, from its beginning." });

const assertion = z
  .strictObject({
    that: field(expression(), "Must be true. `output` is what the node gave.", "output.items.length > 0"),
    reason: field(text(500), "What is told when it is not.", "nothing was found"),
    verdict: field(
      z.enum(["retry", "fail"]),
      "What happens then: another attempt, or the end of the node. `fail` when left out.",
      "retry",
    ),
  })
  .partial({ verdict: true });

/** What every node may say. */
const shared = {
  retry: field(retry, "How often a failed attempt is made again. Once, and not again, when left out.", {
    max_attempts: 3,
  }),
  resolution: field(
    z.enum(RESOLUTIONS),
    "What is done when it has failed for good. `abort-workflow` when left out.",
    "skip",
  ),
  role: field(z.enum(["coder", "reviewer", "tester"]), "Names the outcome of a failure after the role.", "reviewer"),
  only_if: field(expression(), "The node is passed over when this expression is false.", "inputs.tone !== 'x'"),
  assert: field(z.array(assertion).min(1).max(50), "What must be true of the output.", [
    { that: "output.found", reason: "nothing was found", verdict: "retry" },
  ]),
  on_failure: edges("Where to go when it has failed for good. The first edge that is open is taken.", [
    { to: "coder", max: 3 },
  ]),
  idempotent: field(z.boolean(), "A whole attempt may be made twice without harm.", true),
};

const next = edges("Where to go. The first edge that is open is taken; `end` when there is none.", "reviewer", [
  { to: "coder", when: "output.decision !== 'approve'", max: 3 },
  "tester",
]);

const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject(shape).partial().shape;
const common = optional({ ...shared, next });

const kind = <Name extends string>(name: Name) => field(z.literal(name), "What the node is.", name);

export const NODE_SCHEMAS = {
  agent: z.strictObject({
    type: kind("agent"),
    agent: field(text(64), "The agent that does it, by its name under `agents`.", "coder"),
    prompt: prompt("What it is asked.", "Do {{ inputs.task }}."),
    ...common,
    ...optional({ timeout: duration("Of one attempt. 35m when left out.", "10m") }),
  }),
  command: z.strictObject({
    type: kind("command"),
    run: field(
      z.union([
        text(2000),
        z.strictObject({ from: field(expression(), "Gives the commands as a list.", "nodes.tester.output.commands") }),
        z.array(text(2000)).min(1).max(50),
      ]),
      "The commands, run one after the other; or `from:` with an expression that gives them.",
      "npm test",
      { from: "nodes.tester.output.commands" },
    ),
    ...common,
    ...optional({
      allow: field(
        z.array(text(500)).min(1).max(100),
        "The commands that may run: exactly these, or with these first words where one ends in ` *`. Needed when commands are only known at run time.",
        ["npm test", "node --test *"],
      ),
      cwd: field(text(500), "The folder they run in.", "packages/app"),
      env: env("its commands"),
      timeout: duration("Of each command. 2m when left out.", "2m"),
      fails_as: field(
        z.enum(["TestsFailed", "ExecutionFailed"]),
        "What a command that fails is. `ExecutionFailed` when left out.",
        "TestsFailed",
      ),
      stop_when_repeated: field(
        z.boolean(),
        "When the command that failed the last time fails again, it has failed for good.",
        true,
      ),
    }),
  }),
  tool: z.strictObject({
    type: kind("tool"),
    tool: field(text(64), "The tool to call, by its name under `tools`.", "lookup"),
    ...common,
    ...optional({
      input: field(z.unknown(), "What it is given; texts in it may have {{ … }}.", { q: "{{ inputs.task }}" }),
      timeout: duration(
        "Of one attempt, all calls included. Enough for every attempt of the tool when left out.",
        "2m",
      ),
    }),
  }),
  human_gate: z.strictObject({
    type: kind("human_gate"),
    prompt: prompt("What the person is asked.", "Ship {{ nodes.coder.output }}?"),
    ...common,
    ...optional({
      ask: field(
        z.enum(["Approve", "Confirm", "Select", "Ask"]),
        "What kind of answer is wanted. `Approve` when left out.",
        "Select",
      ),
      options: field(
        z
          .array(
            z.strictObject({
              id: field(text(64), "What the node's output is when it is chosen.", "ship"),
              label: field(text(200), "What the person sees.", "Ship it"),
            }),
          )
          .min(1)
          .max(50),
        "What can be chosen, for `Select`.",
        [{ id: "ship", label: "Ship it" }],
      ),
      timeout: duration("How long it waits. As long as it takes when left out.", "1d"),
      on_timeout: field(z.enum(["reject", "approve"]), "What silence means. `reject` when left out.", "reject"),
    }),
  }),
  // `next` is for one that is passed over, or whose edge is closed.
  condition: z.strictObject({
    type: kind("condition"),
    when: field(expression(), "Gives true or false, or the name of a case.", "nodes.a.output.n > 3"),
    ...common,
    ...optional({
      then: field(targetOrName, "Where to go when it is true.", "big"),
      else: field(targetOrName, "Where to go when it is false.", "small"),
      cases: field(z.record(z.string(), targetOrName), "Where to go for each value, by its name.", {
        small: "quick",
        big: "careful",
      }),
    }),
  }),
  transform: z.strictObject({
    type: kind("transform"),
    value: field(expression(), "Gives the output.", "({ n: nodes.a.output.items.length })"),
    ...common,
  }),
  parallel: z.strictObject({
    type: kind("parallel"),
    branches: field(z.array(text(64)).min(1).max(50), "The nodes that run side by side.", ["lint", "tests"]),
    join: field(text(64), "The merge node where all of them meet again.", "both_done"),
    ...optional(shared),
    ...optional({
      fail_fast: field(z.boolean(), "A branch that fails stops the others. true when left out.", false),
    }),
  }),
  merge: z.strictObject({
    type: kind("merge"),
    ...common,
    ...optional({ value: field(expression(), "Gives the output.", "({ lint: nodes.lint.output })") }),
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
