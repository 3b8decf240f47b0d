import type { ReactNode } from "react";

export function RunPanel({ run }: { readonly run: string; readonly onClose: () => void }): ReactNode {
  return <h2>{run}</h2>;
}
