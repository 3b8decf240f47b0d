// A server that is a gateway, too: model APIs and its own routes on one port.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { startServer } from "../../src/server/server.ts";
import { ANSWER, ask, DIALECTS } from "../gateway/dialect-clients.ts";

it("answers models and its own routes on one port, and shows the targets that it used", async () => {
  const chaos = await startChaos();
  onTestFinished(() => chaos.close());
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const gateway = `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" } }
routes: { team: { chain: [one/gpt-4o] } }
keys: { me: { key_env: MY_KEY } }
`;
  const server = await startServer({
    journal: join(folder, "journal.db"),
    port: 0,
    gateway,
    env: { MY_KEY: "my-own-key" },
  });
  onTestFinished(() => server.close());
  const headers = { authorization: "Bearer my-own-key" };
  for (const dialect of DIALECTS) {
    expect(await ask(server.url, dialect, { headers })).toMatchObject({ status: 200, text: ANSWER });
  }
  expect((await ask(server.url, "openai-chat")).status).toBe(401);
  const health = await fetch(`${server.url}/v1/health`);
  expect(health.status).toBe(200);
  expect((await fetch(`${server.url}/v1/runs`, { headers })).status).toBe(401);
});

it("says what is wrong with a gateway file, and where", async () => {
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const starting = startServer({
    journal: join(folder, "journal.db"),
    port: 0,
    gateway: "version: 1\ntargets: {}\nroutes: { a: { chain: [b] } }",
  });
  await expect(starting).rejects.toThrow("3:24 there is no target `b`");
});
