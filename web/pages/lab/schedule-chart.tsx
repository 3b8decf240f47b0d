// The attempts and waits that a policy leads to, on one axis. Waits are hatched; what jitter adds is outlined. All times are the server's.

import type { ReactNode } from "react";
import { type Format, useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { type TimeScale, timeScale } from "../../parts/time-scale.ts";
import { Ticks } from "../../parts/waterfall.tsx";
import type { Tried } from "./tried-result.tsx";
import { WORDS } from "./words.ts";

type Step = Tried["schedule"][number];

export function ScheduleChart({
  tried: { schedule, total, decision },
  deadlineMs,
}: {
  readonly tried: Tried;
  readonly deadlineMs: number | null;
}): ReactNode {
  const words = useWords(WORDS);
  const format = useFormat();
  const longest = Math.max(total.maxMs, 1);
  const isLineNear = deadlineMs !== null && deadlineMs <= longest * 2;
  const scale = timeScale({ startAt: 0, endAt: (isLineNear ? Math.max(longest, deadlineMs) : longest) * 1.02 });
  const first = (decision.attempt ?? 2) - 1;
  return (
    <div className="lab-schedule">
      <p>
        {words.total(span(total, format))}
        {deadlineMs === null ? null : <span className="dim"> {words.deadlineAfter(format.duration(deadlineMs))}</span>}
      </p>
      <div className="lab-axis" aria-hidden="true">
        <Ticks scale={scale} />
      </div>
      <ol className="lab-steps">
        {schedule.map((step, index) => (
          <li key={index}>
            <StepRow step={step} attempt={first + index} scale={scale} deadlineMs={isLineNear ? deadlineMs : null} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface StepRowProps {
  readonly step: Step;
  readonly attempt: number;
  readonly scale: TimeScale;
  readonly deadlineMs: number | null;
}

function StepRow({ step: { at, wait, says, recourse }, attempt, scale, deadlineMs }: StepRowProps): ReactNode {
  const words = useWords(WORDS);
  const format = useFormat();
  const hasWait = wait.maxMs > 0;
  return (
    <>
      <span className="lab-step-name">{words.attemptFails(attempt)}</span>
      <span className="lab-step-bar" aria-hidden="true">
        <Piece kind="attempt" scale={scale} from={at.minMs} to={at.maxMs} />
        {hasWait ? <Piece kind="wait" scale={scale} from={at.maxMs} to={at.maxMs + wait.minMs} /> : null}
        {wait.maxMs > wait.minMs ? (
          <Piece kind="jitter" scale={scale} from={at.maxMs + wait.minMs} to={at.maxMs + wait.maxMs} />
        ) : null}
        {deadlineMs === null ? null : (
          <i className="lab-deadline" style={{ left: percent(scale.shareOf(deadlineMs)) }} />
        )}
      </span>
      <span className="lab-step-says" data-recourse={recourse}>
        {says} {hasWait ? <span className="dim num">{span(wait, format)}</span> : null}
      </span>
    </>
  );
}

interface PieceProps {
  readonly kind: "attempt" | "wait" | "jitter";
  readonly scale: TimeScale;
  readonly from: number;
  readonly to: number;
}

function Piece({ kind, scale, from, to }: PieceProps): ReactNode {
  const [left, right] = [scale.shareOf(from), scale.shareOf(to)];
  return <i className={`lab-piece lab-${kind}`} style={{ left: percent(left), width: percent(right - left) }} />;
}

function percent(share: number): string {
  return `${share * 100}%`;
}

/** `5 s`, or `4 s – 6 s` where jitter lets it vary. */
function span({ minMs, maxMs }: Step["wait"], { duration }: Format): string {
  return minMs === maxMs ? duration(minMs) : `${duration(minMs)} – ${duration(maxMs)}`;
}
