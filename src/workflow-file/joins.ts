// Checks fan-outs and joins: a join is a merge node of exactly one fan-out, and every branch reaches it.

import { type WorkflowFinding, finding } from "./codes.ts";
import { type Arrows, reachedFrom } from "./graph.ts";
import type { WorkflowFile, WrittenNode } from "./schema.ts";

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
