// The memory of a gateway's process, in processes of their own: V8's flags hold for a whole process.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const SOURCE = new URL("../../../src/cli/gateway/bound-memory.ts", import.meta.url);
const MIB = 1_048_576;

/** Makes objects of which many live for a while, as those of calls do, and tells how large the space for new objects has become. */
const PROGRAM = `
import { getHeapSpaceStatistics } from "node:v8";
if (process.argv[1] === "bounded") (await import(${JSON.stringify(SOURCE.href)})).boundMemory();
const held = [];
for (let turn = 0; turn < 400; turn++) {
  for (let at = 0; at < 4_000; at++) held[(turn * 4_000 + at) % 60_000] = { turn, at, text: [turn, at, turn] };
  await new Promise(setImmediate);
}
console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
`;

async function youngBytes(how: "bounded" | "free"): Promise<number> {
  const args = ["--input-type=module", "--eval", PROGRAM, how];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
  return Number(stdout);
}

it("the space for new objects grows to 16 MB and no further", async () => {
  const [bounded, free] = await Promise.all([youngBytes("bounded"), youngBytes("free")]);
  expect(bounded).toBe(16 * MIB);
  expect(free).toBeGreaterThan(16 * MIB);
});
