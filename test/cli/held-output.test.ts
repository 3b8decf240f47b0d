// Output that is held back for a retry: bounded, and never cut silently.

import { expect, it } from "vitest";
import { OutputQueue } from "../../src/cli/render/output-queue.ts";
import { HeldOutput } from "../../src/cli/run/held-output.ts";

const MB = 1_048_576;

it("holds no more than its limit on disk, and reports it", async () => {
  let arrived = 0;
  const sink = {
    isTTY: false,
    columns: Infinity,
    write: (data: string | Uint8Array) => Promise.resolve(void (arrived += data.length)),
  };
  const queue = new OutputQueue(sink);
  const held = new HeldOutput(queue, 20 * MB);
  const chunk = Buffer.alloc(MB, "y\n");
  for (let count = 0; count < 1_000 && !held.isFull; count++) held.write(chunk);
  expect(held.failure).toMatchObject({ code: "ResourceExhausted" });
  await held.release();
  await queue.end();
  expect(arrived).toBeGreaterThanOrEqual(20 * MB);
  expect(arrived).toBeLessThan(24 * MB);
});

it("starts empty again after a failed attempt was discarded", () => {
  const sink = { isTTY: false, columns: Infinity, write: () => Promise.resolve() };
  const held = new HeldOutput(new OutputQueue(sink), 20 * MB);
  for (let count = 0; count < 30; count++) held.write(Buffer.alloc(MB));
  held.discard();
  expect({ isFull: held.isFull, failure: held.failure }).toEqual({ isFull: false, failure: null });
});
