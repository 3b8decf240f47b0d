// The two signs of a failure: the state as a tinted pill, the cause as an outlined tag. Both have words; colour only helps.

import type { ReactNode } from "react";
import { useFormat } from "../app/format.ts";
import { useNow } from "../app/clock.ts";
import { Icon, type IconName } from "./icon.tsx";
import "./pill.css";

type Tone = "blue" | "amber" | "red" | "green" | "violet" | "teal" | "grey";

/** How each state looks. The names and the labels are the server's. */
const LOOKS: Readonly<Record<string, { readonly tone: Tone; readonly icon: IconName }>> = {
  queued: { tone: "grey", icon: "queued" },
  running: { tone: "blue", icon: "running" },
  asking: { tone: "violet", icon: "asking" },
  retrying: { tone: "amber", icon: "retry" },
  waiting: { tone: "amber", icon: "waiting" },
  stopped: { tone: "teal", icon: "stopped" },
  completed: { tone: "green", icon: "completed" },
  failed: { tone: "red", icon: "failed" },
  cancelled: { tone: "grey", icon: "cancelled" },
  skipped: { tone: "grey", icon: "skipped" },
};
/** States that end at a known time. */
const COUNTS_DOWN: ReadonlySet<string> = new Set(["retrying", "waiting"]);
const UNKNOWN = { tone: "grey", icon: "queued" } as const;

export function toneOf(state: string): Tone {
  return (LOOKS[state] ?? UNKNOWN).tone;
}

export interface StatePillProps {
  readonly state: { readonly id: string; readonly label: string };
  /** When it continues by itself: the pill counts down to it. */
  readonly nextAt?: number | null;
  /** Attempt 2 of 6, for what is retried. */
  readonly attempt?: number;
  readonly of?: number;
}

export function StatePill({ state: { id, label }, nextAt = null, attempt = 0, of = 0 }: StatePillProps): ReactNode {
  const { tone, icon } = LOOKS[id] ?? UNKNOWN;
  return (
    <span className={`pill tone-${tone}`} data-state={id}>
      <Icon name={icon} />
      <span>{label}</span>
      {of > 1 && attempt > 0 ? (
        <span className="num">
          {attempt}/{of}
        </span>
      ) : null}
      {nextAt === null || !COUNTS_DOWN.has(id) ? null : <Countdown until={nextAt} />}
    </span>
  );
}

/** Counts down on the server's clock. */
export function Countdown({ until }: { readonly until: number }): ReactNode {
  const now = useNow();
  const { countdown, dateTime } = useFormat();
  return (
    <time className="num" dateTime={new Date(until).toISOString()} title={dateTime(until)}>
      {countdown(until - now)}
    </time>
  );
}

export function CauseTag({
  cause,
}: {
  readonly cause: { readonly id: string; readonly label: string } | null;
}): ReactNode {
  return cause === null ? null : <span className="cause">{cause.label}</span>;
}

/** A word with a tone, for states that are not those of runs: breakers, roles, bulk actions. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return <span className={`pill tone-${tone}`}>{children}</span>;
}
