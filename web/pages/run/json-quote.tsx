// A value of a run as text. Values from outside are never markup.

import type { ReactNode } from "react";
import { Quote } from "../../parts/page.tsx";

export function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Nothing for a value that is not there. */
export function JsonQuote({ title, value }: { readonly title: string; readonly value: unknown }): ReactNode {
  if (value === undefined || value === null) return null;
  return (
    <details className="json-quote">
      <summary>{title}</summary>
      <Quote label={title}>{textOfValue(value)}</Quote>
    </details>
  );
}
