// Our own rule: a catch rethrows the error, records it as suppressed, or classifies it and uses the result. Anything else makes a
// failure invisible.

/** Calls that report the error themselves: `suppressed(fault, reason, at)`, `host.suppress(…)`, `reject(error)`. */
const REPORTS = /^(?:suppress\w*|record\w*Suppressed\w*|reject)$/;
/** Calls that only name the error: their result has to go somewhere. */
const NAMES = /^classify\w*$/;

/** A function written into `.catch(…)`, or as the second one into `.then(…)`, is a catch like any other. */
function isHandler(handler) {
  const { parent } = handler;
  if (parent?.type !== "CallExpression") return false;
  const { name } = parent.callee.property ?? {};
  return (name === "catch" && parent.arguments[0] === handler) || (name === "then" && parent.arguments[1] === handler);
}

/** @type {import("oxlint/plugins-dev").Rule} */
export const catchTells = {
  meta: {
    type: "problem",
    docs: { description: "a catch rethrows the error, records it as suppressed, or classifies it and uses the result" },
    schema: [],
    messages: {
      silent: "This catch drops its error: rethrow it, record it as suppressed, or classify it and use the result.",
    },
  },
  create(context) {
    /** The catches around the current place, innermost last. */
    const open = [];
    const enter = (node) => void open.push({ node, tells: false });
    const leave = (node) => {
      const { tells } = open.pop() ?? { tells: false };
      if (!tells) context.report({ node, messageId: "silent" });
    };
    const tell = () => {
      const innermost = open.at(-1);
      if (innermost !== undefined) innermost.tells = true;
    };
    /** The value of an expression is dropped when it ends a statement, also behind `void`, `await` or a further `.finally(…)`. */
    const isDropped = (node) => {
      const { parent } = node;
      if (parent === undefined || parent === null) return false;
      switch (parent.type) {
        case "ExpressionStatement":
          return true;
        case "UnaryExpression":
          return parent.operator === "void";
        case "AwaitExpression":
        case "ChainExpression":
          return isDropped(parent);
        case "MemberExpression":
          return parent.property.name === "finally" && isDropped(parent.parent);
        // The result of a handler is the result of its `.catch(…)`.
        case "ArrowFunctionExpression":
          return parent.body === node && isHandler(parent) && isDropped(parent.parent);
        default:
          return false;
      }
    };
    // A second function of `.then(…)` usually passes its error on: only one that drops it is at fault.
    const passesOn = ({ parent }) => parent.callee.property.name === "then";
    const enterHandler = (node) => void (isHandler(node) && open.push({ node, tells: passesOn(node) }));
    const leaveHandler = (node) => void (isHandler(node) && leave(node));
    return {
      "CatchClause": enter,
      "CatchClause:exit": leave,
      "ArrowFunctionExpression": enterHandler,
      "ArrowFunctionExpression:exit": leaveHandler,
      "FunctionExpression": enterHandler,
      "FunctionExpression:exit": leaveHandler,
      "ThrowStatement": tell,
      "CallExpression"(node) {
        const name = node.callee.type === "MemberExpression" ? node.callee.property.name : node.callee.name;
        if (typeof name !== "string") return;
        if (REPORTS.test(name) || (NAMES.test(name) && !isDropped(node))) tell();
        else if (NAMES.test(name) && open.length > 0) open.at(-1).tells = false;
      },
    };
  },
};
