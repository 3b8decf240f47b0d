// Our own rule: a function fits a screen. Lines of the functions inside it count for those, not for it.

const MAX_LINES = 70;
const FUNCTION = ":matches(FunctionDeclaration, FunctionExpression, ArrowFunctionExpression)";

/** `() => ({ … })` is a table that is built on first use: data, however long. */
const isTable = ({ type, body }) =>
  type === "ArrowFunctionExpression" && /^(?:Object|Array)Expression$/.test(body.type);

/** @type {import("oxlint/plugins-dev").Rule} */
export const shortFunctions = {
  meta: {
    type: "suggestion",
    docs: { description: `a function has at most ${MAX_LINES} lines of its own` },
    schema: [],
    messages: { long: `This function has {{lines}} lines of its own; ${MAX_LINES} is the limit. Split it.` },
  },
  create(context) {
    /** For each function around the current place: the lines of the functions directly inside it. Innermost last. */
    const innerLines = [];
    return {
      [FUNCTION]: () => void innerLines.push(0),
      [`${FUNCTION}:exit`]: (node) => {
        const lines = node.loc.end.line - node.loc.start.line + 1;
        const own = lines - innerLines.pop();
        if (own > MAX_LINES && !isTable(node))
          context.report({ node, messageId: "long", data: { lines: String(own) } });
        if (innerLines.length > 0) innerLines[innerLines.length - 1] += lines - 1;
      },
    };
  },
};
