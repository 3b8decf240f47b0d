// Plain `fetch`: any HTTP API under protection. A 503 is retried, a 404 is not, and the error says what it was.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createFaultline, isFaultError } from "faultline";

// An API that is away for the first two requests.
let asked = 0;
const api = createServer((request, response) => {
  asked += 1;
  response.writeHead(asked <= 2 ? 503 : request.url === "/rates/EUR" ? 200 : 404).end("1.1");
});
await new Promise<void>((ready) => void api.listen(0, "127.0.0.1", ready));
const base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;

const fl = createFaultline();

/** A GET can be repeated, so it is declared idempotent. Pass the signal on: it ends the request when the attempt is out of time. */
const get = (path: string): Promise<string> =>
  fl.call(
    async ({ signal }) => {
      const response = await fetch(`${base}${path}`, { signal });
      if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status });
      return response.text();
    },
    { id: "rates", idempotent: true, timeoutMs: 2_000, retry: { backoff: { initialMs: 10 } } },
  );

console.log(await get("/rates/EUR"), asked);
// 1.1 3

try {
  await get("/rates/XXX");
} catch (error) {
  if (!isFaultError(error)) throw error;
  console.log(error.fault.code, asked);
  // NotFound 4
}
console.log(fl.metrics()["rates"]?.retry_count);
// 2

await fl.close();
api.close();
