// What a question asks, in one line.

import { expect, it } from "vitest";
import { questionTitle, titleAndRest, toolAsked } from "../../../src/core/flow/question-title.ts";

it.each([
  ["Release 2.4.0?", "Release 2.4.0?"],
  ["# The plan\n\n- **one**\n- two\n\nShall `coder` begin?", "Shall coder begin?"],
  ["## **Approve** the plan\n\nIt changes two files.", "Approve the plan"],
  ["发布吗？\n\n- 一\n- 二", "发布吗？"],
  ["`open", "`open"],
  ["`as **it** is` and **bold**", "as **it** is and bold"],
  ["**open", "**open"],
  ["", ""],
])("of %j is %j", (prompt, title) => {
  expect(questionTitle(prompt)).toBe(title);
});

it.each([
  ["Ship it?", "Ship it?", ""],
  ["# Approve the `plan` of **ann**\n\nIt has two steps.", "Approve the plan of ann", "\nIt has two steps."],
  [
    "## Architect\n\nOne line is enough.\n\nShould the team write the `code`?",
    "Should the team write the code?",
    "## Architect\n\nOne line is enough.",
  ],
  ["## 设计\n\n一行即可。\n\n要写代码吗？", "要写代码吗？", "## 设计\n\n一行即可。"],
  ["Ship it?\n\nOr is it too early?", "Ship it?", "\nOr is it too early?"],
  ["# The plan\n- one\n- really two?", "The plan", "- one\n- really two?"],
  ["- one\n- two", "one", "- two"],
  ["```\ncode\n```", "", "```\ncode\n```"],
])("%j has a title and a rest", (text, title, rest) => expect(titleAndRest(text)).toEqual([title, rest]));

it.each([
  { asks: "a gate of a workflow, whose name is not a tool's", turn: "ask#1.1", tool: "ask", is: "" },
  { asks: "a tool of a node", turn: "write#1.1", tool: "bash", is: "bash" },
  { asks: "a tool of a turn that is not a node's", turn: "bash", tool: "bash", is: "bash" },
])("the approval of $asks is about the tool $is", ({ turn, tool, is }) => {
  expect(toolAsked({ turn, payload: { kind: "Approve", prompt: "Go?", tool, approvalKey: "k" } })).toBe(is);
});
