// A run whose tool got an invalid input asks a person for the input, with the tool's schema as a form: shown by `runs show`,
// answered by `runs answer`, and the run continues with the answer.

import { expect, it } from "vitest";
import { WorkflowWorld } from "../workflow-world.ts";

const WORKFLOW = `faultline: 1
workflow: { id: book, version: "1" }
tools:
  seat:
    command: [node, seat.mjs]
    input:
      type: object
      required: [row]
      properties:
        row: { type: integer, description: Which row }
        side: { enum: [aisle, window] }
policy: { rows: [{ match: { code: InputInvalid }, then: [ask, fail] }] }
nodes:
  pay: { type: tool, tool: seat, input: { row: "last" } }
`;

it("asks for the input with the tool's schema, asks again about invalid values, and continues with a valid input", async () => {
  const world = new WorkflowWorld();
  world.write("seat.mjs", "let text = ''; for await (const part of process.stdin) text += part; console.log(text)");
  const file = world.write("book.faultline.yaml", WORKFLOW);
  const started = await world.call(["workflow", "run", file, "--run", "book_1"]);
  expect(started.exit, started.stderr).toBe("waiting");
  const { stdout } = await world.call(["runs", "show", "book_1"]);
  expect(stdout).toMatch(/row\s+number\s+Which row/);
  expect(stdout).toMatch(/side\?\s+aisle\|window/);
  const wrong = await world.call(["runs", "answer", "book_1", '{"row":"first"}']);
  expect(wrong.exit, wrong.stderr).toBe("waiting");
  expect((await world.call(["runs", "show", "book_1"])).stdout).toContain("✗ $.row must be integer (string)");
  const right = await world.call(["runs", "answer", "book_1", '{"row":3,"side":"aisle"}']);
  expect(right.exit, right.stderr).toBe("ok");
  const output = await world.call(["runs", "output", "book_1"]);
  expect(JSON.parse(output.stdout)).toMatchObject({ row: 3, side: "aisle" });
});
