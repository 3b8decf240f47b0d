// A turn: several tools that need each other. What fails takes down only what needs it, and the user is told in a sentence.

import { createFaultline, fault, FaultError, hasValue, step, tool } from "faultline";

const fl = createFaultline();

const flights = tool({ id: "flights", run: async ({ to }: { to: string }) => ({ to, price: 180 }) });
const hotels = tool({
  id: "hotels",
  run: (): Promise<{ name: string }> => Promise.reject(new FaultError(fault("NotFound", { message: "no hotel API" }))),
});
const taxi = tool({ id: "taxi", run: async ({ hotel }: { hotel: string }) => `taxi to ${hotel}` });
const weather = tool({ id: "weather", default: "unknown", run: () => Promise.reject(new Error("getaddrinfo ENOTFOUND")) });

const session = await fl.session("trip-42");
const result = await session.turn({
  flights: step(flights, { to: "LIS" }),
  hotels: step(hotels, {}, { label: "the hotel search", optional: true }),
  taxi: step(taxi, (got) => ({ hotel: (got["hotels"] as { name: string }).name }), { needs: ["hotels"], optional: true }),
  weather: step(weather, {}, { needs: ["flights"] }),
});

console.log(result.status, Object.fromEntries(Object.entries(result.outcomes).map(([name, { status }]) => [name, status])));
// partial {}
console.log(result.message);
// ?
const { flights: found } = result.outcomes;
console.log(found !== undefined && hasValue(found) ? found.value : "none");
// { to: 'LIS', price: 180 }

const [record] = await session.trace();
console.log(record?.event_type, record?.tool_id);
// ToolError hotels
await session.end();
