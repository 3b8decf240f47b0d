// A session on disk: the process dies halfway, and a new process continues. Finished work does not run again.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaultline, openJournal, step, tool } from "faultline";

const file = join(mkdtempSync(join(tmpdir(), "faultline-")), "agent.db");
const ran: string[] = [];

/** The program, the same before and after the crash. `inShip` runs while the parcel is being shipped. */
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
  const charged = step(charge, {});
  const shipping = step(ship, (got) => ({ receipt: got.charged }), { needs: { charged } });
  const { outcomes } = await session.turn({ charged, shipping });
  const shipped = outcomes.shipping;
  return shipped?.status === "done" ? `${shipped.value}, attempt ${shipped.attempts}` : "not shipped";
}

// The first process stops while the parcel is being shipped and never continues, as after kill -9.
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
