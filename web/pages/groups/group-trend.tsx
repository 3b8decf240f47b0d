// How often the failures of a group happened over time.

import type { ReactNode } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { Chart, type Trend } from "../../parts/chart.tsx";
import { Section } from "../../parts/page.tsx";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const RANGES = {
  hour: { trendMs: HOUR, bucketMs: MINUTE },
  day: { trendMs: DAY, bucketMs: HOUR / 2 },
  week: { trendMs: 7 * DAY, bucketMs: 3 * HOUR },
  month: { trendMs: 30 * DAY, bucketMs: 12 * HOUR },
} as const;
type Range = keyof typeof RANGES;
const NAMES = Object.keys(RANGES) as readonly Range[];

/** The time that is shown, from the address. */
export function useTrendRange(): { readonly range: Range; readonly query: (typeof RANGES)[Range] } {
  const asked = useSearchParams().get("range");
  const range = NAMES.find((name) => name === asked) ?? "day";
  return { range, query: RANGES[range] };
}

export function GroupTrend({ trend }: { readonly trend: Trend }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const { range, query } = useTrendRange();
  return (
    <Section
      title={words.title}
      aside={
        <span className="group-ranges" role="group" aria-label={words.range}>
          {NAMES.map((name) => (
            <button key={name} type="button" aria-pressed={name === range} onClick={() => search.set({ range: name })}>
              {words.ranges[name]}
            </button>
          ))}
        </span>
      }
    >
      <Chart trend={trend} bucketMs={query.bucketMs} />
    </Section>
  );
}

const WORDS = wordTable({
  "en": {
    title: "How often",
    range: "Time shown",
    ranges: { hour: "1 h", day: "24 h", week: "7 d", month: "30 d" },
  },
  "zh-CN": {
    title: "发生频率",
    range: "显示的时间",
    ranges: { hour: "1 小时", day: "24 小时", week: "7 天", month: "30 天" },
  },
});
