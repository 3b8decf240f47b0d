// What a question asks, in one line.

import { expect, it } from "vitest";
import { questionTitle } from "../../../src/core/flow/question-title.ts";

it.each([
  ["Release 2.4.0?", "Release 2.4.0?"],
  ["# The plan\n\n- **one**\n- two\n\nShall `coder` begin?", "Shall coder begin?"],
  ["## **Approve** the plan\n\nIt changes two files.", "Approve the plan"],
  ["发布吗？\n\n- 一\n- 二", "发布吗？"],
  ["", ""],
])("of %j is %j", (prompt, title) => {
  expect(questionTitle(prompt)).toBe(title);
});
