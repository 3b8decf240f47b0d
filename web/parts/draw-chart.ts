// Draws bars with uPlot. Only loaded by charts that are on the page.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartPoint } from "./chart.tsx";

/** Returns what takes the chart away again. */
export function drawChart(place: HTMLElement, points: readonly ChartPoint[], height: number): () => void {
  const colour = colours(place);
  const most = Math.max(1, ...points.map(({ count }) => count));
  const plot = new uPlot(
    {
      ...{ width: place.clientWidth, height, legend: { show: false }, padding: [4, 0, 0, 0] },
      cursor: { show: false },
      scales: { x: { time: false, range: (_plot, min, max) => [min - 0.5, max + 0.5] }, y: { range: [0, most] } },
      axes: [{ show: false }, { show: false }],
      series: [
        {},
        {
          fill: colour("--line-strong"),
          width: 0,
          points: { show: false },
          ...(uPlot.paths.bars === undefined ? {} : { paths: uPlot.paths.bars({ size: [0.7, 14], radius: 0.2 }) }),
        },
      ],
    },
    [points.map((_point, index) => index), points.map(({ count }) => count)],
    place,
  );
  const resized = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }));
  resized.observe(place);
  return () => {
    resized.disconnect();
    plot.destroy();
  };
}

/** Colours come from the tokens, also on a canvas. */
function colours(place: HTMLElement): (token: string) => string {
  const style = getComputedStyle(place);
  return (token) => style.getPropertyValue(token).trim();
}
