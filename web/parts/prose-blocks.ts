// The parts of a text with Markdown. Pure.

import { BULLET, FENCE, HEADING } from "../../src/core/flow/question-title.ts";

export type ProseBlock =
  | { readonly kind: "code" | "heading" | "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] };

/** The parts of a text: what is code, a heading, a list, or a paragraph. */
export function proseOf(text: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  let code: string[] | null = null;
  let isNew = true;
  for (const line of text.split(/\r?\n/)) {
    const last = blocks.at(-1);
    if (FENCE.test(line)) {
      if (code !== null) blocks.push({ kind: "code", text: code.join("\n") });
      code = code === null ? [] : null;
      isNew = true;
    } else if (code !== null) code.push(line);
    else if (line.trim() === "") isNew = true;
    else if (HEADING.test(line)) {
      blocks.push({ kind: "heading", text: line.replace(HEADING, "") });
      isNew = true;
    } else if (BULLET.test(line)) {
      const item = line.replace(BULLET, "");
      if (last?.kind === "list" && !isNew) blocks[blocks.length - 1] = { kind: "list", items: [...last.items, item] };
      else blocks.push({ kind: "list", items: [item] });
      isNew = false;
    } else if (last?.kind === "text" && !isNew)
      blocks[blocks.length - 1] = { kind: "text", text: `${last.text}\n${line}` };
    else {
      blocks.push({ kind: "text", text: line });
      isNew = false;
    }
  }
  // A fence that is never closed.
  return code === null ? blocks : [...blocks, { kind: "code", text: code.join("\n") }];
}
