// One bulk action, running or finished: each run, wave by wave. Its id is in the address, so a reload shows it again.

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useAct, useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { toneOf } from "../../parts/pill.tsx";
import { Section } from "../../parts/page.tsx";
import { ProblemState, Skeleton } from "../../parts/states.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { BulkBadge } from "./bulk-list.tsx";
import "./bulk-progress.css";

type Report = Answer<"showBulk">;
type Step = Report["steps"][number];

/** How often it is read while it runs: an action on a run is not always an event. */
const LOOK_MS = 1_500;

export function BulkProgress({ bulk }: { readonly bulk: string }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const [isOver, setOver] = useState(false);
  const { data, error, refetch } = useRead("showBulk", { params: { bulk } }, isOver ? {} : { everyMs: LOOK_MS });
  if (data !== undefined && (data.status !== "running") !== isOver) setOver(!isOver);
  return (
    <Section
      title={words.title}
      aside={
        <span className="bulk-head">
          {data === undefined ? null : <Abort report={data} />}
          <Button kind="quiet" onClick={() => search.set({ bulk: null })}>
            {words.close}
          </Button>
        </span>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton kind="text" rows={3} />
        ) : (
          <ProblemState error={error} onRetry={() => void refetch()} isInline />
        )
      ) : (
        <Progress report={data} />
      )}
    </Section>
  );
}

function Abort({ report: { id, status } }: { readonly report: Report }): ReactNode {
  const words = useWords(WORDS);
  const canAct = useCanAct();
  const { fail } = useToasts();
  const { mutate, isPending } = useAct("abortBulk");
  if (!canAct || status !== "running") return null;
  return (
    <Button
      kind="danger"
      isBusy={isPending}
      effect={words.abortEffect}
      onClick={() => mutate({ params: { bulk: id } }, { onError: fail })}
    >
      {words.abort}
    </Button>
  );
}

function Progress({ report }: { readonly report: Report }): ReactNode {
  const words = useWords(WORDS);
  const { dateTime, count } = useFormat();
  const { label, by, startedAt, says, steps, pace, abortedBy } = report;
  const settled = steps.filter(({ state }) => !UNSETTLED.has(state)).length;
  return (
    <div className="bulk-progress">
      <p className="bulk-progress-what">
        <BulkBadge bulk={report} />
        <b>{label}</b>
        <span className="dim">{words.by(by, dateTime(startedAt), pace.join(", "))}</span>
      </p>
      <p aria-live="polite">
        {says}
        {abortedBy === "" ? null : ` ${words.abortedBy(abortedBy)}`}
      </p>
      <div
        className="bulk-bar"
        role="progressbar"
        aria-label={words.settled(count(settled), count(steps.length))}
        aria-valuemin={0}
        aria-valuemax={steps.length}
        aria-valuenow={settled}
      >
        {steps.map(({ run, state }) => (
          <i key={run} className={`tone-${toneOf(LOOK_LIKE[state])}`} data-state={state} />
        ))}
      </div>
      <Counts steps={steps} />
      <Waves steps={steps} />
    </div>
  );
}

const UNSETTLED: ReadonlySet<Step["state"]> = new Set(["pending", "acting", "running"]);

/** The state of a run that each step looks like. */
const LOOK_LIKE: Readonly<Record<Step["state"], string>> = {
  pending: "queued",
  acting: "running",
  running: "running",
  completed: "completed",
  failed: "failed",
  waiting: "waiting",
  refused: "skipped",
};

function Counts({ steps }: { readonly steps: readonly Step[] }): ReactNode {
  const words = useWords(WORDS);
  const { count } = useFormat();
  const tally = new Map<Step["state"], { readonly label: string; readonly runs: number }>();
  for (const { state, label } of steps) tally.set(state, { label, runs: (tally.get(state)?.runs ?? 0) + 1 });
  return (
    <ul className="bulk-counts" aria-label={words.counts}>
      {[...tally].map(([state, { label, runs }]) => (
        <li key={state} className={`tone-${toneOf(LOOK_LIKE[state])}`}>
          <b className="num">{count(runs)}</b> {label}
        </li>
      ))}
    </ul>
  );
}

function Waves({ steps }: { readonly steps: readonly Step[] }): ReactNode {
  const words = useWords(WORDS);
  const waves = Map.groupBy(steps, ({ wave }) => wave);
  return (
    <div className="bulk-waves" tabIndex={0} role="region" aria-label={words.waves}>
      {[...waves].map(([wave, runs]) => (
        <section key={wave}>
          <h3>{words.wave(wave, runs.length)}</h3>
          <ul>
            {runs.map((step) => (
              <StepLine key={step.run} step={step} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function StepLine({ step: { run, now, state, label, code, at } }: { readonly step: Step }): ReactNode {
  const words = useWords(WORDS);
  const { clock } = useFormat();
  return (
    <li>
      <span className={`bulk-step tone-${toneOf(LOOK_LIKE[state])}`}>{label}</span>
      <span className="one-line">
        <Link className="link" to="/runs/$run" params={{ run: now }}>
          {now}
        </Link>
        {now === run ? null : (
          <span className="dim">
            {" "}
            {words.continues}{" "}
            <Link to="/runs/$run" params={{ run }}>
              {run}
            </Link>
          </span>
        )}
      </span>
      <span className="dim one-line">{code}</span>
      <time className="num dim">{at === null ? "" : clock(at)}</time>
    </li>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Bulk action",
    close: "Hide",
    abort: "Abort",
    abortEffect: "no further run is acted on",
    by: (by: string, at: string, pace: string) => `by ${by}, ${at}, pace ${pace}`,
    abortedBy: (by: string) => `Aborted by ${by}.`,
    settled: (done: string, all: string) => `${done} of ${all} runs have settled`,
    counts: "Runs by state",
    waves: "Waves",
    wave: (wave: number, runs: number) => `Wave ${wave} · ${runs === 1 ? "1 run" : `${runs} runs`}`,
    continues: "continues",
  },
  "zh-CN": {
    title: "批量操作",
    close: "隐藏",
    abort: "中止",
    abortEffect: "不再对其他运行执行操作",
    by: (by: string, at: string, pace: string) => `操作者 ${by}，${at}，节奏 ${pace}`,
    abortedBy: (by: string) => `由 ${by} 中止。`,
    settled: (done: string, all: string) => `${all} 个运行中 ${done} 个已有结果`,
    counts: "按状态统计的运行",
    waves: "批次",
    wave: (wave: number, runs: number) => `第 ${wave} 批 · ${runs} 个运行`,
    continues: "接续",
  },
});
