// Members that joined and left a scope leave nothing behind, in a process of its own: V8's flags hold for a whole process.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const SOURCE = new URL("../../src/runtime/scope.ts", import.meta.url);
const MIB = 1_048_576;

/**
 * A full collection moves everything that is alive to the old space. What dies there still counts as alive until the next one, and with it all that
 * it refers to. Tells how many bytes 20,000 members, of which 32 are in the scope at a time, have left in the old space without another one.
 */
const PROGRAM = `
import { getHeapSpaceStatistics } from "node:v8";
const { Scope } = await import(${JSON.stringify(SOURCE.href)});
const scope = new Scope("session", null);
const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size;
const members = [];
const join = () => {
  const member = { held: Array.from({ length: 500 }, Math.random), cancel: () => undefined };
  members.push(member);
  scope.add(member);
};
for (let count = 0; count < 32; count++) join();
gc();
const before = oldBytes();
for (let count = 0; count < 20_000; count++) {
  join();
  scope.remove(members.shift());
}
console.log(oldBytes() - before);
`;

it("does not keep members that have left from being collected", async () => {
  const args = ["--expose-gc", "--input-type=module", "--eval", PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
  expect(Number(stdout)).toBeLessThan(4 * MIB);
});
