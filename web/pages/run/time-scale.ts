// Where a moment stands on a time axis. Idle time, in which nothing works, can be drawn short.

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface TimeScale {
  /** A moment as a part of the whole axis: 0 to 1. */
  readonly at: (time: number) => number;
  /** The moment at a part of the axis. */
  readonly timeAt: (part: number) => number;
  /** Idle time that is drawn short. */
  readonly cuts: readonly Interval[];
}

/** A cut takes up as much room as this part of all work. */
const CUT_PART = 0.03;
/** Idle time shorter than this part of the whole is drawn as it is. */
const WORTH_CUTTING = 0.05;

/** `busy`: when something worked. With it, longer idle times in between are drawn short. */
export function timeScale({ from, to }: Interval, busy: readonly Interval[] | null = null): TimeScale {
  const whole = Math.max(1, to - from);
  const cuts = busy === null ? [] : gapsIn({ from, to: from + whole }, busy, whole * WORTH_CUTTING);
  const cutMs = cuts.reduce((sum, cut) => sum + cut.to - cut.from, 0);
  const shortMs = Math.max(1, (whole - cutMs) * CUT_PART);
  const drawnMs = whole - cutMs + cuts.length * shortMs;
  const drawn = (time: number): number => {
    let position = Math.min(Math.max(time, from), from + whole) - from;
    for (const cut of cuts) {
      const inside = Math.min(Math.max(time - cut.from, 0), cut.to - cut.from);
      position -= inside * (1 - shortMs / (cut.to - cut.from));
    }
    return position;
  };
  return {
    at: (time) => drawn(time) / drawnMs,
    timeAt: (part) => {
      let left = Math.min(Math.max(part, 0), 1) * drawnMs;
      let time = from;
      for (const cut of cuts) {
        if (left <= cut.from - time) break;
        left -= cut.from - time;
        if (left <= shortMs) return cut.from + (left / shortMs) * (cut.to - cut.from);
        left -= shortMs;
        time = cut.to;
      }
      return time + left;
    },
    cuts,
  };
}

/** The times in which nothing is busy, if they are longer than `atLeastMs`. */
function gapsIn({ from, to }: Interval, busy: readonly Interval[], atLeastMs: number): readonly Interval[] {
  const gaps: Interval[] = [];
  let end = from;
  for (const one of busy.toSorted((a, b) => a.from - b.from)) {
    if (one.from - end > atLeastMs) gaps.push({ from: end, to: one.from });
    end = Math.max(end, one.to);
  }
  if (to - end > atLeastMs) gaps.push({ from: end, to });
  return gaps;
}
