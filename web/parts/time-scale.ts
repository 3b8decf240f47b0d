// From times to places on an axis. Pure. Stretches in which nothing happened can be drawn short.

export interface Interval {
  readonly startAt: number;
  readonly endAt: number;
}

/** A part of the axis, as shares of its whole length. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Tick {
  /** Where it stands: 0 is the left edge, 1 the right one. */
  readonly share: number;
  /** Since the start of the axis. */
  readonly ms: number;
}

export interface Gap {
  readonly share: number;
  readonly width: number;
  /** How long it really was. */
  readonly ms: number;
}

export interface TimeScale {
  /** Where a time stands; below 0 or above 1 when it is out of view. */
  readonly shareOf: (at: number) => number;
  readonly ticks: readonly Tick[];
  /** Stretches that are drawn short. */
  readonly gaps: readonly Gap[];
}

export interface ScaleOptions extends Interval {
  /** Given: what lies between these intervals is drawn short. */
  readonly busy?: readonly Interval[];
  readonly window?: Window;
}

const WHOLE: Window = { from: 0, to: 1 };
const MAX_TICKS = 7;
/** A shortened stretch takes this part of the axis, and is never longer than it was. */
const GAP_SHARE = 0.03;
/** Shorter stretches stay as they are. */
const LEAST_GAP_SHARE = 0.05;

export function timeScale({ startAt, endAt, busy, window = WHOLE }: ScaleOptions): TimeScale {
  const pieces = piecesOf({ startAt, endAt: Math.max(endAt, startAt + 1) }, busy);
  const whole = pieces.at(-1)?.x1 ?? 1;
  const [left, width] = [window.from * whole, Math.max((window.to - window.from) * whole, 1e-6)];
  const shareAt = (x: number): number => (x - left) / width;
  return {
    shareOf: (at) => shareAt(placeOf(pieces, at)),
    ticks: ticksOf(pieces, width, startAt, shareAt),
    gaps: pieces
      .filter(({ isGap }) => isGap)
      .map(({ x0, x1, t0, t1 }) => ({ share: shareAt(x0), width: (x1 - x0) / width, ms: t1 - t0 })),
  };
}

/** A stretch of time, and where it is drawn. */
interface Piece {
  readonly t0: number;
  readonly t1: number;
  readonly x0: number;
  readonly x1: number;
  readonly isGap: boolean;
}

function piecesOf({ startAt, endAt }: Interval, busy: readonly Interval[] | undefined): readonly Piece[] {
  const stretches = busy === undefined ? [] : merged(busy, startAt, endAt);
  const least = (endAt - startAt) * LEAST_GAP_SHARE;
  const cuts: { readonly t0: number; readonly t1: number; readonly isGap: boolean }[] = [];
  let at = startAt;
  for (const { startAt: from, endAt: to } of stretches) {
    if (from - at > least) {
      cuts.push({ t0: at, t1: from, isGap: true });
      at = from;
    }
    cuts.push({ t0: at, t1: to, isGap: false });
    at = to;
  }
  if (at < endAt) cuts.push({ t0: at, t1: endAt, isGap: stretches.length > 0 && endAt - at > least });
  const kept = cuts.filter(({ isGap }) => !isGap).reduce((sum, { t0, t1 }) => sum + t1 - t0, 0);
  let x = 0;
  return cuts.map((cut) => {
    const long = cut.t1 - cut.t0;
    const x0 = x;
    x += cut.isGap ? Math.min(long, Math.max(kept * GAP_SHARE, 1)) : long;
    return { ...cut, x0, x1: x };
  });
}

function merged(intervals: readonly Interval[], startAt: number, endAt: number): readonly Interval[] {
  const found: { startAt: number; endAt: number }[] = [];
  for (const one of intervals.toSorted((a, b) => a.startAt - b.startAt)) {
    const [from, to] = [Math.max(one.startAt, startAt), Math.min(one.endAt, endAt)];
    const last = found.at(-1);
    if (last !== undefined && from <= last.endAt) last.endAt = Math.max(last.endAt, to);
    else if (to >= from) found.push({ startAt: from, endAt: to });
  }
  return found;
}

function placeOf(pieces: readonly Piece[], at: number): number {
  const piece = pieces.find(({ t1 }) => at <= t1) ?? pieces.at(-1);
  if (piece === undefined) return 0;
  const { t0, t1, x0, x1, isGap } = piece;
  const speed = isGap ? (x1 - x0) / Math.max(t1 - t0, 1) : 1;
  return x0 + (at - t0) * speed;
}

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10, 30, 100, 365, 1_000, 3_650].map((count) => count * DAY),
];

function ticksOf(
  pieces: readonly Piece[],
  width: number,
  startAt: number,
  shareAt: (x: number) => number,
): readonly Tick[] {
  const step = STEPS.find((one) => width / one <= MAX_TICKS) ?? Math.ceil(width / MAX_TICKS);
  const ticks: Tick[] = [];
  for (const { t0, t1, x0, x1, isGap } of pieces) {
    if (isGap || shareAt(x1) < 0 || shareAt(x0) > 1) continue;
    // Only what is in view: a long piece has many ticks outside of it.
    const first = Math.max(t0 - startAt, t0 - startAt - shareAt(x0) * width);
    for (let ms = Math.ceil(first / step) * step; ms <= t1 - startAt; ms += step) {
      const share = shareAt(x0 + ms - (t0 - startAt));
      if (share > 1) break;
      const last = ticks.at(-1);
      if (share >= 0 && (last === undefined || share - last.share > 0.4 / MAX_TICKS)) ticks.push({ share, ms });
    }
  }
  return ticks;
}
