// A program that calls a service with a limit for as long as its standard input is open: `node pace-process.ts <journal> <url>`.

import { createFaultline, fault, FaultError, tool } from "../../../src/index.ts";

const [, , journal = "", url = ""] = process.argv;
const fl = createFaultline({ journal });

const limited = tool<null, string>({
  id: "limited",
  idempotent: true,
  retry: { maxAttempts: 50, backoff: { initialMs: 20, maxMs: 20 } },
  run: async (_input, { responseHeaders, signal }) => {
    const answer = await fetch(url, { signal });
    responseHeaders(answer.headers);
    if (answer.ok) return answer.text();
    const retryAfterMs = Number(answer.headers.get("retry-after-ms"));
    throw new FaultError(fault("RateLimited", { message: "429", retryAfterMs }));
  },
});

let isOver = false;
process.stdin.resume().on("end", () => (isOver = true));
await fl.ready();
process.stdout.write("ready\n");
await Promise.all(
  Array.from({ length: 2 }, async () => {
    while (!isOver) await fl.protect(limited, null, { deadlineMs: 60_000 });
  }),
);
process.exit(0);
