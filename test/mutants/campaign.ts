// Tries mutants on copies of the repository, one copy per worker.

import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { withReports } from "./reach.ts";
import { type Mutant, ROOT } from "./sample.ts";

export interface Tally {
  readonly killed: number;
  readonly survived: readonly Mutant[];
}

export interface CampaignOptions {
  readonly workers: number;
  /** Mutants that this file says were killed are not tried again. Every mutant that is killed is added to it. */
  readonly killedFile: string | undefined;
  readonly tell: (line: string) => void;
}

/** What a copy needs to run tests. */
const COPIED = ["src", "test", "dist", "corpus", "docs", "examples", "schema", "scripts", "bench", "lint", "templates"];
const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const TSC = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noEmit", "--pretty", "false"];
/** A mutant may loop forever. */
const LONGEST_RUN_MS = 240_000;
/** Stands for the tests of a run that took longer. */
const NO_REPORT = "(no report)";

/** Tests of the whole: simulated worlds, and docs made from the tables in the sources. */
const WHOLE = ["test/simulation/", "test/docs.test.ts"];

/** Test files in the order in which they are tried. */
type Stages = readonly (readonly string[])[];

interface Round {
  readonly survived: readonly Mutant[];
  /** Test files that killed a mutant. */
  readonly killers: ReadonlyMap<Mutant, readonly string[]>;
}

export async function runMutants(mutants: readonly Mutant[], options: CampaignOptions): Promise<Tally> {
  const { killedFile, tell } = options;
  const before = readKilled(killedFile);
  const untried = mutants.filter((mutant) => !before.has(nameOf(mutant)));
  tell(`trying ${untried.length} mutants on the tests of their folder`);
  const near = await tryAll(untried, ({ file }) => stagesOf(file).slice(0, 2), options);
  const plan = await planFurther(near.survived, tell);
  tell(`trying ${near.survived.length} mutants on the other tests that reach them`);
  const far = await tryAll(near.survived, (mutant) => plan.get(mutant) ?? [], options);
  const killers = new Map([...near.killers, ...far.killers]);
  const killing = [...new Set([...killers.values()].flat())].filter((name) => name.startsWith("test/"));
  const unfit = await withCopy((copy) => failingTests(copy, killing));
  const doubtful = [...killers].filter(([, files]) => files.some((file) => unfit.has(file))).map(([mutant]) => mutant);
  if (unfit.size > 0) tell(`these fail without a mutant, too, so they kill none: ${[...unfit].join(", ")}`);
  if (killedFile !== undefined && doubtful.length > 0) {
    const names = new Set(doubtful.map(nameOf));
    writeFileSync(killedFile, [...readKilled(killedFile)].filter((name) => !names.has(name)).join("\n"));
  }
  const survived = [...far.survived, ...doubtful];
  return { killed: mutants.length - survived.length, survived };
}

async function tryAll(
  mutants: readonly Mutant[],
  stagesFor: (mutant: Mutant) => Stages,
  { workers, killedFile, tell }: CampaignOptions,
): Promise<Round> {
  const queue = [...mutants];
  const survived: Mutant[] = [];
  const killers = new Map<Mutant, readonly string[]>();
  const work = (): Promise<void> =>
    withCopy(async (copy) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const failed = await killersOf(copy, mutant, stagesFor(mutant));
        if (failed === null) survived.push(mutant);
        else killers.set(mutant, failed);
        if (failed !== null && killedFile !== undefined) appendFileSync(killedFile, `${nameOf(mutant)}\n`);
        tell(`${failed === null ? "survived" : "killed  "} ${describeMutant(mutant)}`);
      }
    });
  await Promise.all(Array.from({ length: mutants.length === 0 ? 0 : workers }, work));
  return { survived, killers };
}

export function describeMutant({ file, line, from, to, text }: Mutant): string {
  return `${file}:${line}  ${from}  →  ${to === "" ? "(nothing)" : to}    in  ${text}`;
}

function nameOf({ file, text, column, to }: Mutant): string {
  return JSON.stringify([file, text, column, to]);
}

function readKilled(file: string | undefined): ReadonlySet<string> {
  if (file === undefined) return new Set();
  mkdirSync(dirname(file), { recursive: true });
  return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
}

/** The first `count` of `mutants` that the compiler accepts. It checks many at once: one per file. */
export function thatCompile(mutants: readonly Mutant[], count: number): Promise<readonly Mutant[]> {
  return withCopy(async (copy) => {
    const refused = new Set<Mutant>();
    let waiting = [...mutants];
    while (waiting.length > 0) {
      const round = [...new Map(waiting.toReversed().map((mutant) => [mutant.file, mutant])).values()];
      waiting = waiting.filter((mutant) => !round.includes(mutant));
      const undo = round.map((mutant) => applyTo(copy, mutant));
      const { output } = await run(copy, TSC);
      for (const revert of undo) revert();
      for (const mutant of round) if (output.includes(`${mutant.file}(`)) refused.add(mutant);
    }
    return mutants.filter((mutant) => !refused.has(mutant)).slice(0, count);
  });
}

