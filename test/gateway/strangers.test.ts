// Who may use a gateway without a key: programs of this machine, and no page of a web site. A key is enough in all cases.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import { createFaultline } from "../../src/index.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import { startGateway } from "../../src/gateway/start-gateway.ts";
import { startServer } from "../../src/server/server.ts";

const KEY = "alice-key-0123456789";
let chaos: Chaos;
beforeAll(async () => {
  chaos = await startChaos();
  return () => chaos.close();
});

const fileOf = (keys: string): string => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" } }
routes: { team: { chain: [one/gpt-4o] } }
${keys}`;
const KEYED = "keys: { alice: { key_env: ALICE } }";

async function alone(keys: string): Promise<number> {
  const { settings } = parseGateway(fileOf(keys), "gateway.faultline.yaml", { ALICE: KEY });
  if (settings === null) throw new Error("the file is wrong");
  const faultline = createFaultline();
  const started = await startGateway(faultline, settings, { port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await started.close();
    await faultline.close();
  });
  return started.port;
}

async function served(keys: string, options: { readonly publicUrl?: string } = {}): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gateway.faultline.yaml");
  writeFileSync(file, fileOf(keys));
  const place = { journal: join(folder, "journal.db"), port: 0, gateway: file, env: { ALICE: KEY } };
  const server = await startServer({ ...place, ...options });
  onTestFinished(() => server.close());
  return server.port;
}

type Sent = Readonly<Record<string, string>>;

function statusOf(port: number, headers: Sent, path = "/v1/chat/completions"): Promise<number> {
  const body = JSON.stringify({ model: "team", messages: [{ role: "user", content: "Hi" }] });
  return new Promise((resolve, reject) => {
    const sent = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    request({ host: "127.0.0.1", port, path, method: "POST", headers: sent }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    })
      .on("error", reject)
      .end(body);
  });
}

interface Row {
  readonly what: string;
  readonly headers: (port: number) => Sent;
  /** For a gateway without keys. */
  readonly open: number;
  /** For one with keys on the server's port; alone, it does not ask for the Host. */
  readonly keyed: readonly [alone: number, served: number];
}

const ROWS: readonly Row[] = [
  { what: "a program", headers: (port) => ({ host: `127.0.0.1:${port}` }), open: 200, keyed: [200, 200] },
  {
    what: "another name of this machine",
    headers: (port) => ({ host: `localhost:${port}` }),
    open: 200,
    keyed: [200, 200],
  },
  {
    what: "a name that resolves to this machine",
    headers: (port) => ({ host: `evil.example:${port}` }),
    open: 421,
    keyed: [200, 421],
  },
  {
    what: "a page of another site",
    headers: (port) => ({ "host": `127.0.0.1:${port}`, "origin": "http://evil.example", "content-type": "text/plain" }),
    open: 403,
    keyed: [200, 200],
  },
  {
    what: "a page of another port",
    headers: (port) => ({ host: `127.0.0.1:${port}`, origin: "http://127.0.0.1:1" }),
    open: 403,
    keyed: [200, 200],
  },
  {
    what: "a page without an origin",
    headers: (port) => ({ "host": `127.0.0.1:${port}`, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }),
    open: 403,
    keyed: [200, 200],
  },
];

describe.each(ROWS)("$what", ({ headers, open, keyed }) => {
  it("at a gateway without keys", async () => {
    const ports = [await alone(""), await served("")];
    expect(await Promise.all(ports.map((port) => statusOf(port, headers(port))))).toEqual([open, open]);
    const models = await Promise.all(ports.map((port) => statusOf(port, headers(port), "/v1/embeddings")));
    expect(models).toEqual(open === 200 ? [404, 404] : [open, open]);
  });

  it("at a gateway with keys", async () => {
    const ports = [await alone(KEYED), await served(KEYED)];
    const sent = (port: number): Sent => ({ ...headers(port), authorization: `Bearer ${KEY}` });
    expect(await Promise.all(ports.map((port) => statusOf(port, sent(port))))).toEqual(keyed);
  });
});

it("does not answer without a key when others than this machine can reach it", async () => {
  const port = await served("", { publicUrl: "https://models.example" });
  expect(await statusOf(port, { host: "models.example" })).toBe(401);
  expect(await statusOf(port, { host: `127.0.0.1:${port}` })).toBe(401);
});

it.each([
  { keys: "with keys", config: KEYED, method: "GET", path: "/v1/health", status: 200 },
  { keys: "without keys", config: "", method: "GET", path: "/v1/health", status: 200 },
  { keys: "with keys", config: KEYED, method: "HEAD", path: "/v1/health", status: 200 },
  { keys: "with keys", config: KEYED, method: "POST", path: "/v1/health", status: 401 },
  { keys: "with keys", config: KEYED, method: "GET", path: "/v1/health/more", status: 401 },
])("a gateway $keys answers $method $path with $status to clients without a key", async (row) => {
  const url = `http://127.0.0.1:${await alone(row.config)}${row.path}`;
  const answer = await fetch(url, { method: row.method });
  const isShown = row.status === 200 && row.method === "GET";
  expect(answer.status).toBe(row.status);
  expect((await answer.text()) === '{"status":"ok"}').toBe(isShown);
});
