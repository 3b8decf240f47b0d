// A session on disk: the process dies in the middle, a new one goes on. What is finished does not run again.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaultline, openJournal, step, tool } from "faultline";

const file = join(mkdtempSync(join(tmpdir(), "faultline-")), "agent.db");
const ran: string[] = [];

/** The program: the same code before and after the crash. `inShip` stands for what happens while the parcel is shipped. */
async function program(inShip: () => Promise<void>): Promise<string> {
  const charge = tool({
    id: "charge_card",
    run: () => {
      ran.push("charge");
      return "receipt-1";
    },
  });
  const ship = tool({
    id: "ship",
    idempotent: true,
    run: async ({ receipt }: { receipt: string }) => {
      ran.push("ship");
      await inShip();
      return `shipped against ${receipt}`;
    },
  });
  const fl = createFaultline({ journal: await openJournal(file) });
  const session = await fl.session("order-7");
  const { outcomes } = await session.turn({
    charge: step(charge, {}),
    ship: step(ship, (got) => ({ receipt: String(got["charge"]) }), { needs: ["charge"] }),
  });
  const shipped = outcomes["ship"];
  return shipped?.status === "done" ? `${String(shipped.value)}, attempt ${shipped.attempts}` : "not shipped";
}

// The first life ends while the parcel is being shipped: it never comes back from there, as after kill -9.
await new Promise<void>((die) => {
  void program(() => {
    die();
    return new Promise(() => undefined);
  });
});
console.log(ran);
// [ 'charge', 'ship' ]

console.log(await program(() => Promise.resolve()));
// shipped against receipt-1, attempt 2
console.log(ran);
// [ 'charge', 'ship', 'ship' ]
process.exit();