/**
 * Runs the tests of the mutants' parts once without a mutant, to learn which of them reach which mutant. Test files that
 * fail without a mutant are left out: they would kill everything.
 */
function planFurther(mutants: readonly Mutant[], tell: (line: string) => void): Promise<ReadonlyMap<Mutant, Stages>> {
  return withCopy(async (copy) => {
    const reachedFile = join(copy, "reached.txt");
    writeFileSync(reachedFile, "");
    for (const [file, group] of Map.groupBy(mutants.entries(), ([, mutant]) => mutant.file)) {
      const path = join(copy, file);
      writeFileSync(path, withReports(readFileSync(path, "utf8"), new Map(group), reachedFile));
    }
    const tests = [...new Set(mutants.flatMap(({ file }) => stagesOf(file).slice(2).flat()))];
    tell(`running ${tests.length} test files without a mutant`);
    const failed = await failingTests(copy, tests);
    const reached = new Set(readFileSync(reachedFile, "utf8").split("\n"));
    return new Map(
      mutants.map((mutant, id) => {
        const [, tried = [], others = []] = stagesOf(mutant.file);
        const reaching = tests.filter((test) => reached.has(`${join(copy, test)}\t${id}`));
        // A mutant that only runs when its file loads has no report of its own, so any test may notice it.
        const mayNotice = (test: string): boolean => reaching.length === 0 || reaching.includes(test);
        const isFit = (test: string): boolean => !failed.has(test) && !tried.includes(test) && mayNotice(test);
        return [mutant, [others.filter(isFit)]];
      }),
    );
  });
}

async function failingTests(
  copy: string,
  tests: readonly string[],
  args: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  if (tests.length === 0) return new Set();
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const longestMs = args.length === 0 ? Infinity : LONGEST_RUN_MS;
  const { passed } = await run(
    copy,
    [...VITEST, ...args, "--reporter=json", `--outputFile=${report}`, ...tests],
    longestMs,
  );
  if (passed) return new Set();
  if (!existsSync(report)) return new Set([NO_REPORT]);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: readonly { readonly name: string; readonly status: string }[];
  };
  const failed = testResults.filter(({ status }) => status !== "passed").map(({ name }) => relative(copy, name));
  return new Set(failed.length > 0 ? failed : ["(outside a test)"]);
}

/** The test files that notice the mutant; null if none does. */
async function killersOf(copy: string, mutant: Mutant, stages: Stages): Promise<readonly string[] | null> {
  const tried = new Set<string>();
  for (const stage of stages) {
    const fresh = stage.filter((test) => !tried.has(test));
    for (const test of fresh) tried.add(test);
    const runTests = (): Promise<ReadonlySet<string>> => failingTests(copy, fresh, ["--bail=1", "--maxWorkers=1"]);
    const revert = applyTo(copy, mutant);
    const failed = await runTests().finally(revert);
    // On a slow machine, these tests may take too long without a mutant, too.
    const isTooSlow = failed.has(NO_REPORT) && (await runTests()).has(NO_REPORT);
    if (failed.size > 0 && !isTooSlow) return [...failed];
  }
  return null;
}

/** Returns what takes the mutant back. */
function applyTo(copy: string, { file, start, end, from, to }: Mutant): () => void {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (source.slice(start, end).replaceAll(/\s+/g, " ") !== from)
    throw new Error(`${file} changed after the sample was drawn`);
  writeFileSync(path, source.slice(0, start) + to + source.slice(end));
  return () => writeFileSync(path, source);
}

/** Test files, nearest first: those in its folder that are about the file, the others in its folder, all of its part or about the file. */
function stagesOf(file: string): Stages {
  const folder = dirname(file).replace(/^src/, "test");
  const part = folder.split("/").slice(0, 2).join("/");
  const all = globSync("test/**/*.test.ts", { cwd: ROOT });
  const inFolder = all.filter((test) => dirname(test) === folder);
  const others = all.filter(
    (test) => WHOLE.some((one) => test.startsWith(one)) || test.startsWith(`${part}/`) || isAbout(test, file),
  );
  return [inFolder.filter((test) => isAbout(test, file)), inFolder, others];
}

function isAbout(test: string, file: string): boolean {
  const name = basename(file, ".ts");
  const spec = relative(dirname(test), file);
  return basename(test, ".test.ts") === name || readFileSync(join(ROOT, test), "utf8").includes(`"${spec}"`);
}

function run(
  copy: string,
  args: readonly string[],
  longestMs = LONGEST_RUN_MS,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    const timeout = Number.isFinite(longestMs) ? { timeout: longestMs, killSignal: "SIGKILL" as const } : {};
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "pipe", "ignore"], ...timeout });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("close", (code) => resolve({ passed: code === 0, output }));
  });
}

async function withCopy<T>(use: (copy: string) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), "faultline-mutants-"));
  try {
    for (const name of COPIED)
      if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    for (const file of globSync("*.{json,ts,md}", { cwd: ROOT })) cpSync(join(ROOT, file), join(copy, file));
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    return await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
