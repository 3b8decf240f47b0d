// A small picture of how often something happened, with the same in words for those who do not see it.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords, wordTable } from "../../app/words.ts";

export type Trend = readonly { readonly at: number; readonly count: number }[];

const [WIDTH, HEIGHT, GAP] = [112, 26, 1];
/** A bar that stands for one failure beside a thousand is still seen. */
const LOWEST = 2;

export function Sparkline({ trend }: { readonly trend: Trend }): ReactNode {
  const says = useTrendWords(trend);
  const most = Math.max(1, ...trend.map(({ count }) => count));
  const step = WIDTH / Math.max(1, trend.length);
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{says}</title>
      <path className="sparkline-ground" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {trend.map(({ at, count }, index) => {
        if (count === 0) return null;
        const height = Math.max(LOWEST, (count / most) * (HEIGHT - 1));
        return <rect key={at} x={index * step} y={HEIGHT - height} width={step - GAP} height={height} rx={0.5} />;
      })}
    </svg>
  );
}

/** The trend in a sentence. */
export function useTrendWords(trend: Trend): string {
  const words = useWords(WORDS);
  const { count, clock } = useFormat();
  const total = trend.reduce((sum, bucket) => sum + bucket.count, 0);
  if (total === 0) return words.none;
  const worst = trend.reduce((most, bucket) => (bucket.count > most.count ? bucket : most));
  return words.some(count(total), count(worst.count), clock(worst.at));
}

const WORDS = wordTable({
  "en": {
    none: "No failures in this time",
    some: (total: string, most: string, at: string) =>
      `${total} failures in this time. Most in one bar: ${most}, from ${at}.`,
  },
  "zh-CN": {
    none: "这段时间没有失败",
    some: (total: string, most: string, at: string) =>
      `这段时间共 ${total} 次失败。单段最多 ${most} 次，从 ${at} 开始。`,
  },
});
