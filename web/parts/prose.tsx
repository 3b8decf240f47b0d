// Text that people and models write with Markdown, made readable. It stays text: nothing in it becomes a link, an image, or markup of its own.

import type { ReactNode } from "react";
import { Quote } from "./page.tsx";
import "./prose.css";

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^\s*#{1,6}\s+/;
const BULLET = /^\s*[-*+]\s+/;
/** Code first: what stands in it is meant as it is. */
const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

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

/** The first line, without its marks, as a title; and what is left. */
export function titleAndRest(text: string): readonly [title: string, rest: string] {
  const [first = "", ...rest] = text.trim().split(/\r?\n/);
  if (FENCE.test(first)) return ["", text];
  return [plain(first.replace(HEADING, "").replace(BULLET, "")), rest.join("\n")];
}

function plain(text: string): string {
  return text
    .split(INLINE)
    .map((part) => (INLINE.test(part) ? part.replace(/^(?:`|\*\*)/, "").replace(/(?:`|\*\*)$/, "") : part))
    .join("");
}

export function Prose({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="prose">
      {proseOf(text).map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { readonly block: ProseBlock }): ReactNode {
  switch (block.kind) {
    case "code":
      return <Quote>{block.text}</Quote>;
    case "heading":
      return (
        <p className="prose-heading">
          <Inline text={block.text} />
        </p>
      );
    case "list":
      return (
        <ul>
          {block.items.map((item, index) => (
            <li key={index}>
              <Inline text={item} />
            </li>
          ))}
        </ul>
      );
    case "text":
      return (
        <p>
          <Inline text={block.text} />
        </p>
      );
  }
}

function Inline({ text }: { readonly text: string }): ReactNode {
  return text.split(INLINE).map((part, index) => {
    if (!INLINE.test(part)) return part;
    return part.startsWith("`") ? <code key={index}>{plain(part)}</code> : <b key={index}>{plain(part)}</b>;
  });
}
