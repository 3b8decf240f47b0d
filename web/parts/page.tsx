// The frame of a page: its title, what stands beside it, and its content.

import type { ReactNode } from "react";
import "./page.css";

export interface PageProps {
  readonly title: ReactNode;
  /** A line under the title. */
  readonly says?: ReactNode;
  /** Buttons beside the title. */
  readonly aside?: ReactNode;
  /** Filters under the title. */
  readonly filters?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, says, aside, filters, children }: PageProps): ReactNode {
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          <h1>{title}</h1>
          {says === undefined ? null : <p className="dim">{says}</p>}
        </div>
        {aside === undefined ? null : <div className="page-aside">{aside}</div>}
      </header>
      {filters === undefined ? null : <div className="page-filters">{filters}</div>}
      <div className="page-body">{children}</div>
    </div>
  );
}

/** A part of a page with a small heading. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="section">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Names and values in two columns. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Text that came from outside, as it is. Never markup. */
export function Quote({ children, label }: { readonly children: string; readonly label?: string }): ReactNode {
  return (
    <pre className="quote" tabIndex={0} {...(label === undefined ? {} : { "aria-label": label, "role": "group" })}>
      {children}
    </pre>
  );
}
