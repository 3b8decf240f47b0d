// The parts of a text with Markdown, and its title. Pure.

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^\s*#{1,6}\s+/;
const BULLET = /^\s*[-*+]\s+/;
/** Code first: what stands in it is meant as it is. */
export const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

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

const QUESTION = /[?？]\s*$/;

/** What is asked, without its marks, as a title, and what is left: the last line if it is a question of its own, else the first line. */
export function titleAndRest(text: string): readonly [title: string, rest: string] {
  const lines = text.trim().split(/\r?\n/);
  const [first = "", ...rest] = lines;
  const last = lines.at(-1) ?? "";
  const endsWithQuestion = QUESTION.test(last) && !QUESTION.test(first) && lines.at(-2)?.trim() === "";
  if (endsWithQuestion) return [plain(last.replace(HEADING, "")), lines.slice(0, -2).join("\n")];
  if (FENCE.test(first)) return ["", text];
  return [plain(first.replace(HEADING, "").replace(BULLET, "")), rest.join("\n")];
}

/** Without the marks of code and of what is bold. */
export function plain(text: string): string {
  return text
    .split(INLINE)
    .map((part) => (INLINE.test(part) ? part.replace(/^(?:`|\*\*)/, "").replace(/(?:`|\*\*)$/, "") : part))
    .join("");
}
