// Checks the graph of nodes: edges to missing nodes, unreachable nodes, cycles that could run forever, fan-outs and joins.

import type { Path } from "../yaml-file/locate.ts";
import { nearest } from "../options/nearest.ts";
import { type WorkflowFinding, finding } from "./codes.ts";
import { END } from "./names.ts";
import type { WorkflowFile, WrittenEdges, WrittenNode, WrittenTarget } from "./schema.ts";

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Where the target is written. */
  readonly path: Path;
  readonly kind: "edge" | "branch" | "join";
  readonly isBounded: boolean;
}

export type Arrows = ReadonlyMap<string, readonly Arrow[]>;

export function arrowsOf({ nodes }: WorkflowFile): Arrows {
  return new Map(Object.entries(nodes).map(([id, node]) => [id, arrowsFrom(id, node)]));
}

function arrowsFrom(from: string, node: WrittenNode): readonly Arrow[] {
  const path = ["nodes", from];
  const branches = node.type === "parallel" ? node.branches : [];
  const targets: readonly (readonly [Path, WrittenTarget | undefined])[] =
    node.type === "condition"
      ? [
          [[...path, "then"], node.then],
          [[...path, "else"], node.else],
          ...Object.entries(node.cases ?? {}).map(([name, target]) => [[...path, "cases", name], target] as const),
        ]
      : [];
  return [
    ...targets.flatMap(([place, target]) => (target === undefined ? [] : [arrow(from, place, target)])),
    ...branches.map((to, index) => ({
      from,
      to,
      path: [...path, "branches", index],
      kind: "branch" as const,
      isBounded: false,
    })),
    ...(node.type === "parallel"
      ? [{ from, to: node.join, path: [...path, "join"], kind: "join" as const, isBounded: false }]
      : edgesFrom(from, [...path, "next"], node.next)),
    ...edgesFrom(from, [...path, "on_failure"], node.on_failure),
  ];
}

function edgesFrom(from: string, path: Path, edges: WrittenEdges | undefined): readonly Arrow[] {
  if (edges === undefined) return [];
  if (typeof edges === "string" || !isList(edges)) return [arrow(from, path, edges)];
  return edges.map((edge, index) => arrow(from, [...path, index], edge));
}

function isList(edges: WrittenEdges): edges is Extract<WrittenEdges, readonly unknown[]> {
  return Array.isArray(edges);
}

function arrow(from: string, path: Path, target: WrittenTarget): Arrow {
  if (typeof target === "string") return { from, to: target, path, kind: "edge", isBounded: false };
  return { from, to: target.to, path: [...path, "to"], kind: "edge", isBounded: target.max !== undefined };
}

export function checkGraph(file: WorkflowFile, arrows: Arrows): readonly WorkflowFinding[] {
  if (arrows.size === 0) return [];
  const dangling = [...arrows.values()].flat().flatMap((one) => danglingAt(one, arrows));
  const start = startOf(file);
  const noStart = arrows.has(start) ? [] : [unknownNode(["start"], start, arrows)];
  // Report a missing node itself, not its consequences.
  if (dangling.length + noStart.length > 0) return [...noStart, ...dangling];
  return [...unreached(start, arrows), ...closedEdges(file), ...endlessCycles(arrows)];
}

export function startOf({ start, nodes }: WorkflowFile): string {
  return start ?? Object.keys(nodes)[0] ?? "";
}

function danglingAt({ to, path, kind }: Arrow, arrows: Arrows): readonly WorkflowFinding[] {
  return arrows.has(to) || (to === END && kind === "edge") ? [] : [unknownNode(path, to, arrows)];
}

function unknownNode(path: Path, name: string, arrows: Arrows): WorkflowFinding {
  const known = [...arrows.keys()];
  const near = nearest(name, known);
  const label = near === null ? "does not exist" : `did you mean \`${near}\`?`;
  const listed = known.slice(0, 20).join(", ");
  const help = `Nodes: ${listed}${known.length > 20 ? ` and ${known.length - 20} more` : ""}; or \`${END}\`, in an edge.`;
  return finding("unknown-node", path, `there is no node \`${name}\``, label, help);
}

/** All nodes that a path from these reaches, including themselves. */
export function reachedFrom(starts: readonly string[], arrows: Arrows): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...starts];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id) || !arrows.has(id)) continue;
    reached.add(id);
    for (const { to } of arrows.get(id) ?? []) open.push(to);
  }
  return reached;
}

function unreached(start: string, arrows: Arrows): readonly WorkflowFinding[] {
  const reached = reachedFrom([start], arrows);
  return [...arrows.keys()]
    .filter((id) => !reached.has(id))
    .map((id) =>
      finding(
        "unreached-node",
        ["nodes", id],
        `no path leads to node \`${id}\``,
        "never reached",
        "Add an edge to it, or delete it.",
        "key",
      ),
    );
}

/** Edges after one that is always open are never tried. */
function closedEdges({ nodes }: WorkflowFile): readonly WorkflowFinding[] {
  return Object.entries(nodes).flatMap(([id, node]) => {
    const lists =
      node.type === "parallel" ? { on_failure: node.on_failure } : { next: node.next, on_failure: node.on_failure };
    return Object.entries(lists).flatMap(([key, edges]) => {
      if (edges === undefined || !isList(edges)) return [];
      const always = edges.findIndex(
        (edge) => typeof edge === "string" || (edge.when === undefined && edge.max === undefined),
      );
      const lost = always === -1 ? undefined : edges[always + 1];
      if (lost === undefined) return [];
      const path = ["nodes", id, key, always + 1];
      const message = `this edge is never taken: the edge before it is always open`;
      return [
        finding(
          "closed-edge",
          path,
          message,
          "never taken",
          "Put it first, or give the edge before it a `when` or a `max`.",
        ),
      ];
    });
  });
}

