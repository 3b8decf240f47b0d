// A turn: several tools that depend on each other. A failure affects only the tools that need the failed one.

import { createFaultline, fault, FaultError, hasValue, step, tool } from "faultline";

const fl = createFaultline();

const flights = tool({ id: "flights", run: ({ to }: { to: string }) => ({ to, price: 180 }) });
const hotels = tool({
  id: "hotels",
  run: (): Promise<{ name: string }> => Promise.reject(new FaultError(fault("NotFound", { message: "no such city" }))),
});
const taxi = tool({ id: "taxi", run: ({ hotel }: { hotel: string }) => `taxi to ${hotel}` });
const weather = tool({
  id: "weather",
  default: "unknown",
  run: (): Promise<string> => Promise.reject(new FaultError(fault("Unsupported", { message: "no forecast there" }))),
});

// The taxi needs the hotel, and the compiler knows what the hotel search returns.
const flight = step(flights, { to: "LIS" }, { label: "the flight search" });
const hotel = step(hotels, {}, { label: "the hotel search", optional: true });
const ride = step(taxi, (got) => ({ hotel: got.hotel.name }), { label: "the taxi", needs: { hotel }, optional: true });
const forecast = step(weather, {}, { label: "the weather", needs: { flight } });

const session = await fl.session("trip-42");
const result = await session.turn({ flight, hotel, ride, forecast });

const statuses = Object.values(result.outcomes).map(({ status }) => status);
console.log(result.status, statuses.sort().join(" "));
// partial defaulted done skipped skipped
console.log(result.message);
// Completed the flight search; the hotel search failed, so it was left out; the weather failed, so a default value is used; the taxi was left out because it needs the hotel search.
const found = result.outcomes.flight;
console.log(found !== undefined && hasValue(found) ? found.value.price : "none");
// 180

// Every decision about a failure is recorded, in the format of the tool error handling specification.
const record = (await session.trace()).find(({ event_type }) => event_type === "ToolError");
console.log(record?.tool_id, record?.event_type === "ToolError" && [record.classification, record.decision]);
// hotels [ 'permanent', 'skip' ]
await session.end();
