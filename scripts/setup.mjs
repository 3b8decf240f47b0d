// Prepares a checkout: installs and builds what is missing or stale, and nothing else.
// Plain JavaScript for Node 20, because it runs before the repo's own Node is there.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const ownNode = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");

const program = join(root, "dist", "cli", "main.js");
const programLink = join(root, "node_modules", ".bin", "faultline");

/** `npm start` needs no servers of tests. */
const isForStart = process.argv.includes("--start");

const steps = [
  {
    name: "installing dependencies",
    stamp: join(root, "node_modules", ".faultline-installed"),
    inputs: ["package-lock.json", ".npmrc"],
    outputs: [ownNode],
    run: () => npm("ci", "--no-audit", "--no-fund", "--loglevel=error"),
  },
  {
    name: "installing the servers that tests start",
    isForTests: true,
    stamp: join(root, "test", "servers", "node_modules", ".faultline-installed"),
    inputs: ["test/servers/package-lock.json"],
    outputs: [],
    run: () => npm("ci", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", join(root, "test", "servers")),
  },
  {
    name: "building",
    stamp: join(root, "dist", ".faultline-built"),
    inputs: [
      "package-lock.json",
      "tsconfig.json",
      "tsconfig.build.json",
      "scripts/build.mjs",
      "scripts/require-doors.mjs",
      "scripts/tables-as-json.mjs",
      "src",
      "web",
    ],
    outputs: [program, ...(process.platform === "win32" ? [] : [programLink])],
    run: async () => {
      await run(ownNode, [join(root, "scripts", "build.mjs")]);
      linkProgram();
    },
  },
];

for (const step of steps) {
  if (step.isForTests && isForStart) continue;
  const wanted = fingerprint(step.inputs);
  if (step.outputs.every((path) => existsSync(path)) && readStamp(step.stamp) === wanted) continue;
  const done = showProgress(step.name);
  await step.run();
  done();
  mkdirSync(join(step.stamp, ".."), { recursive: true });
  writeFileSync(step.stamp, wanted);
}

/** So that `npx faultline` in this folder runs the program built here, with the Node installed here. */
function linkProgram() {
  if (process.platform === "win32") return;
  rmSync(programLink, { force: true });
  symlinkSync(join("..", "..", "dist", "cli", "main.js"), programLink);
}

/** One hash over the content of files and folders, so that a touched but unchanged file costs nothing. */
function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const file of filesUnder(join(root, input)))
      hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  const entries = tryReadFolder(path);
  if (entries === undefined) return [path];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => filesUnder(join(path, entry.name)));
}

function tryReadFolder(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Counts seconds on a terminal; elsewhere prints one line, and another one each quarter of a minute. Returns how to end it. */
function showProgress(name) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const { isTTY } = process.stderr;
  process.stderr.write(`faultline: ${name}…${isTTY ? "" : "\n"}`);
  const tick = () =>
    process.stderr.write(isTTY ? `\rfaultline: ${name}… ${seconds()} s` : `faultline: ${name}… ${seconds()} s\n`);
  const timer = setInterval(tick, isTTY ? 1000 : 15_000);
  return () => {
    clearInterval(timer);
    process.stderr.write(
      isTTY ? `\rfaultline: ${name}: done in ${seconds()} s\n` : `faultline: ${name}: done in ${seconds()} s\n`,
    );
  };
}

/** npm passes its own path to the scripts it starts. Without npm (plain `node scripts/setup.mjs`), uses the one on the PATH. */
function npm(...args) {
  const npmCli = process.env.npm_execpath;
  if (npmCli?.endsWith(".js")) return run(process.execPath, [npmCli, ...args]);
  return run(process.platform === "win32" ? "npm.cmd" : "npm", args);
}

/** Output is held back and shown only when the step fails. */
function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const held = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => held.push(bytes));
  return new Promise((resolve) => {
    const fail = (why) => {
      process.stderr.write(`\n${Buffer.concat(held)}`);
      process.stderr.write(`faultline: set-up failed (${why}): ${command} ${args.join(" ")}\n`);
      process.exit(1);
    };
    child.on("error", (error) => fail(error.message));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else fail(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}
