// A server as a process of its own, for tests that kill it. Prints its address.

import { startServer } from "../../src/server/server.ts";

const [, , journal = ""] = process.argv;
const { url } = await startServer({ journal, port: 0, env: {} });
process.stdout.write(`${url}\n`);
