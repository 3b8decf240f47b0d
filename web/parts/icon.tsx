// Small pictures. They always stand beside a word.

import type { ReactNode } from "react";

const PATHS = {
  queued: <circle cx="6" cy="6" r="3.6" strokeDasharray="2.2 2.2" />,
  running: <path d="M6 2.2a3.8 3.8 0 1 1-3.3 1.9" />,
  asking: <path d="M4.2 4.4A1.9 1.9 0 1 1 6.9 6.1C6.3 6.4 6 6.8 6 7.4M6 9.7v.1" />,
  waiting: <path d="M6 2.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6M6 4v2.2l1.5 1" />,
  stopped: <path d="M4.2 3.2v5.6M7.8 3.2v5.6" />,
  completed: <path d="m2.6 6.4 2.3 2.3 4.6-5" />,
  failed: <path d="m3.2 3.2 5.6 5.6M8.8 3.2 3.2 8.8" />,
  cancelled: <path d="M6 2.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6M3.4 8.6l5.2-5.2" />,
  skipped: <path d="M2.6 3.2 6 6 2.6 8.8M6 3.2 9.4 6 6 8.8" />,
  retry: <path d="M9.6 6A3.6 3.6 0 1 1 8.3 3.2M8.5 1.2v2.2H6.3" />,
  overview: <path d="M1.8 6.2h2l1.5-3.4 2 6 1.4-2.6h1.5" />,
  runs: <path d="M2 3h8M2 6h8M2 9h5" />,
  groups: <path d="M2 8.8V6.2M5 8.8V3.2M8 8.8V5M10.4 8.8V4" />,
  targets: <path d="M6 1.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M6 4.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2" />,
  gateway: <path d="M1.6 6h2.6M4.2 2.6v6.8M4.2 6l5.4-2.8M4.2 6h6M4.2 6l5.4 2.8" />,
  sessions: <path d="M2 2.8h3.4v2.4H2zM6.6 6.8H10v2.4H6.6zM3.7 5.2V8h2.9" />,
  lab: <path d="M4.8 1.8v3L2.2 9.4c-.2.4 0 .8.5.8h6.6c.5 0 .7-.4.5-.8L7.2 4.8v-3M4.2 1.8h3.6" />,
  audit: <path d="M3 1.8h4.4L9.2 3.6v6.6H3zM4.6 5h3M4.6 7h3" />,
  settings: <path d="M2 3.6h4.6M9.4 3.6H10M2 8.4h.6M5.4 8.4H10M8 2.2v2.8M4 7v2.8" />,
  copy: <path d="M4.2 4.2h5.6v5.6H4.2zM2.2 7.8V2.2h5.6" />,
  more: <path d="M2.6 6v.1M6 6v.1M9.4 6v.1" />,
  next: <path d="m4.6 2.8 3.2 3.2-3.2 3.2" />,
  back: <path d="M7.4 2.8 4.2 6l3.2 3.2" />,
  up: <path d="M6 9.4V2.8M3.2 5.6 6 2.8l2.8 2.8" />,
  down: <path d="M6 2.6v6.6M3.2 6.4 6 9.2l2.8-2.8" />,
  open: <path d="m2.8 4.6 3.2 3.2 3.2-3.2" />,
  close: <path d="m3 3 6 6M9 3 3 9" />,
  search: <path d="M5.2 2a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4M7.6 7.6 10.2 10.2" />,
  menu: <path d="M2 3.2h8M2 6h8M2 8.8h8" />,
  link: <path d="M4.8 7.2 9.6 2.4M6.4 2.4h3.2v3.2M8.4 7v2.6H2.4V3.6H5" />,
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 12 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      className="icon"
      viewBox="0 0 12 12"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[name]}
    </svg>
  );
}

export function Brand(): ReactNode {
  return (
    <span className="brand">
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <path
          d="M2 14.5 6 11l2.5 2.5 4-8 2.5 4 3-4"
          fill="none"
          stroke="var(--accent)"
          strokeWidth="2.3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <b>Faultline</b>
    </span>
  );
}
