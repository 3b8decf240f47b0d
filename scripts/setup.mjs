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

const building = [
  {
    name: "installing dependencies",
    stamp: join(root, "node_modules", ".faultline-installed"),
    inputs: ["package-lock.json", ".npmrc"],
    outputs: [ownNode],
    run: () => npm("ci", "--no-audit", "--no-fund", "--loglevel=error"),
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

/** They need nothing of the above, so they are installed meanwhile. */
const servers = [
  {
    name: "installing the servers that tests start",
    stamp: join(root, "test", "servers", "node_modules", ".faultline-installed"),
    inputs: ["test/servers/package-lock.json"],
    outputs: [],
    run: () => npm("ci", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", join(root, "test", "servers")),
  },
];

/** The steps at work, with the times at which they began. */
const atWork = new Map();

// A failed set-up ends when everything has ended: two installations in one folder would break each other.
const ended = await Promise.allSettled([inOrder(building), inOrder(isForStart ? [] : servers)]);
for (const { reason } of ended) if (reason !== undefined) process.stderr.write(`\n${reason.message}\n`);
process.exitCode = ended.every(({ status }) => status === "fulfilled") ? 0 : 1;

async function inOrder(steps) {
  for (const step of steps) {
    const wanted = fingerprint(step.inputs);
    if (step.outputs.every((path) => existsSync(path)) && readStamp(step.stamp) === wanted) continue;
    const end = showProgress(step.name);
    let how = "failed";
    try {
      await step.run();
      how = "done";
    } finally {
      end(how);
    }
    mkdirSync(join(step.stamp, ".."), { recursive: true });
    writeFileSync(step.stamp, wanted);
  }
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

/**
 * Counts seconds on a terminal, in one line for all steps at work; elsewhere prints a line, and another one each quarter of a minute.
 * Returns how to end it.
 */
function showProgress(name) {
  const { isTTY } = process.stderr;
  const since = (startedAt) => Math.round((performance.now() - startedAt) / 1000);
  const line = (one) => `faultline: ${one}… ${since(atWork.get(one))} s`;
  const tick = () =>
    process.stderr.write(isTTY ? `\r\x1b[K${[...atWork.keys()].map(line).join("  ")}` : `${line(name)}\n`);
  atWork.set(name, performance.now());
  if (isTTY) tick();
  else process.stderr.write(`faultline: ${name}…\n`);
  const timer = setInterval(tick, isTTY ? 1000 : 15_000);
  return (how) => {
    clearInterval(timer);
    process.stderr.write(`${isTTY ? "\r\x1b[K" : ""}faultline: ${name}: ${how} in ${since(atWork.get(name))} s\n`);
    atWork.delete(name);
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
  return new Promise((resolve, reject) => {
    const fail = (why) => {
      const said = Buffer.concat(held);
      reject(new Error(`${said}\nfaultline: set-up failed (${why}): ${command} ${args.join(" ")}`));
    };
    child.on("error", (error) => fail(error.message));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else fail(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}
