// One target in detail, with the buttons for it.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useNow } from "../../app/clock.ts";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts, Quote } from "../../parts/page.tsx";
import { TargetActions } from "./target-actions.tsx";
import { nameOf, type Target, TargetPill } from "./target-pill.tsx";
import { TARGET_WORDS } from "./target-words.ts";

export interface TargetPanelProps {
  readonly target: Target;
  readonly onClose: () => void;
}

export function TargetPanel({ target, onClose }: TargetPanelProps): ReactNode {
  const words = useWords(TARGET_WORDS);
  return (
    <section className="target-panel" aria-label={words.panel(target.target)}>
      <header>
        <div>
          <h2 className="target-title">{nameOf(target)}</h2>
          <p className="dim">{target.kind === null ? words.kinds.unknown : words.kinds[target.kind]}</p>
        </div>
        <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <State target={target} />
      <TargetActions target={target} isFull />
      <Figures target={target} />
      <Quota target={target} />
      <p>
        <Link className="link" to="/runs" search={{ target: target.tools[0] ?? target.target } as never}>
          {words.runs}
        </Link>
        {" · "}
        <Link className="link" to="/groups" search={{ tool: target.tools[0] ?? target.target } as never}>
          {words.groups}
        </Link>
      </p>
    </section>
  );
}

function State({ target }: Pick<TargetPanelProps, "target">): ReactNode {
  const words = useWords(TARGET_WORDS);
  const { dateTime, age } = useFormat();
  const now = useNow();
  const { says, cause, reason, since, state } = target;
  return (
    <div className="target-state">
      <TargetPill target={target} />
      {state.id === "in-service" ? null : <p>{says}</p>}
      {cause === null ? null : (
        <p>
          {words.because} <b>{cause.title}</b>
        </p>
      )}
      {cause?.message === undefined ? null : <Quote label={words.evidence}>{cause.message}</Quote>}
      {reason === null ? null : (
        <p>
          {words.reason} <q>{reason}</q>
        </p>
      )}
      {since === null ? null : <p className="dim">{words.since(dateTime(since), age(now - since))}</p>}
    </div>
  );
}

function Figures({ target }: Pick<TargetPanelProps, "target">): ReactNode {
  const { target: id, recent, figures, running, queued, usedAt } = target;
  const words = useWords(TARGET_WORDS);
  const { count, percent, duration, money, dateTime } = useFormat();
  const { facts } = words;
  const ms = (value: number | null): string => (value === null ? "–" : duration(value));
  return (
    <Facts
      rows={[
        [facts.now, words.now(running, queued)],
        ...(recent === null
          ? []
          : ([
              [facts.errors, words.ofLast(percent(recent.errorRate), recent.attempts)],
              [facts.latency, recent.p50Ms === null ? "–" : words.latency(ms(recent.p50Ms), ms(recent.p95Ms))],
            ] as const)),
        ...(figures === null
          ? []
          : ([
              [facts.calls, words.calls(figures.calls, figures.retries, figures.timeouts)],
              [facts.opened, count(figures.breakerOpens)],
              [facts.spend, words.spend(money(figures.spentMicrocents), figures.unpricedAttempts)],
            ] as const)),
        [facts.usedAt, usedAt === null ? words.notUsed : dateTime(usedAt)],
        [facts.id, <Copy key="id" text={id} />],
      ]}
    />
  );
}

function Quota({ target: { limits } }: Pick<TargetPanelProps, "target">): ReactNode {
  const words = useWords(TARGET_WORDS);
  const { count, clock } = useFormat();
  const now = useNow();
  if (limits.length === 0) return null;
  return (
    <div className="target-quota">
      <h3>{words.quota}</h3>
      <ul>
        {limits.map(({ of, remaining, limit, resetAt }) => (
          <li key={of}>
            <span>{words.limited[of]}</span>
            <span className="num">
              {words.left(remaining === null ? "?" : count(remaining), limit === null ? "?" : count(limit))}
            </span>
            {remaining === null || limit === null ? null : (
              <meter aria-label={words.limited[of]} min={0} max={limit} low={limit * 0.1} value={remaining} />
            )}
            {resetAt === null || resetAt < now ? null : <span className="dim">{words.resets(clock(resetAt))}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
