// The doors for `require()`: for each a small CommonJS file that loads the ES module, so that a program has one copy of the library
// whichever way its parts load it; and declarations of the same names, because TypeScript's `node16` lets no CommonJS file import the
// declarations of an ES module.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

export async function writeRequireDoors(dist, doors) {
  for (const door of doors) {
    const module = await import(`${dist}/${door}.js`);
    const own = `./${basename(door)}.js`;
    writeFileSync(`${dist}/${door}.cjs`, `module.exports = require("${own}");\n`);
    writeFileSync(`${dist}/${door}.d.cts`, declarations(own, module, readFileSync(`${dist}/${door}.d.ts`, "utf8")));
  }
}

function declarations(own, module, text) {
  const mode = `with { "resolution-mode": "import" }`;
  const values = Object.keys(module).sort();
  const types = typeNames(text).filter((name) => !values.includes(name));
  return [
    `import type * as door from "${own}" ${mode};`,
    ...(types.length === 0 ? [] : [`export type { ${types.join(", ")} } from "${own}" ${mode};`]),
    ...values.flatMap((name) => [
      `export declare const ${name}: typeof door.${name};`,
      ...(isClass(module[name]) ? [`export type ${name} = door.${name};`] : []),
    ]),
    "",
  ].join("\n");
}

function isClass(value) {
  return typeof value === "function" && /^class\b/.test(String(value));
}

/** Each door lists its names one by one, so that a few patterns find all of them. */
function typeNames(text) {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
  if (/^export \*/m.test(code)) throw new Error("a door must list its names");
  const lists = [...code.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, names]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && (type !== undefined || name.startsWith("type ")))
      .map((name) => name.replace(/^type /, "").replace(/^.* as /, "")),
  );
  const own = [...code.matchAll(/^export (?:declare )?(?:interface|type) (\w+)/gm)].map(([, name]) => name);
  return [...new Set([...lists, ...own])].sort();
}
