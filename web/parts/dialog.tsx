// A dialog. It stays open when what it started has failed, and keeps what was typed.

import * as Radix from "@radix-ui/react-dialog";
import type { ReactNode } from "react";
import { useWords, wordTable } from "../app/words.ts";
import { Icon } from "./icon.tsx";
import "./dialog.css";

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly says?: string;
  readonly children: ReactNode;
}

export function Dialog({ isOpen, onClose, title, says, children }: DialogProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-veil" />
        <Radix.Content className="dialog" {...(says === undefined ? { "aria-describedby": undefined } : {})}>
          <header>
            <Radix.Title asChild>
              <h3>{title}</h3>
            </Radix.Title>
            <Radix.Close className="icon-button" aria-label={words.close}>
              <Icon name="close" />
            </Radix.Close>
          </header>
          {says === undefined ? null : <Radix.Description className="dialog-says">{says}</Radix.Description>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons at the bottom of a dialog. */
export function DialogFoot({ children }: { readonly children: ReactNode }): ReactNode {
  return <footer className="dialog-foot">{children}</footer>;
}

const WORDS = wordTable({ "en": { close: "Close" }, "zh-CN": { close: "关闭" } });
