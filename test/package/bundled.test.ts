// The package as a stranger has it: installed with its dependencies only, bundled into one file, checked by a strict compiler.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { build as viteBuild } from "vite";
import { describe, expect, it } from "vitest";
import { DOORS, NEEDS_VITEST, ROOT, strangerProject } from "./stranger.ts";

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
  const folder = strangerProject();

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

  it("goes into one file with Vite's build for servers", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "faultline-vite-"));
    await viteBuild({
      ...{ root: folder, configFile: false, logLevel: "silent" },
      build: { ssr: "program.mjs", outDir: elsewhere, emptyOutDir: false },
      ssr: { noExternal: true, external: ["@modelcontextprotocol/sdk"] },
    });
    const said = execFileSync(process.execPath, ["program.js"], { cwd: elsewhere, encoding: "utf8" });
    expect(said.trim()).toBe("InputInvalid done added function true");
  });

  /** Doors about an optional package: the MCP SDK, and Vitest. */
  const doors = DOORS.filter((door) => door !== "faultline/mcp" && !NEEDS_VITEST.includes(door));
  const lines = doors.map((door, index) => `import * as door${index} from "${door}";\nexport { door${index} };`);
  const USES = `
import { createFaultline, FaultError, type Fault, type Tool } from "faultline";
export const told = (error: unknown): Fault | null => (error instanceof FaultError ? error.fault : null);
export const limit = (tool: Tool<string, number>): string => tool.id;
export const fl = createFaultline({ budget: { maxUsd: 1 } });
type IsUnchecked<T> = 0 extends 1 & T ? true : false;
export const found: [IsUnchecked<Fault>, IsUnchecked<typeof fl>, IsUnchecked<typeof createFaultline>] = [false, false, false];
`;

  // Modules and CommonJS files in one go. `published.test.ts` looks at them with node16, too.
  it.each([
    ["nodenext", ["doors.ts", "doors.cts"]],
    ["bundler", ["doors.ts"]],
  ])("has types that a compiler accepts with %s, without skipLibCheck and optional packages", (resolution, files) => {
    expect(doors.length).toBeGreaterThan(7);
    for (const file of files) writeFileSync(join(folder, file), lines.join("\n") + USES);
    const modules = ["--module", resolution === "bundler" ? "esnext" : resolution, "--moduleResolution", resolution];
    expect(compiled(folder, [...modules, ...files])).toBe("");
  });

  it("loads by require(), as the same copy that import gives", () => {
    const program = `
      const doors = ${JSON.stringify(doors)}.map((door) => require(door));
      import("faultline").then((main) => console.log(doors.every((door) => Object.keys(door).length > 0), require("faultline").FaultError === main.FaultError));
    `;
    writeFileSync(join(folder, "program.cjs"), program);
    const { stdout, stderr } = spawnSync(process.execPath, ["program.cjs"], { cwd: folder, encoding: "utf8" });
    expect([stdout.trim(), stderr]).toEqual(["true true", ""]);
  });
});

it("adds matchers to Vitest that a compiler accepts without skipLibCheck", () => {
  const folder = strangerProject({ also: ["vitest"] });
  const lines = NEEDS_VITEST.map((door) => `import "${door}";`);
  writeFileSync(
    join(folder, "agent.ts"),
    `${lines.join("\n")}\nimport { expect } from "vitest";\nexpect({}).toHaveSurvived("rate-limit");\n`,
  );
  expect(compiled(folder, ["--module", "nodenext", "agent.ts"])).toBe("");
});

/** What the compiler says without `skipLibCheck`. With one thread it uses a third less of the machine. */
function compiled(folder: string, args: readonly string[]): string {
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const flags = [
    "--noEmit",
    "--singleThreaded",
    "--strict",
    "--target",
    "es2024",
    "--lib",
    "es2024",
    "--types",
    "node",
  ];
  const all = [tsc, ...flags, "--skipLibCheck", "false", ...args];
  return spawnSync(process.execPath, all, { cwd: folder, encoding: "utf8" }).stdout;
}
