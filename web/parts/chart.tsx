// Numbers over time as bars. The drawing library is loaded when the first chart is shown. The same numbers are there as a table for
// readers that cannot see a picture.

import { type ReactNode, useEffect, useRef } from "react";
import { useFormat } from "../app/format.ts";
import { usePreferences } from "../app/preferences.ts";
import "./chart.css";

export interface ChartPoint {
  readonly at: number;
  readonly count: number;
}

export interface ChartProps {
  /** What the chart shows, for those who cannot see it. */
  readonly label: string;
  readonly points: readonly ChartPoint[];
  /** What stands under its left and its right end. */
  readonly foot?: readonly [string, string];
  readonly height?: number;
}

export function Chart({ label, points, foot, height = 72 }: ChartProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const { theme, language } = usePreferences();
  const { clock, count } = useFormat();
  const shape = points.map((point) => `${point.at}:${point.count}`).join(" ");
  useEffect(() => {
    const host = place.current;
    if (host === null || points.length === 0) return undefined;
    let leave = (): void => undefined;
    let isGone = false;
    void import("./draw-chart.ts").then(({ drawChart }) => {
      if (!isGone) leave = drawChart(host, points, height);
    });
    return () => {
      isGone = true;
      leave();
    };
  }, [shape, height, theme, language]);
  return (
    <figure className="chart" aria-label={label}>
      <div ref={place} className="chart-place" style={{ height }} aria-hidden="true" />
      <div className="chart-foot dim" aria-hidden="true">
        {foot?.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      <table className="visually-hidden">
        <caption>{label}</caption>
        <tbody>
          {points.map((point) => (
            <tr key={point.at}>
              <th scope="row">{clock(point.at)}</th>
              <td>{count(point.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
