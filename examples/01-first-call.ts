// Protect a tool: it fails twice, Faultline retries, and you get a value.

import { createFaultline, tool } from "faultline";

const fl = createFaultline();

let asked = 0;
const searchFlights = tool({
  id: "search_flights",
  idempotent: true, // safe to retry, even if it may already have run
  timeoutMs: 5_000,
  run: ({ to }: { to: string }) => {
    asked += 1;
    if (asked < 3) throw Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:443"), { code: "ECONNREFUSED" });
    return [`${to} 07:10`, `${to} 18:45`];
  },
});

const outcome = await fl.protect(searchFlights, { to: "LIS" });
console.log(outcome.status, outcome.attempts, outcome.status === "done" ? outcome.value : outcome);
// done 3 [ 'LIS 07:10', 'LIS 18:45' ]

// A call that cannot work does not throw either. The outcome says what was wrong.
const bookFlight = tool({
  id: "book_flight",
  input: { type: "object", required: ["flight"], properties: { flight: { type: "string" } } },
  run: ({ flight }: { flight: string }) => `booked ${flight}`,
});
const fromModel = JSON.parse('{ "flight": 7 }') as { flight: string }; // written by a model, unchecked
const refused = await fl.protect(bookFlight, fromModel);
if (refused.status === "surfaced") {
  const { fault } = refused;
  console.log(fault.class, fault.code, fault.context["field"]);
  // ToolTerminal InputInvalid flight
}

const { retry_count, retry_success_rate } = fl.metrics()["search_flights"] ?? {};
console.log(retry_count, retry_success_rate);
// 2 0.5
