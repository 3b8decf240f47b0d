// Plugins for Rollup and esbuild. The big tables of core are pure data, which V8 reads faster as one JSON text than as
// thousands of literals, and a program reads them with its first failure only. Examples stay behind: only tests run them.
import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";

const FILES = /\/src\/core\/(?:classify\/symptoms\/[a-z-]+|fault\/words\/(?:en|zh-cn))\.ts$/;
const isTable = (file) => FILES.test(file) && !file.endsWith("/index.ts");

export const rollupTablesAsJson = {
  name: "tables-as-json",
  enforce: "pre",
  load: async (file) => (isTable(file) ? { code: await asJson(file), map: { mappings: "" } } : null),
};

export const esbuildTablesAsJson = {
  name: "tables-as-json",
  setup: (build) =>
    build.onLoad({ filter: FILES }, async ({ path }) => (isTable(path) ? { contents: await asJson(path) } : null)),
};

/** A file exports groups of rules, or a function that returns the words of one language. */
async function asJson(file) {
  const tables = Object.entries(await import(pathToFileURL(file).href));
  return tables.map(([name, table]) => `export const ${name} = ${written(table)};`).join("\n");
}

function written(table) {
  if (typeof table === "function") return `() => ${parsed(table())}`;
  const rules = table.rules().map(({ example, ...rule }) => rule);
  return `{ source: ${JSON.stringify(table.source)}, rules: () => ${parsed(rules)} }`;
}

function parsed(data) {
  const text = JSON.stringify(data);
  if (!isDeepStrictEqual(JSON.parse(text), data)) throw new Error("a table holds more than JSON can say");
  return `JSON.parse(${JSON.stringify(text)})`;
}
