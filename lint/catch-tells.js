// Our own rule: a catch rethrows the error, records it as suppressed, or classifies it and uses the result. Anything else makes a
// failure invisible.

/** Calls that report the error themselves: `suppressed(fault, reason, at)`, `host.suppress(…)`, `reject(error)`. */
const REPORTS = /^(?:suppress\w*|record\w*Suppressed\w*|reject)$/;
/** Calls that only name the error: their result has to go somewhere. */
const NAMES = /^classify\w*$/;

/** A function written into `.catch(…)` is a catch like any other. */
const HANDLER = "CallExpression[callee.property.name='catch'] > :matches(ArrowFunctionExpression, FunctionExpression)";

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
          return parent.body === node && isCatch(parent.parent, parent) && isDropped(parent.parent);
        default:
          return false;
      }
    };
    const isCatch = (call, handler) =>
      call?.type === "CallExpression" && call.callee.property?.name === "catch" && call.arguments[0] === handler;
    return {
      "CatchClause": enter,
      "CatchClause:exit": leave,
      [HANDLER]: enter,
      [`${HANDLER}:exit`]: leave,
      "ThrowStatement": tell,
      "CallExpression"(node) {
        const name = node.callee.type === "MemberExpression" ? node.callee.property.name : node.callee.name;
        if (typeof name !== "string") return;
        if (REPORTS.test(name) || (NAMES.test(name) && !isDropped(node))) tell();
      },
    };
  },
};
