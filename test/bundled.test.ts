// The package as a stranger has it: installed with its dependencies only, bundled into one file, checked by a strict compiler.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly exports: Readonly<Record<string, string | object>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** A project with this package, what it depends on, and nothing else. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-stranger-"));
  const modules = join(folder, "node_modules");
  const add = (name: string): void => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  };
  const wanted = Object.keys(manifestOf(ROOT).dependencies ?? {});
  const installed = new Set<string>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (installed.has(name)) continue;
    installed.add(name);
    add(name);
    wanted.push(...Object.keys(manifestOf(join(ROOT, "node_modules", name)).dependencies ?? {}));
  }
  for (const name of ["@types/node", "undici-types"]) add(name);
  // A copy: what it imports must be found from this folder.
  mkdirSync(join(modules, "faultline"));
  for (const part of ["dist", "package.json"])
    cpSync(join(ROOT, part), join(modules, "faultline", part), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

const PROGRAM = `
import { createFaultline, step, tool } from "faultline";
import { createWorkflows } from "faultline/workflow";
import { parsePolicy } from "faultline/policy-file";
import { connectMcp } from "faultline/mcp";
import { writeFileSync } from "node:fs";

const fl = createFaultline();
const book = tool({ id: "book", input: { type: "object", properties: { mail: { type: "string", format: "email" } } }, run: () => 1 });
const session = await fl.session("s");
const said = [(await fl.protect(book, { mail: "no" })).fault?.code, (await session.turn({ one: step(book, { mail: "a@b.org" }) })).status];
await fl.close();

writeFileSync("one.faultline.yaml", \`
faultline: 1
workflow: { id: one, version: "1" }
nodes:
  see: { type: command, run: node --version, next: add }
  add: { type: transform, value: "1 + 1", next: { to: end, outcome: added } }
\`);
const workflows = createWorkflows({});
const { workflow, diagnostics } = await workflows.file("one.faultline.yaml");
said.push(...diagnostics.map(({ message }) => message));
said.push((await workflows.runs.advance(await workflows.runs.start(workflow))).outcome);
await workflows.close();
console.log(...said, typeof connectMcp, parsePolicy("version: 1", "p.yaml").policy !== null);
`;

describe("the package, installed with its dependencies only", () => {
  const folder = project();

  it("goes into one file with all of them, and everything that loads on first use still loads", async () => {
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    const elsewhere = mkdtempSync(join(tmpdir(), "faultline-bundle-"));
    const { warnings } = await build({
      absWorkingDir: folder,
      entryPoints: ["program.mjs"],
      outfile: join(elsewhere, "program.mjs"),
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
    expect(warnings.map(({ text }) => text)).toEqual([]);
    const said = execFileSync(process.execPath, ["program.mjs"], { cwd: elsewhere, encoding: "utf8" });
    expect(said.trim()).toBe("InputInvalid done added function true");
  });

  it("has types that a compiler accepts without skipLibCheck, at every door that needs no optional package", () => {
    const doors = Object.entries(manifestOf(ROOT).exports).flatMap(([path, target]) =>
      typeof target === "string" || path === "./mcp" ? [] : [path.replace(".", "faultline")],
    );
    expect(doors.length).toBeGreaterThan(7);
    const lines = doors.map((door, index) => `export * as door${index} from "${door}";`);
    writeFileSync(join(folder, "doors.ts"), lines.join("\n"));
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const flags = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext", "--types", "node"];
    const { stdout } = spawnSync(process.execPath, [tsc, ...flags, "--skipLibCheck", "false", "doors.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});
