// Causes are kept when a YAML workflow throws: in its expressions, in its tools' commands, and in tools of an MCP server process.
// The run fails with a fault that names the place, a failing edge is reported together with the failure before it, and no secret
// of the run appears anywhere.

import { describe, expect, it } from "vitest";
import { WorkflowWorld } from "../cli/workflow-world.ts";
import { shareOf } from "../support/grid.ts";

const SECRET = "corvid-lantern-7731";

/** Every way an expression can throw. */
const THROWN = [
  'new Error("could not load " + inputs.key, { cause: new TypeError(inputs.key) })',
  "inputs.key",
  "undefined",
  "null",
  "({ get message() { throw inputs.key } })",
  "({ get name() { throw new Error(inputs.key) } })",
] as const;

const thrown = (what: string): string => JSON.stringify(`(() => { throw ${what} })()`);

interface Place {
  readonly where: string;
  readonly nodes: (what: string) => string;
  /** The text of the fault's message. */
  readonly says: RegExp;
}

const PLACES: readonly Place[] = [
  {
    where: "a transform",
    nodes: (what) => `a: { type: transform, value: ${thrown(what)} }`,
    says: /node a could not be/,
  },
  {
    where: "a condition",
    nodes: (what) => `a: { type: condition, when: ${thrown(what)}, then: end, else: end }`,
    says: /node a could not be/,
  },
  {
    where: "only_if",
    nodes: (what) => `a: { type: transform, value: "1", only_if: ${thrown(what)} }`,
    says: /a could not be/,
  },
  {
    where: "an assert",
    nodes: (what) => `a: { type: transform, value: "1", assert: [{ that: ${thrown(what)}, reason: "not so" }] }`,
    says: /a could not be/,
  },
  {
    where: "the `when` of a next edge",
    nodes: (what) =>
      `a: { type: transform, value: "1", next: [{ to: b, when: ${thrown(what)} }] }\n  b: { type: transform, value: "1" }`,
    says: /edge from a to b could not be/,
  },
  {
    where: "the `when` of an on_failure edge, after a failed command",
    nodes: (what) =>
      `a: { type: command, run: ["node -e process.exitCode=3"], on_failure: [{ to: b, when: ${thrown(what)} }] }\n  b: { type: transform, value: "1" }`,
    says: /exit code 3.*edge from a to b could not be/,
  },
  {
    where: "the command of a tool",
    nodes: (what) =>
      `a: { type: tool, tool: broken, input: { key: "{{ inputs.key }}", what: ${JSON.stringify(what)} } }`,
    says: /./,
  },
];

const PROGRAM = `let text = ""; for await (const part of process.stdin) text += part;
const inputs = JSON.parse(text); throw eval(inputs.what)`;

describe.each(PLACES.map((place, row) => ({ ...place, row })))("$where that throws", ({ nodes, says, row }) => {
  it.each(shareOf(THROWN, 2, row))("%s", async (what) => {
    const world = new WorkflowWorld();
    world.write("broken.mjs", PROGRAM);
    const file = world.write(
      "w.faultline.yaml",
      `faultline: 1\nworkflow: { id: w, version: "1" }\ninputs: { key: { type: string, secret: true } }\ntools: { broken: { command: [node, broken.mjs] } }\nnodes:\n  ${nodes(what)}\n`,
    );
    const ran = await world.call(["workflow", "run", file, "--run", "w_1", "--input", `key=${SECRET}`]);
    expect(ran.exit, ran.stderr).toBe("failed");
    const shown = await world.json(["runs", "show", "w_1"]);
    const { visits } = shown as { readonly visits: readonly { readonly fault: { readonly message: string } }[] };
    expect(visits[0]?.fault.message).toMatch(says);
    const [id = ""] = /w_1\/a#1\.1[^\s"'\]]*/.exec(ran.stderr) ?? [];
    const explained = await world.call(["explain", id]);
    expect(explained.exit, explained.stderr).toBe("ok");
    expect(JSON.stringify([ran, shown, explained])).not.toContain(SECRET);
  });
});
