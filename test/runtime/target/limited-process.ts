// A program that calls targets with limits as often as they let it, until its standard input ends: `node limited-process.ts <journal> <limit> …`.
// Then it prints when each attempt began, for each limit.

import { createFaultline, tool } from "../../../src/index.ts";

/** Calls that want to begin at the same time: for a high limit as many as begin in a tenth of a second, because each one waits for the journal. */
const callersFor = (maxPerMinute: number): number => Math.max(8, maxPerMinute / 600);
const [, , journal = "", ...limits] = process.argv;
const fl = createFaultline({ journal });
let isOver = false;
process.stdin.resume().on("end", () => (isOver = true));
await fl.ready();
process.stdout.write("ready\n");

async function callOften(maxPerMinute: number): Promise<readonly number[]> {
  const startedAt: number[] = [];
  const limited = tool<null, null>({
    id: `limited-${maxPerMinute}`,
    maxPerMinute,
    run: () => {
      startedAt.push(Date.now());
      return null;
    },
  });
  const caller = async (): Promise<void> => {
    while (!isOver) await fl.protect(limited, null, { deadlineMs: 60_000 });
  };
  await Promise.all(Array.from({ length: callersFor(maxPerMinute) }, caller));
  return startedAt;
}

const started = await Promise.all(limits.map((limit) => callOften(Number(limit))));
process.stdout.write(`${JSON.stringify(started)}\n`, () => process.exit(0));
