// `npm run walks`: in how many files of src each walk of docs/ARCHITECTURE.md executes a function. Tables of
// symptoms and words are data, and the chaos server plays the provider: neither counts.

import { type Profiler, Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { WALKS } from "../test/support/walks.ts";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
const root = fileURLToPath(new URL("../src/", import.meta.url));
const NOT_COUNTED = /^(?:core\/classify\/symptoms|core\/fault\/words|chaos|testing)\//;

for (const { title, walk } of WALKS) {
  // One run before, so that everything that loads on first use is loaded.
  await walk(async (work) => void (await work()));
  let result: Profiler.ScriptCoverage[] = [];
  await walk(async (work) => {
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    ({ result } = await session.post("Profiler.takePreciseCoverage"));
    await session.post("Profiler.stopPreciseCoverage");
  });
  const files = result.flatMap(({ url, functions }) => {
    if (!url.startsWith("file:")) return [];
    const path = fileURLToPath(url);
    const ran = functions.some(
      ({ functionName, ranges }) => functionName !== "" && ranges.some(({ count }) => count > 0),
    );
    return path.startsWith(root) && ran ? [path.slice(root.length)] : [];
  });
  const code = files.filter((file) => !NOT_COUNTED.test(file));
  process.stdout.write(`${String(code.length).padStart(4)}  ${title}\n`);
  if (process.argv.includes("--list")) for (const file of code.toSorted()) process.stdout.write(`        ${file}\n`);
}
process.exit(0);
