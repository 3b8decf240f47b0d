// The workflow as a graph with the path that the run took. The same facts stand below it as a list.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useWords } from "../../app/words.ts";
import { toneOf } from "../../parts/pill.tsx";
import { Skeleton } from "../../parts/states.tsx";
import type { Placed } from "./graph-layout.ts";
import type { Run } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./run-graph.css";

const NODE = { width: 136, height: 44 } as const;

export interface RunGraphProps {
  readonly graph: Run["graph"];
  readonly chosen: string | null;
  readonly onChoose: (node: string) => void;
}

export function RunGraph({ graph, chosen, onChoose }: RunGraphProps): ReactNode {
  const words = useWords(RUN_WORDS);
  // Where nodes stand depends on names and edges only, and not on what has happened since.
  const shape = JSON.stringify([graph.nodes.map(({ id }) => id), graph.edges.map(({ from, to }) => [from, to])]);
  const { data: placed } = useQuery({
    queryKey: ["graph-layout", shape],
    queryFn: async () => (await import("./graph-layout.ts")).placeGraph(graph, NODE),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="graph">
      {placed === undefined ? <Skeleton kind="rows" rows={3} /> : <Drawing {...{ graph, placed, chosen, onChoose }} />}
      <details className="graph-list">
        <summary>{words.graphAsList}</summary>
        <ul>
          {graph.edges.map(({ from, to, kind, when, outcome, taken }, index) => (
            <li key={index}>
              <b>{from}</b> → <b>{outcome === "" ? to : `${to} (${outcome})`}</b>{" "}
              <span className="dim">
                {[words.edgeKinds[kind], when ?? "", taken === 0 ? words.notTaken : words.taken(taken)]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function Drawing({ graph, placed, chosen, onChoose }: RunGraphProps & { readonly placed: Placed }): ReactNode {
  const words = useWords(RUN_WORDS);
  const kinds: Readonly<Record<string, string>> = words.nodeKinds;
  const [box, scale] = useFit(placed.width);
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  return (
    <div className="graph-scroll" ref={box} tabIndex={0} role="group" aria-label={words.graph}>
      <div className="graph-area" style={{ width: placed.width, height: placed.height, zoom: scale }}>
        <svg width={placed.width} height={placed.height} aria-hidden="true">
          <defs>
            <marker id="graph-tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto">
              <path d="M0 0 6 3 0 6z" fill="context-stroke" />
            </marker>
          </defs>
          {placed.edges.map(({ index, points }) => {
            const edge = graph.edges[index];
            return (
              <path
                key={index}
                className="graph-edge"
                data-taken={(edge?.taken ?? 0) > 0}
                data-kind={edge?.kind}
                d={pathOf(points)}
                markerEnd="url(#graph-tip)"
              />
            );
          })}
        </svg>
        {placed.nodes.map(({ id, x, y }) => {
          const node = known.get(id);
          const style = { left: x - NODE.width / 2, top: y - NODE.height / 2, ...NODE };
          if (node === undefined)
            return (
              <span key={id} className="graph-node graph-end" style={style}>
                {id}
              </span>
            );
          const state = node.state?.label ?? words.notEntered;
          return (
            <button
              key={id}
              type="button"
              className={`graph-node ${node.state === null ? "" : `tone-${toneOf(node.state.id)}`}`}
              style={style}
              aria-pressed={chosen === id}
              disabled={node.state === null}
              onClick={() => onChoose(id)}
            >
              <span className="graph-name one-line">{id}</span>
              <span className="graph-state one-line">
                {state}
                {node.visits > 1 ? ` × ${node.visits}` : ""} · {kinds[node.kind] ?? node.kind}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

/** Smaller than this, names cannot be read: then the graph scrolls. */
const LEAST_SCALE = 0.65;

/** How much smaller the graph is drawn, so that it fits its box. */
function useFit(width: number): readonly [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(width);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? width));
    observer.observe(current);
    return () => observer.disconnect();
  }, [width]);
  return [box, Math.max(LEAST_SCALE, Math.min(1, room / width))];
}

function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join(" ");
}
