import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proseOf } from "../../../web/parts/prose-blocks.ts";

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
});
