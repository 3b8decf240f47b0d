import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proseOf, titleAndRest } from "../../../web/parts/prose-blocks.ts";

describe("text with Markdown", () => {
  it.each([
    ["Ship it?", [{ kind: "text", text: "Ship it?" }]],
    [
      "one\ntwo\n\nthree",
      [
        { kind: "text", text: "one\ntwo" },
        { kind: "text", text: "three" },
      ],
    ],
    [
      "## Plan\nfirst",
      [
        { kind: "heading", text: "Plan" },
        { kind: "text", text: "first" },
      ],
    ],
    [
      "- a\n* b\n\n- c",
      [
        { kind: "list", items: ["a", "b"] },
        { kind: "list", items: ["c"] },
      ],
    ],
    [
      "so:\n```ts\nconst a = 1;\n\n# no heading\n```",
      [
        { kind: "text", text: "so:" },
        { kind: "code", text: "const a = 1;\n\n# no heading" },
      ],
    ],
    ["```\nnever closed", [{ kind: "code", text: "never closed" }]],
    ["#hashtag and 2 * 3", [{ kind: "text", text: "#hashtag and 2 * 3" }]],
  ])("%j has these parts", (text, parts) => expect(proseOf(text)).toEqual(parts));

  it("loses no word, whatever it looks like", () => {
    const line = fc.stringMatching(/^[ #*+\-`\w]{0,20}$/);
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        // What follows a fence names its language.
        const wordsOf = (text: string): readonly string[] =>
          text.replaceAll(/^\s*(?:```|~~~).*$/gm, "").match(/\w+/g) ?? [];
        const shown = proseOf(lines.join("\n")).map((part) =>
          part.kind === "list" ? part.items.join("\n") : part.text,
        );
        expect(shown.join("\n").match(/\w+/g) ?? []).toEqual(wordsOf(lines.join("\n")));
      }),
    );
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
});
