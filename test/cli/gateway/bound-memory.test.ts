// The memory of a gateway's process, in processes of their own: V8's flags hold for a whole process.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const SOURCE = new URL("../../../src/cli/gateway/bound-memory.ts", import.meta.url);
const MIB = 1_048_576;

/** Makes objects of which many live for a while, as those of calls do, and tells how large the space for new objects has become. */
const PROGRAM = `
import { connect, createServer } from "node:net";
import { getHeapSpaceStatistics } from "node:v8";
const [, how, connections] = process.argv;
if (how === "bounded") (await import(${JSON.stringify(SOURCE.href)})).boundMemory();
const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
for (let at = 0; at < Number(connections); at++)
  await new Promise((resolve) => connect(server.address().port, "127.0.0.1").on("connect", resolve));
const held = [];
for (let turn = 0; turn < 400; turn++) {
  for (let at = 0; at < 4_000; at++) held[(turn * 4_000 + at) % 60_000] = { turn, at, text: [turn, at, turn] };
  await new Promise(setImmediate);
}
console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
process.exit();
`;

/** A connection to the program itself has two ends there. */
async function youngBytes(how: "bounded" | "free", connections: number): Promise<number> {
  const args = ["--input-type=module", "--eval", PROGRAM, how, String(connections)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
  return Number(stdout);
}

it.each([
  { connections: 0, expected: 16 * MIB },
  { connections: 32, expected: 16 * MIB },
  { connections: 200, expected: 32 * MIB },
])("the space for new objects grows to $expected bytes with $connections connections", async (row) => {
  expect(await youngBytes("bounded", row.connections)).toBe(row.expected);
});

it("V8 itself lets the space for new objects grow further", async () => {
  expect(await youngBytes("free", 0)).toBeGreaterThan(32 * MIB);
});
