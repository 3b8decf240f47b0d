// A session on disk: the process dies in the middle, a new one goes on. What is finished does not run again.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaultline, openJournal, step, tool } from "faultline";

const file = join(mkdtempSync(join(tmpdir(), "faultline-")), "agent.db");
const ran: string[] = [];

/** The program: the same code before and after the crash. */
async function program(dieIn: string): Promise<string> {
  const charge = tool({
    id: "charge_card",
    run: async () => {
      ran.push("charge");
      return "receipt-1";
    },
  });
  const ship = tool({
    id: "ship",
    idempotent: true,
    run: async ({ receipt }: { receipt: string }) => {
      ran.push("ship");
      if (dieIn === "ship") await new Promise(() => undefined); // stands for kill -9: it never comes back
      return `shipped against ${receipt}`;
    },
  });
  const fl = createFaultline({ journal: await openJournal(file) });
  const session = await fl.session("order-7");
  const result = await session.turn({
    charge: step(charge, {}),
    ship: step(ship, (got) => ({ receipt: String(got["charge"]) }), { needs: ["charge"] }),
  });
  const { ship: shipped } = result.outcomes;
  return shipped?.status === "done" ? `${String(shipped.value)}, attempt ${shipped.attempts}` : result.status;
}

const first = program("ship");
await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 200))]);
console.log(ran);
// [ 'charge', 'ship' ]

console.log(await program("nowhere"));
// shipped against receipt-1, attempt 2
console.log(ran);
// [ 'charge', 'ship', 'ship' ]
process.exit();
