// What a part of the page shows while it has nothing to show: loading, empty, failed.

import type { ReactNode } from "react";
import { ProblemError } from "faultline/client";
import { useWords, wordTable } from "../app/words.ts";
import { Button, Copy } from "./button.tsx";
import "./states.css";

/** Grey shapes where the content will be. */
export function Skeleton({
  kind,
  rows = 6,
}: {
  readonly kind: "page" | "rows" | "text";
  readonly rows?: number;
}): ReactNode {
  const words = useWords(WORDS);
  return (
    <div className={`skeleton skeleton-${kind}`} role="status" aria-label={words.loading}>
      {Array.from({ length: rows }, (_none, index) => (
        <div key={index} className="skeleton-row">
          <i />
          <i />
        </div>
      ))}
    </div>
  );
}

interface PendingProps {
  readonly read: { readonly error: Error | null; readonly refetch: () => unknown };
  readonly kind: "page" | "rows" | "text";
  readonly rows?: number;
  /** Inside of a form or a dialog. */
  readonly isInline?: boolean;
}

/** Stands where the answer of the server will be: grey shapes, or what went wrong. */
export function Pending({ read: { error, refetch }, isInline = false, ...shapes }: PendingProps): ReactNode {
  if (error === null) return <Skeleton {...shapes} />;
  return <ProblemState error={error} onRetry={() => void refetch()} isInline={isInline} />;
}

/** Nothing is there, and what to do to change that. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <div className="dim">{children}</div>}
    </div>
  );
}

export interface ProblemStateProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  /** Inside of a form or a dialog. */
  readonly isInline?: boolean;
}

/** What went wrong, why, and what to do next, in the server's words. */
export function ProblemState({ error, onRetry, isInline = false }: ProblemStateProps): ReactNode {
  const words = useWords(WORDS);
  const problem = error instanceof ProblemError ? error.problem : null;
  const next = problem?.next ?? words.unreachableNext;
  return (
    <div className={isInline ? "problem inline" : "problem"} role="alert">
      <h3>{problem?.title ?? words.unreachable}</h3>
      {problem === null ? null : <p>{problem.detail}</p>}
      {problem?.errors?.map(({ pointer, detail }) => (
        <p key={pointer + detail}>
          <code>{pointer}</code> {detail}
        </p>
      ))}
      <p className="dim">{next}</p>
      <div className="problem-foot">
        {onRetry === undefined ? null : <Button onClick={onRetry}>{words.again}</Button>}
        {problem === null || problem.correlation_id === "" ? null : <Copy text={problem.correlation_id} />}
      </div>
    </div>
  );
}

const WORDS = wordTable({
  "en": {
    loading: "Loading",
    again: "Try again",
    unreachable: "The server does not answer",
    unreachableNext: "Check that faultline serve is running. The page continues by itself when it is back.",
  },
  "zh-CN": {
    loading: "正在加载",
    again: "重试",
    unreachable: "服务器没有响应",
    unreachableNext: "请确认 faultline serve 正在运行。服务器恢复后，页面会自动继续。",
  },
});
