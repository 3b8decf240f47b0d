// The floor for `npm run bench:server`: a Hono route that appends the bytes it gets to SQLite, each request durable, and nothing else.

import { DatabaseSync } from "node:sqlite";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const [path = ":memory:", bytes = "1000"] = process.argv.slice(2);
const db = new DatabaseSync(path);
db.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE lines (id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
);
const insert = db.prepare("INSERT INTO lines (body) VALUES (?)");
const text = "x".repeat(Number(bytes));
const app = new Hono();
app.post("/v1/failures", async (context) => {
  const body: unknown = await context.req.json();
  insert.run(text);
  return context.json({ id: "1", body });
});
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ listening: { url: `http://127.0.0.1:${port}` } })}\n`);
});
process.once("SIGTERM", () => server.close());
