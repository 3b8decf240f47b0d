// File tools for models: list, read, write. Reads its input as JSON from stdin and prints its answer, or the reason for a failure on
// stderr. The repository is the current folder. Files outside it are out of reach, also through symbolic links.

import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const ROOT = realpathSync(process.cwd());
/** A model that could write these could change its own rules. */
const CLOSED = [".git", ".faultline", "node_modules", "team", "team.faultline.yaml"];
const MOST_BYTES = 200_000;
const MOST_FILES = 1_000;

const input = JSON.parse(readFileSync(0, "utf8"));
const actions = { list, read, write };
const action = actions[process.argv[2]];
if (action === undefined) refuse("usage: files.mjs list|read|write, with the input as JSON on stdin");
console.log(action(input));

function list() {
  const files = [];
  const open = [ROOT];
  for (let folder = open.pop(); folder !== undefined && files.length < MOST_FILES; folder = open.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isClosed(relative(ROOT, path))) continue;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) files.push(relative(ROOT, path).split(sep).join("/"));
    }
  }
  return files.sort().join("\n");
}

function read({ path }) {
  const file = within(path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) refuse(`there is no file ${path}`);
  if (!found.isFile()) refuse(`${path} is not a file`);
  if (found.size > MOST_BYTES) refuse(`${path} has ${found.size} bytes; at most ${MOST_BYTES} are allowed`);
  // As JSON, so that a file that happens to hold JSON arrives as the text it is.
  return JSON.stringify({ path, content: readFileSync(file, "utf8") });
}

function write({ path, content }) {
  const file = within(path);
  if (Buffer.byteLength(content) > MOST_BYTES) refuse(`the text has more than ${MOST_BYTES} bytes`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return `wrote ${path}`;
}

/** The place a path names, when it is one that may be touched. */
function within(path) {
  if (typeof path !== "string" || path === "" || path.includes("\0")) refuse("path must name a file");
  const wanted = resolve(ROOT, path);
  const inside = relative(ROOT, realOf(wanted));
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || resolve(inside) !== join(ROOT, inside)) {
    refuse(`${path} is outside of the repository`);
  }
  if (isClosed(inside)) refuse(`${path} is not for agents`);
  return join(ROOT, inside);
}

/** Where it really is: the part of the path that is there, with its links followed, and the rest behind it. */
function realOf(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && statSync(path, { throwIfNoEntry: false }) === undefined)
    refuse("it is a link to nowhere");
  if (found !== undefined) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realOf(above), relative(above, path));
}

function isClosed(inside) {
  return CLOSED.includes(inside.split(sep)[0]?.toLowerCase());
}

function refuse(why) {
  console.error(why);
  process.exit(1);
}
