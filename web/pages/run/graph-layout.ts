// Places the nodes of a workflow. Loaded when a graph is shown, because the library is large.

import { type Edge, Graph, layout } from "@dagrejs/dagre";
import type { Run } from "./run-data.ts";

export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

const MARGIN = 8;

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (Point & { readonly id: string })[];
  readonly edges: readonly {
    readonly index: number;
    readonly points: readonly Point[];
  }[];
}

/** Edges of one graph may join nodes that it does not list, such as `end`; they get a place too. */
export function placeGraph({ nodes, edges }: Run["graph"], node: NodeSize): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 20, ranksep: 34, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set([...nodes.map(({ id }) => id), ...edges.flatMap(({ from, to }) => [from, to])]);
  for (const id of ids) graph.setNode(id, { ...node });
  for (const [index, { from, to }] of edges.entries()) graph.setEdge(from, to, {}, String(index));
  layout(graph);
  const { width = 0 } = graph.graph() as Partial<Pick<Placed, "width">>;
  const placeOf = (id: string): Point => graph.node(id) as Point;
  const pointsOf = (edge: Edge): readonly Point[] => (graph.edge(edge) as { readonly points: readonly Point[] }).points;
  const edgesWithPoints = graph.edges().map((edge) => ({ index: Number(edge.name), points: pointsOf(edge) }));
  // An edge around a node may leave the area that the nodes need, and the layout may leave room that nothing uses.
  const tops = Array.from(ids, (id) => placeOf(id).y - node.height / 2);
  const ys = edgesWithPoints.flatMap(({ points }) => points.map(({ y }) => y));
  const above = ids.size === 0 ? 0 : MARGIN - Math.min(...tops, ...ys);
  const lower = ({ x, y }: Point): Point => ({ x, y: y + above });
  return {
    width,
    height: Math.max(...tops.map((top) => top + node.height), ...ys, 0) + MARGIN + above,
    nodes: Array.from(ids, (id) => ({ id, ...lower(placeOf(id)) })),
    edges: edgesWithPoints.map(({ index, points }) => ({ index, points: points.map(lower) })),
  };
}
