// Our own rule: a catch rethrows, classifies, or records a suppressed error. Anything else makes a failure invisible.

/** Calls that count as telling: `classify(error)`, `suppressed(fault, reason, at)`, `host.suppress(…)`, `reject(error)`. */
const TELLING_CALL = /^(?:classify\w*|suppress\w*|record\w*Suppressed\w*|reject)$/;

/** @type {import("eslint").Rule.RuleModule} */
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
    const open = [];
    const tell = () => {
      const innermost = open.at(-1);
      if (innermost !== undefined) innermost.tells = true;
    };
    return {
      "CatchClause": (node) => void open.push({ node, tells: false }),
      "CatchClause:exit": (node) => {
        const { tells } = open.pop() ?? { tells: false };
        if (!tells) context.report({ node, messageId: "silent" });
      },
      "ThrowStatement": tell,
      "CallExpression"(node) {
        const name = node.callee.type === "MemberExpression" ? node.callee.property.name : node.callee.name;
        if (typeof name === "string" && TELLING_CALL.test(name)) tell();
      },
    };
  },
};
