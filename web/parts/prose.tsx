// Text that people and models write with Markdown, made readable. It stays text: nothing in it becomes a link, an image, or markup of its own.

import type { ReactNode } from "react";
import { Quote } from "./page.tsx";
import { INLINE, plain } from "../../src/core/flow/question-title.ts";
import { type ProseBlock, proseOf } from "./prose-blocks.ts";
import "./prose.css";

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