/** Cycles in which no edge has a limit, reported once per strongly connected group. */
function endlessCycles(arrows: Arrows): readonly WorkflowFinding[] {
  const done = new Set<string>();
  return [...arrows.keys()].flatMap((id) => {
    const found = done.has(id) ? null : cycleFrom(id, arrows, done);
    if (found === null) return [];
    for (const { from } of found) done.add(from);
    const back = found.at(-1);
    if (back === undefined) return [];
    const round = [...found.map(({ from }) => from), back.to].join(" → ");
    const message = `this cycle could run forever: ${round}`;
    const help = `Write it as \`{ to: ${back.to}, max: 3 }\`: the edge is closed once ${back.to} has been entered that often.`;
    return [finding("endless-cycle", back.path, message, "needs a `max`", help)];
  });
}

/** The first cycle of unbounded arrows that a walk from this node meets. Nodes without one are added to `done`. */
function cycleFrom(start: string, arrows: Arrows, done: Set<string>): readonly Arrow[] | null {
  const free = (id: string): readonly Arrow[] =>
    (arrows.get(id) ?? []).filter(({ isBounded, to }) => !isBounded && to !== END);
  const trail: { readonly id: string; readonly rest: Arrow[]; taken: Arrow | null }[] = [
    { id: start, rest: [...free(start)].reverse(), taken: null },
  ];
  const onTrail = new Set([start]);
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const next = top.rest.pop();
    if (next === undefined) {
      done.add(top.id);
      onTrail.delete(top.id);
      trail.pop();
      continue;
    }
    top.taken = next;
    if (onTrail.has(next.to)) {
      return trail
        .slice(trail.findIndex(({ id }) => id === next.to))
        .flatMap(({ taken }) => (taken === null ? [] : [taken]));
    }
    if (done.has(next.to)) continue;
    onTrail.add(next.to);
    trail.push({ id: next.to, rest: [...free(next.to)].reverse(), taken: null });
  }
  return null;
}

// Checks fan-outs and joins: a join is a merge node of exactly one fan-out, and every branch reaches it.

type Parallel = Extract<WrittenNode, { type: "parallel" }>;

export function checkJoins({ nodes }: WorkflowFile, arrows: Arrows): readonly WorkflowFinding[] {
  const parallels = Object.entries(nodes).flatMap(([id, node]) =>
    node.type === "parallel" ? [[id, node] as const] : [],
  );
  const joins = new Map<string, string>();
  const found = parallels.flatMap(([id, node]) => {
    const other = joins.get(node.join);
    if (other === undefined) joins.set(node.join, id);
    return [...checkJoin(id, node, nodes, other), ...checkBranches(id, node, arrows)];
  });
  const alone = Object.entries(nodes).filter(([id, { type }]) => type === "merge" && !joins.has(id));
  return [...found, ...alone.map(([id]) => joinsNothing(id))];
}

function checkJoin(
  id: string,
  { join }: Parallel,
  nodes: WorkflowFile["nodes"],
  other: string | undefined,
): readonly WorkflowFinding[] {
  const path = ["nodes", id, "join"];
  const joining = Object.hasOwn(nodes, join) ? nodes[join] : undefined;
  if (joining === undefined) return [];
  if (joining.type !== "merge") {
    const help = `Give \`${join}\` the type \`merge\`, or put a merge node in front of it.`;
    return [
      finding("bad-join", path, `the join of ${id} is not a merge node`, `this is of type ${joining.type}`, help),
    ];
  }
  if (other === undefined) return [];
  const help = "Give each fan-out its own merge node, and connect one to the other.";
  return [finding("bad-join", path, `\`${join}\` is already the join of ${other}`, "joins another", help)];
}

function checkBranches(id: string, { branches, join }: Parallel, arrows: Arrows): readonly WorkflowFinding[] {
  return branches.flatMap((branch, index) => {
    const path = ["nodes", id, "branches", index];
    if (branches.indexOf(branch) !== index) {
      return [finding("conflict", path, `\`${branch}\` is a branch twice`, "the second", "Name each branch once.")];
    }
    if (branch === join || branch === id) {
      const message = `a branch of ${id} cannot be ${branch === id ? "itself" : "its join"}`;
      return [finding("lost-branch", path, message, "no branch", "Name another node that leads to the join.")];
    }
    if (!arrows.has(branch) || !arrows.has(join) || reachedFrom([branch], arrows).has(join)) return [];
    const help = `Add \`next: ${join}\` to the last node of this branch.`;
    return [
      finding("lost-branch", path, `branch \`${branch}\` never reaches the join \`${join}\``, "leads elsewhere", help),
    ];
  });
}

function joinsNothing(id: string): WorkflowFinding {
  const help = `Add a parallel node with \`join: ${id}\`, or make it a transform.`;
  return finding("bad-join", ["nodes", id], `merge node \`${id}\` joins nothing`, "no fan-out", help, "key");
}
