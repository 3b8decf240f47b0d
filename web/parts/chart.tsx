// How often something happened over time: bars, and the same in a sentence. The drawing library is loaded with the first chart.

import { lazy, type ReactNode, Suspense } from "react";
import { useFormat } from "../app/format.ts";
import { useWords, wordTable } from "../app/words.ts";
import "./chart.css";

const DrawnChart = lazy(() => import("./draw-chart.tsx"));

export type Trend = readonly { readonly at: number; readonly count: number }[];

export interface ChartProps {
  readonly trend: Trend;
  readonly bucketMs: number;
  readonly height?: number;
}

export function Chart({ trend, bucketMs, height = 150 }: ChartProps): ReactNode {
  const says = useTrendWords(trend);
  return (
    <figure className="chart">
      <div style={{ height }}>
        <Suspense fallback={null}>
          <DrawnChart {...{ trend, bucketMs, height }} />
        </Suspense>
      </div>
      <figcaption className="dim">{says}</figcaption>
    </figure>
  );
}

/** The trend in a sentence. */
export function useTrendWords(trend: Trend): string {
  const words = useWords(WORDS);
  const { count, minute } = useFormat();
  const total = trend.reduce((sum, bucket) => sum + bucket.count, 0);
  if (total === 0) return words.none;
  const worst = trend.reduce((most, bucket) => (bucket.count > most.count ? bucket : most));
  if (worst.count === total) return words.one(total, count(total), minute(worst.at));
  return words.some(count(total), count(worst.count), minute(worst.at));
}

const WORDS = wordTable({
  "en": {
    none: "No failures in this time",
    one: (total: number, all: string, at: string) =>
      `${total === 1 ? "1 failure" : `${all} failures`} in this time, in the bar that begins at ${at}.`,
    some: (total: string, most: string, at: string) =>
      `${total} failures in this time; the highest bar has ${most} and begins at ${at}.`,
  },
  "zh-CN": {
    none: "这段时间没有失败",
    one: (_total: number, all: string, at: string) => `这段时间共 ${all} 次失败，都在 ${at} 开始的时段。`,
    some: (total: string, most: string, at: string) =>
      `这段时间共 ${total} 次失败，单个时段最多 ${most} 次，从 ${at} 开始。`,
  },
});
