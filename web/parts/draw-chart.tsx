// The bars of a trend, drawn by uPlot in the colours of the theme. What it shows is also said in words beside it.

import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import UPlot from "uplot";
import { usePreferences } from "../app/preferences.ts";
import type { ChartProps } from "./chart.tsx";
import "uplot/dist/uPlot.min.css";

type DrawnProps = Required<ChartProps>;

export default function DrawnChart({ trend, bucketMs, height }: DrawnProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  const { language } = usePreferences();
  const counts = trend.map(({ at, count }) => `${at}:${count}`).join(" ");
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const chart = new UPlot(optionsFor(element, { bucketMs, height, language }), dataOf(trend, bucketMs), element);
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [counts, bucketMs, height, theme, language]);
  return <div ref={place} aria-hidden="true" />;
}

/** The theme as it is shown, whether it was chosen or comes from the system. */
function useShownTheme(): string {
  return useSyncExternalStore(
    (changed) => {
      const watch = new MutationObserver(changed);
      watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      return () => watch.disconnect();
    },
    () => document.documentElement.dataset["theme"] ?? "",
  );
}

/** A bar stands in the middle of its bucket. */
function dataOf(trend: ChartProps["trend"], bucketMs: number): UPlot.AlignedData {
  return [trend.map(({ at }) => (at + bucketMs / 2) / 1_000), trend.map(({ count }) => count)];
}

interface Look {
  readonly bucketMs: number;
  readonly height: number;
  readonly language: string;
}

function optionsFor(element: HTMLElement, { bucketMs, height, language }: Look): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `${style.getPropertyValue("--text-xs").trim()} ${style.fontFamily}`;
  const axis = { stroke: colour("--ink-3"), font, ticks: { show: false } };
  const bars = UPlot.paths.bars;
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 16, 0, 0],
    scales: { x: { time: true }, y: { range: (_chart, _least, most) => [0, Math.max(1, most) * 1.08] } },
    axes: [
      { ...axis, size: 26, grid: { show: false }, values: (_chart, at) => timesOf(at, bucketMs, language) },
      {
        ...axis,
        size: 40,
        grid: { stroke: colour("--line-soft"), width: 1 },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 1_000_000],
      },
    ],
    series: [
      {},
      {
        fill: colour("--red"),
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars({ size: [0.8, 28], radius: 0.1 }) }),
      },
    ],
  };
}

/** Days where a bucket is long, the time of the day otherwise; midnight names its day. */
function timesOf(seconds: readonly number[], bucketMs: number, language: string): string[] {
  const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return seconds.map((second) => {
    const at = new Date(second * 1_000);
    const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
    return isMidnight || bucketMs >= 43_200_000 ? day.format(at) : time.format(at);
  });
}
