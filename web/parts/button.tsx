// Buttons, and the small things around them.

import type { ButtonHTMLAttributes, ReactNode } from "react";
import { useState } from "react";
import { useWords, wordTable } from "../app/words.ts";
import { Icon } from "./icon.tsx";
import "./button.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "primary" | "plain" | "quiet" | "danger";
  /** Says what it does again and what it keeps. */
  readonly effect?: string;
  /** The key that does the same. */
  readonly keyHint?: string;
  /** It was pressed and the server has not answered yet. */
  readonly isBusy?: boolean;
}

export function Button({
  kind = "plain",
  effect,
  keyHint,
  isBusy = false,
  children,
  type = "button",
  ...more
}: ButtonProps): ReactNode {
  return (
    // A busy button keeps the focus, so it is not disabled.
    <button {...more} type={type} className={`button ${kind} ${more.className ?? ""}`} aria-busy={isBusy}>
      <span className="button-text">
        <span>{children}</span>
        {effect === undefined || effect === "" ? null : <small>{effect}</small>}
      </span>
      {keyHint === undefined ? null : <Kbd>{keyHint}</Kbd>}
    </button>
  );
}

export function Kbd({ children }: { readonly children: ReactNode }): ReactNode {
  return <kbd className="kbd">{children}</kbd>;
}

/** Shows an id, and copies it with one click. */
export function Copy({ text, label }: { readonly text: string; readonly label?: string }): ReactNode {
  const words = useWords(WORDS);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button type="button" className="copy" title={words.copy} onClick={() => void copy()}>
      <code>{label ?? text}</code>
      <Icon name={isCopied ? "completed" : "copy"} />
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? words.copied : words.copy}
      </span>
    </button>
  );
}

const WORDS = wordTable({
  "en": { copy: "Copy", copied: "Copied" },
  "zh-CN": { copy: "复制", copied: "已复制" },
});
