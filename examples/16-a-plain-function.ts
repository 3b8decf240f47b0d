// A plain function: `fl.call` runs it under protection and returns its value, or throws a typed error.

import { createFaultline, isFaultError } from "faultline";

const fl = createFaultline();

let asked = 0;
const search = (to: string): Promise<string[]> => {
  asked += 1;
  if (asked < 3) throw Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:443"), { code: "ECONNREFUSED" });
  return Promise.resolve([`${to} 07:10`]);
};

// The options are those of a tool, and `id` is required: calls with the same id share a breaker, metrics and policy rows.
const flights = await fl.call(() => search("LIS"), {
  id: "search_flights",
  idempotent: true,
  retry: { maxAttempts: 4 },
});
console.log(flights, asked);
// [ 'LIS 07:10' ] 3

// The function gets the number of the attempt and a signal that fires when the attempt runs out of time.
try {
  await fl.call(({ signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", reject)), {
    id: "slow",
    timeoutMs: 50,
  });
} catch (error) {
  if (!isFaultError(error)) throw error;
  console.log(error.fault.class, error.fault.code);
  // ToolTransient ExecutionTimeout
}

// `protect` takes the same arguments and returns an outcome instead.
const outcome = await fl.protect(() => search("OPO"), { id: "search_flights", idempotent: true });
console.log(outcome.status, outcome.attempts);
// done 1

await fl.close();
