// Our own rule: a catch rethrows, classifies, or records a suppressed error. Anything else makes a failure invisible.

/** Calls that count as telling: `classify(error)`, `suppressed(fault, reason, at)`, `host.suppress(…)`, `reject(error)`. */
const TELLING_CALL = /^(?:classify\w*|suppress\w*|record\w*Suppressed\w*|reject)$/;

/** A function written into `.catch(…)` is a catch like any other. */
const HANDLER = "CallExpression[callee.property.name='catch'] > :matches(ArrowFunctionExpression, FunctionExpression)";

/** @type {import("oxlint/plugins-dev").Rule} */
export const catchTells = {
  meta: {
    type: "problem",
    docs: { description: "a catch rethrows, classifies or records a suppressed error" },
    schema: [],
    messages: {
      silent:
        "This catch neither rethrows, nor classifies, nor records a suppressed error. Say what happens to the error.",
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
    return {
      "CatchClause": enter,
      "CatchClause:exit": leave,
      [HANDLER]: enter,
      [`${HANDLER}:exit`]: leave,
      "ThrowStatement": tell,
      "CallExpression"(node) {
        const name = node.callee.type === "MemberExpression" ? node.callee.property.name : node.callee.name;
        if (typeof name === "string" && TELLING_CALL.test(name)) tell();
      },
    };
  },
};
