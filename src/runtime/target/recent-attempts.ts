// How the last attempts at a target went: how long they took, and how many failed. A ring in memory, made with the first attempt.

/** How the last attempts at a target went. */
export interface RecentReport {
  /** How many of the last attempts this is about. */
  readonly attempts: number;
  /** The share that failed, from 0 to 1. Cancelled attempts do not count. */
  readonly errorRate: number;
  /** Half of the attempts took no longer; null when no duration is known. */
  readonly p50Ms: number | null;
  /** 95 of 100 attempts took no longer. */
  readonly p95Ms: number | null;
}

const KEPT = 128;

export class RecentAttempts {
  private durationsMs: Float32Array | null = null;
  private readonly failed = new Uint8Array(KEPT);
  private noted = 0;

  /** `durationMs` is null when only the executor knows it. */
  note(ok: boolean, durationMs: number | null): void {
    this.durationsMs ??= new Float32Array(KEPT);
    const at = this.noted++ % KEPT;
    this.durationsMs[at] = durationMs ?? NaN;
    this.failed[at] = ok ? 0 : 1;
  }

  /** Of all of them together; null before the first attempt. */
  static report(all: readonly RecentAttempts[]): RecentReport | null {
    const attempts = all.reduce((sum, { noted }) => sum + Math.min(noted, KEPT), 0);
    if (attempts === 0) return null;
    const known = Float32Array.from(all.flatMap((one) => one.known())).sort();
    const failures = all.reduce((sum, { failed }) => sum + failed.reduce((own, each) => own + each, 0), 0);
    return { attempts, errorRate: failures / attempts, p50Ms: percentile(known, 0.5), p95Ms: percentile(known, 0.95) };
  }

  private known(): readonly number[] {
    const seen = this.durationsMs?.slice(0, Math.min(this.noted, KEPT)) ?? [];
    return [...seen].filter((durationMs) => durationMs >= 0);
  }
}

/** The nearest rank: always a duration that was seen. */
function percentile(sorted: Float32Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
