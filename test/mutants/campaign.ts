// Tries mutants on copies of the repository, one copy per worker.

import { spawn } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { type Mutant, ROOT } from "./sample.ts";

export interface Tally {
  readonly killed: number;
  readonly survived: readonly Mutant[];
  /** Survivors that the type checker refuses. */
  readonly dropped: number;
}

/** What a copy needs to run tests. */
const COPIED = ["src", "test", "dist", "corpus", "docs", "examples", "schema", "scripts", "bench", "lint", "templates"];
/** A mutant may loop forever. */
const LONGEST_RUN_MS = 240_000;

export async function runMutants(
  mutants: readonly Mutant[],
  workers: number,
  tell: (line: string) => void,
): Promise<Tally> {
  const unfit = await failingTests(mutants, tell);
  const queue = [...mutants];
  const survived: Mutant[] = [];
  let killed = 0;
  let dropped = 0;
  const work = async (): Promise<void> => {
    const copy = copyRepository();
    try {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const end = await tryMutant(copy, mutant, unfit);
        if (end === "survived") survived.push(mutant);
        else if (end === "does not compile") dropped += 1;
        else killed += 1;
        tell(`${end.padEnd(16)} ${mutant.file}:${mutant.line}  ${mutant.from}  →  ${mutant.to}`);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { killed, survived, dropped };
}

/** Test files that fail in a copy without any mutant: they would kill everything. */
async function failingTests(mutants: readonly Mutant[], tell: (line: string) => void): Promise<ReadonlySet<string>> {
  const copy = copyRepository();
  try {
    const tests = [...new Set(mutants.flatMap(({ file }) => stagesOf(file).flat()))];
    tell(`running ${tests.length} test files without a mutant`);
    const report = join(copy, "report.json");
    await passes(copy, [...VITEST, "--reporter=json", `--outputFile=${report}`, ...tests], Infinity);
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly testResults: readonly { readonly name: string; readonly status: string }[];
    };
    const failed = testResults.filter(({ status }) => status !== "passed").map(({ name }) => relative(copy, name));
    if (failed.length > 0) tell(`left out, because they fail without a mutant: ${failed.join(", ")}`);
    return new Set(failed);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const VITEST = ["node_modules/vitest/vitest.mjs", "run"];

async function tryMutant(
  copy: string,
  mutant: Mutant,
  unfit: ReadonlySet<string>,
): Promise<"killed" | "survived" | "does not compile"> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, source.slice(0, mutant.start) + mutant.to + source.slice(mutant.end));
  try {
    const tried = new Set(unfit);
    for (const tests of stagesOf(mutant.file)) {
      const fresh = tests.filter((test) => !tried.has(test));
      for (const test of fresh) tried.add(test);
      const args = [...VITEST, "--bail=1", "--reporter=dot", ...fresh];
      if (fresh.length > 0 && !(await passes(copy, args))) return "killed";
    }
    const compiles = await passes(copy, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"]);
    return compiles ? "survived" : "does not compile";
  } finally {
    writeFileSync(path, source);
  }
}

/** Test files, nearest first: those that import the file or have its name, those of its folder, those of its part. */
function stagesOf(file: string): readonly (readonly string[])[] {
  const folder = dirname(file).replace(/^src/, "test");
  const part = folder.split("/").slice(0, 2).join("/");
  const all = globSync("test/**/*.test.ts", { cwd: ROOT });
  const nearest = all.filter((test) => isAbout(test, file));
  const inFolder = all.filter((test) => test.startsWith(`${folder}/`));
  const inPart = all.filter((test) => test.startsWith(`${part}/`) || test.startsWith("test/simulation/"));
  return [nearest, inFolder, inPart];
}

function isAbout(test: string, file: string): boolean {
  const name = basename(file, ".ts");
  const spec = relative(dirname(test), file);
  return basename(test, ".test.ts") === name || readFileSync(join(ROOT, test), "utf8").includes(`"${spec}"`);
}

function passes(copy: string, args: readonly string[], longestMs = LONGEST_RUN_MS): Promise<boolean> {
  return new Promise((resolve) => {
    const timeout = Number.isFinite(longestMs) ? { timeout: longestMs, killSignal: "SIGKILL" as const } : {};
    const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore", ...timeout });
    child.once("exit", (code) => resolve(code === 0));
  });
}

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "faultline-mutants-"));
  for (const name of COPIED)
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  for (const file of globSync("*.{json,ts,md}", { cwd: ROOT })) cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}
