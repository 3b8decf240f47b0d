// Short messages at the edge of the page. One with `undo` waits before it acts, so that a harmless action needs no dialog. A page that is left
// or reloaded meanwhile acts at once: the person asked for it and did not take it back.

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { ProblemError } from "faultline/client";
import { useWords, wordTable } from "../app/words.ts";
import { Button } from "./button.tsx";
import "./toasts.css";

const UNDO_MS = 4_000;
const SHOWN_MS = 6_000;

export interface Toasts {
  /** Says something for a moment. */
  readonly say: (text: string) => void;
  /** Says what went wrong, until it is closed. */
  readonly fail: (error: unknown) => void;
  /** Does something in a moment, unless the person takes it back. */
  readonly doSoon: (text: string, act: () => Promise<unknown>) => void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly undo: (() => void) | null;
}

const ToastContext = createContext<Toasts | null>(null);

export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  if (toasts === null) throw new Error("useToasts outside of ToastProvider");
  return toasts;
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const words = useWords(WORDS);
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const newest = useRef(0);
  const waiting = useRef(new Set<() => void>());
  useEffect(() => {
    const actNow = (): void => waiting.current.forEach((act) => act());
    addEventListener("pagehide", actNow);
    return () => removeEventListener("pagehide", actNow);
  }, []);
  const remove = useCallback((id: number) => setShown((all) => all.filter((toast) => toast.id !== id)), []);
  const add = useCallback((toast: Omit<Toast, "id">): number => {
    newest.current += 1;
    const id = newest.current;
    setShown((all) => [...all.slice(-3), { id, ...toast }]);
    return id;
  }, []);
  const toasts = useMemo((): Toasts => {
    const fail = (error: unknown): void =>
      void add({ text: textOf(error, words.unreachable), isProblem: true, undo: null });
    const say = (text: string): void => {
      const id = add({ text, isProblem: false, undo: null });
      setTimeout(() => remove(id), SHOWN_MS);
    };
    const doSoon: Toasts["doSoon"] = (text, act) => {
      const actNow = (): void => {
        undo();
        act().catch(fail);
      };
      const timer = setTimeout(actNow, UNDO_MS);
      waiting.current.add(actNow);
      const undo = (): void => {
        clearTimeout(timer);
        waiting.current.delete(actNow);
        remove(id);
      };
      const id = add({ text, isProblem: false, undo });
    };
    return { say, fail, doSoon };
  }, [add, remove, words]);
  return (
    <ToastContext value={toasts}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {shown.map(({ id, text, isProblem, undo }) => (
          <div key={id} className={isProblem ? "toast problem-toast" : "toast"}>
            <span>{text}</span>
            {undo === null ? (
              <Button kind="quiet" onClick={() => remove(id)}>
                {words.close}
              </Button>
            ) : (
              <Button onClick={undo}>{words.undo}</Button>
            )}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

/** A browser says nothing useful about a server that does not answer, and only in its own language. */
function textOf(error: unknown, unreachable: string): string {
  if (error instanceof ProblemError) return `${error.problem.title}. ${error.problem.detail} ${error.problem.next}`;
  if (error instanceof TypeError) return unreachable;
  return error instanceof Error ? error.message : String(error);
}

const WORDS = wordTable({
  "en": {
    close: "Close",
    undo: "Undo",
    unreachable: "The server did not answer. Whether it got the request is not known: look again when it is back.",
  },
  "zh-CN": {
    close: "关闭",
    undo: "撤销",
    unreachable: "服务器没有响应，无法确定请求是否送达。请在恢复后再查看。",
  },
});
