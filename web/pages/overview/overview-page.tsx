// Whether all is well, in one sentence; then what needs a person, what runs, what waits, what failed, and what is out of service.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Chart } from "../../parts/chart.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Countdown } from "../../parts/pill.tsx";
import { Pending } from "../../parts/states.tsx";
import { TargetActions } from "../targets/target-actions.tsx";
import { nameOf, TargetPill } from "../targets/target-pill.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { OVERVIEW_WORDS } from "./overview-words.ts";
import "./overview-page.css";

export type Overview = Answer<"overview">;
interface PartProps {
  readonly overview: Overview;
}

/** Costs and pauses change without an event. */
const EVERY_MS = 15_000;
const HOUR_MS = 3_600_000;

export function OverviewPage(): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const read = useRead("overview", {}, { everyMs: EVERY_MS });
  const { data } = read;
  if (data === undefined)
    return (
      <Page title={words.title}>
        <Pending read={read} kind="page" rows={8} />
      </Page>
    );
  const look = data.isWell ? "completed" : data.needsYou.count > 0 ? "asking" : "failed";
  return (
    <Page title={words.title}>
      <p className={`overview-says ${look}`} role="status">
        <Icon name={look} size={16} />
        <span>{data.says}</span>
      </p>
      <div className="overview">
        <div>
          <NeedsYou overview={data} />
          <Failed overview={data} />
          <Waiting overview={data} />
          <Running overview={data} />
          <Programs overview={data} />
        </div>
        <div>
          <Targets overview={data} />
          <Spend overview={data} />
          <Trend overview={data} />
        </div>
      </div>
    </Page>
  );
}

interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

function All({ state, ...counted }: Counted & { readonly state: string }): ReactNode {
  return (
    <Link className="link" to="/runs" search={{ state } as never}>
      <AllOf {...counted} />
    </Link>
  );
}

function AllOf({ count, isMore }: Counted): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const format = useFormat();
  return words.all(`${format.count(count)}${isMore ? "+" : ""}`);
}

function Failed({ overview: { failed, isPartial } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { count } = useFormat();
  return (
    <Section title={words.failed} aside={isPartial ? <span className="dim">{words.partial}</span> : undefined}>
      {failed.length === 0 ? <p className="dim">{words.noneFailed}</p> : null}
      <ul className="overview-list">
        {failed.map(({ code, title, count: times, newest }) => (
          <li key={code}>
            <Link to="/runs" search={{ state: "failed", code } as never} className="overview-main">
              <b>{title}</b>
              <span className="dim one-line">{words.newest(newest)}</span>
            </Link>
            <span className="num">{words.runs(count(times), times)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Waiting({ overview: { waiting } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { clock } = useFormat();
  return (
    <Section title={words.waiting} aside={<Count of={waiting} />}>
      {waiting.count === 0 ? <p className="dim">{words.noneWaiting}</p> : null}
      <ul className="overview-list">
        {waiting.first.map(({ run, workflow, nodes, title, nextAt }) => (
          <li key={run}>
            <RunName run={run} says={[workflow, ...nodes, title ?? ""]} />
            <span className="num dim overview-at">{clock(nextAt)}</span>
            <Countdown until={nextAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Running({ overview: { running, queued } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { count } = useFormat();
  return (
    <Section title={words.running} aside={running.count === 0 ? undefined : <All state="running" {...running} />}>
      {running.count === 0 ? <p className="dim">{words.noneRunning}</p> : null}
      {queued.count === 0 ? null : (
        <p>
          <Link className="link" to="/runs" search={{ state: "queued" } as never}>
            {words.queued(`${count(queued.count)}${queued.isMore ? "+" : ""}`, queued.count)}
          </Link>
        </p>
      )}
      <ul className="overview-list">
        {running.first.map(({ run, workflow, nodes }) => (
          <li key={run}>
            <RunName run={run} says={[workflow, ...nodes]} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Sessions that programs have open; without any, there is nothing to say. */
function Programs({ overview: { programs } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { age } = useFormat();
  const now = useNow();
  if (programs.count === 0) return null;
  return (
    <Section
      title={words.programs}
      aside={
        <Link className="link" to="/sessions" search={{ kind: "program", status: "open" } as never}>
          <AllOf {...programs} />
        </Link>
      }
    >
      <ul className="overview-list">
        {programs.first.slice(0, PROGRAMS_SHOWN).map(({ session, updatedAt }) => (
          <li key={session}>
            <Link to="/sessions/$session" params={{ session }} className="overview-main">
              <b className="one-line">{session}</b>
              <span className="dim one-line">{words.lastHeard(age(Math.max(0, now - updatedAt)))}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const PROGRAMS_SHOWN = 5;

function Count({
  of: { count: counted, isMore },
}: {
  readonly of: Pick<Overview["running"], "count" | "isMore">;
}): ReactNode {
  const { count } = useFormat();
  return counted === 0 ? null : <span className="num dim">{`${count(counted)}${isMore ? "+" : ""}`}</span>;
}

function RunName({ run, says }: { readonly run: string; readonly says: readonly string[] }): ReactNode {
  return (
    <Link to="/runs/$run" params={{ run }} className="overview-main">
      <b className="one-line">{run}</b>
      <span className="dim one-line">{says.filter((part) => part !== "").join(" · ")}</span>
    </Link>
  );
}

function Targets({ overview: { targets } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  return (
    <Section
      title={words.targets}
      aside={
        <Link className="link" to="/targets">
          {words.allTargets}
        </Link>
      }
    >
      {targets.length === 0 ? <p className="dim">{words.noneOut}</p> : null}
      <ul className="overview-list">
        {targets.map((target) => (
          <li key={target.target} className="overview-target">
            <Link to="/targets" search={{ target: target.target } as never} className="overview-main">
              <b className="one-line">{nameOf(target)}</b>
              <span className="dim one-line">{target.reason ?? target.cause?.title ?? target.says}</span>
            </Link>
            <TargetPill target={target} />
            <TargetActions target={target} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Spend({ overview: { spentMicrocents, isPartial } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { money } = useFormat();
  return (
    <Section title={words.spend}>
      <p className="overview-figure">{money(spentMicrocents)}</p>
      <p className="dim">{isPartial ? words.spendPartial : words.spendSays}</p>
    </Section>
  );
}

function Trend({ overview: { faults } }: PartProps): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { count } = useFormat();
  return (
    <Section
      title={words.trend}
      aside={
        <Link className="link" to="/groups">
          {words.groups}
        </Link>
      }
    >
      <Chart trend={faults.trend} bucketMs={HOUR_MS} height={110} />
      {faults.recoveredByRetry === 0 ? null : (
        <p className="dim overview-note">{words.trendSays(count(faults.recoveredByRetry))}</p>
      )}
    </Section>
  );
}
