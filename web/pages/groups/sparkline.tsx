// A small picture of how often something happened, with the same in words for those who do not see it.

import type { ReactNode } from "react";
import { type Trend, useTrendWords } from "../../parts/chart.tsx";

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
