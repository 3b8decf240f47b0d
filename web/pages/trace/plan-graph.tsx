// The plan of a turn as a graph: which step needs which, how each ended, and which ended because of another. Loaded when it is shown.

import { graphlib, layout } from "@dagrejs/dagre";
import { type KeyboardEvent, type ReactNode, useMemo } from "react";
import { useWords, wordTable } from "../../app/words.ts";
import { toneOf } from "../../parts/pill.tsx";
import type { Step, Trace } from "./trace-rows.ts";

const [WIDTH, HEIGHT] = [176, 46];
const EDGE = 12;

export interface PlanGraphProps {
  readonly nodes: readonly Step[];
  readonly edges: Trace["graph"]["edges"];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

export default function PlanGraph({ nodes, edges, chosen, onChoose }: PlanGraphProps): ReactNode {
  const words = useWords(WORDS);
  const shape = nodes.map(({ id }) => id).join() + edges.map(({ from, to }) => `${from}>${to}`).join();
  const placed = useMemo(() => place(nodes, edges), [shape]);
  const failed = nodes.filter(({ because }) => because !== null);
  return (
    <figure className="trace-graph">
      <div className="trace-graph-scroll">
        <svg
          width={placed.width + 2 * EDGE}
          height={placed.height + 2 * EDGE}
          viewBox={`${-EDGE} ${-EDGE} ${placed.width + 2 * EDGE} ${placed.height + 2 * EDGE}`}
          role="group"
          aria-label={words.plan}
        >
          <Arrows />
          {edges.map(({ from, to, kind }) => (
            <path
              key={`${from} ${to}`}
              className={`trace-edge trace-${kind}`}
              d={placed.paths.get(`${from} ${to}`) ?? ""}
              markerEnd={`url(#trace-arrow-${kind})`}
            />
          ))}
          {nodes.map((step) => (
            <Node
              key={step.id}
              step={step}
              at={placed.places.get(step.id) ?? { x: 0, y: 0 }}
              isChosen={chosen === idOf(step)}
              onChoose={onChoose}
            />
          ))}
        </svg>
      </div>
      {failed.length === 0 ? null : (
        <figcaption>
          <ul className="trace-cascades">
            {failed.map(({ id, node, says }) => (
              <li key={id}>
                <b>{node}</b> {says}
              </li>
            ))}
          </ul>
        </figcaption>
      )}
    </figure>
  );
}

/** What is chosen in the waterfall for a step: its call, or the row of a step that never ran. */
function idOf({ id, span }: Step): string {
  return span ?? `step:${id}`;
}

interface NodeProps {
  readonly step: Step;
  readonly at: { readonly x: number; readonly y: number };
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
}

function Node({ step, at, isChosen, onChoose }: NodeProps): ReactNode {
  const name = step.label === "" ? step.node : step.label;
  const choose = (): void => onChoose(idOf(step));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    choose();
  };
  return (
    <g
      className={`trace-node tone-${toneOf(step.state.id)}`}
      transform={`translate(${at.x - WIDTH / 2} ${at.y - HEIGHT / 2})`}
      data-state={step.state.id}
      data-chosen={isChosen}
    >
      <rect width={WIDTH} height={HEIGHT} rx={6} />
      <rect className="trace-node-mark" width={3} height={HEIGHT - 16} x={8} y={8} rx={1.5} />
      <text x={19} y={19} className="trace-node-name" aria-hidden="true">
        {cut(name, 22)}
      </text>
      <text x={19} y={35} className="trace-node-says" aria-hidden="true">
        {cut(step.tool === name ? step.state.label : `${step.state.label} · ${step.tool}`, 26)}
      </text>
      <rect
        className="trace-node-button"
        width={WIDTH}
        height={HEIGHT}
        role="button"
        tabIndex={0}
        aria-pressed={isChosen}
        aria-label={`${name}: ${step.says}`}
        onClick={choose}
        onKeyDown={onKeyDown}
      >
        <title>{`${name}: ${step.says}`}</title>
      </rect>
    </g>
  );
}

function Arrows(): ReactNode {
  return (
    <defs>
      {(["need", "cascade"] as const).map((kind) => (
        <marker
          key={kind}
          id={`trace-arrow-${kind}`}
          className={`trace-arrow trace-${kind}`}
          viewBox="0 0 8 8"
          refX={7}
          refY={4}
          markerWidth={7}
          markerHeight={7}
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" />
        </marker>
      ))}
    </defs>
  );
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

interface Placed {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly paths: ReadonlyMap<string, string>;
}

function place(nodes: PlanGraphProps["nodes"], edges: PlanGraphProps["edges"]): Placed {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 48 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  for (const { from, to } of edges) if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
  const places = nodes.map(({ id }) => {
    const { x, y } = graph.node(id) as { readonly x: number; readonly y: number };
    return [id, { x, y }] as const;
  });
  const paths = graph.edges().map(({ v, w }) => {
    const { points = [] } = graph.edge(v, w) as { readonly points?: readonly { x: number; y: number }[] };
    return [`${v} ${w}`, points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join(" ")] as const;
  });
  return { width, height, places: new Map(places), paths: new Map(paths) };
}

const WORDS = wordTable({ "en": { plan: "Plan of the turn" }, "zh-CN": { plan: "本轮计划" } });
