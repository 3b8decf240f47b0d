// What each door loads when it is opened: counted in files, bytes and modules of Node, because time depends on the machine.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Loaded {
  readonly files: number;
  readonly kilobytes: number;
  /** Modules of Node, its internal ones included. */
  readonly builtins: number;
  readonly packages: readonly string[];
}

const COUNT = `
const { registerHooks } = process.getBuiltinModule("node:module");
const { statSync } = process.getBuiltinModule("node:fs");
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
const before = new Set(process.moduleLoadList);
await import(process.argv[1]);
const files = urls.filter((url) => url.startsWith("file:"));
const packages = files.flatMap((url) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? []);
const builtins = process.moduleLoadList.filter((name) => name.startsWith("NativeModule") && !before.has(name));
const bytes = files.reduce((sum, url) => sum + statSync(new URL(url)).size, 0);
console.log(JSON.stringify({ files: files.length, kilobytes: bytes / 1024, builtins: builtins.length, packages: [...new Set(packages)] }));
`;

function loadedBy(door: string): Loaded {
  const file = join(ROOT, "dist", `${door}.js`);
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", COUNT, file], { encoding: "utf8" }),
  ) as Loaded;
}

// prettier-ignore
const MOST: readonly (readonly [door: string, most: Omit<Loaded, "packages">])[] = [
  ["error-classifier/index", { files: 1,  kilobytes: 2,   builtins: 0 }],
  ["core/index",             { files: 2,  kilobytes: 370, builtins: 0 }],
  ["index",                  { files: 7,  kilobytes: 727, builtins: 20 }],
  ["policy-file/index",      { files: 5,  kilobytes: 724, builtins: 2 }],
  ["tool-file/index",        { files: 5,  kilobytes: 739, builtins: 2 }],
  ["workflow/index",         { files: 12, kilobytes: 997, builtins: 30 }],
  ["workflow-file/index",    { files: 11, kilobytes: 887, builtins: 45 }],
  ["mcp/index",              { files: 3,  kilobytes: 410, builtins: 5 }],
  ["telemetry/index",        { files: 2,  kilobytes: 377, builtins: 0 }],
  ["testing/index",          { files: 4,  kilobytes: 436, builtins: 0 }],
];

describe("opening a door", () => {
  it.each(MOST)("%s loads no more than it needs", (door, most) => {
    const { files, kilobytes, builtins, packages } = loadedBy(door);
    expect(packages, "loads on first use, or belongs into the chunks (scripts/build.mjs)").toEqual([]);
    expect(files).toBeLessThanOrEqual(most.files);
    expect(kilobytes).toBeLessThanOrEqual(most.kilobytes);
    expect(builtins, "use src/host/builtin.ts").toBeLessThanOrEqual(most.builtins);
  });
});

describe("what the package holds", () => {
  const built = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" });

  it("every script and every declaration has a map that leads to a source in the package", () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: readonly string[] };
    expect(files).toEqual(expect.arrayContaining(["dist", "src"]));
    // The dashboard is a page, not a door: programs do not debug into it.
    const mapped = built.filter((file) => /\.(?:js|d\.ts)$/.test(file) && !file.startsWith("web/"));
    expect(mapped.length).toBeGreaterThan(100);
    for (const file of mapped) {
      const map = join(ROOT, "dist", `${file}.map`);
      const { sources } = JSON.parse(readFileSync(map, "utf8")) as { sources: readonly string[] };
      const own = sources.filter((source) => !source.includes("node_modules/"));
      for (const source of own) expect(statSync(join(map, "..", source)).isFile(), `${file}: ${source}`).toBe(true);
    }
  });

  it("names the licence of every package in its chunks", () => {
    const licences = readFileSync(join(ROOT, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["zod", "yaml", "execa", "commander"])
      expect(licences).toMatch(new RegExp(`^${name}\n=+\n`, "m"));
  });
});
