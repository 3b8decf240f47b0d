// A server that is a gateway, too: model APIs and its own routes on one port.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { startServer } from "../../src/server/server.ts";
import { ANSWER, ask, DIALECTS } from "../gateway/dialect-clients.ts";

/** On a busy machine, too. */
const PATIENT = { timeout: 30_000, interval: 20 };

function fileIn(folder: string, text: string): string {
  const file = join(folder, "gateway.faultline.yaml");
  writeFileSync(file, text);
  return file;
}

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
    gateway: fileIn(folder, gateway),
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

it("asks the next target when one refuses the gateway's key, as a gateway on a port of its own does", async () => {
  const rules = [{ when: { protocol: "openai-chat" as const }, fault: "invalid-key" as const }];
  const chaos = await startChaos({ scenario: { rules } });
  onTestFinished(() => chaos.close());
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const gateway = `
version: 1
targets:
  one: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" }
  two: { dialect: anthropic-messages, base_url: "${chaos.anthropicUrl}" }
routes: { team: { chain: [one/gpt-4o, two/claude-haiku-4-5] } }
`;
  const server = await startServer({ journal: join(folder, "journal.db"), port: 0, gateway: fileIn(folder, gateway) });
  onTestFinished(() => server.close());
  expect(await ask(server.url, "openai-chat")).toMatchObject({ status: 200, text: ANSWER });
});

it("reloads its file while it runs, and keeps the last good version", async () => {
  const chaos = await startChaos();
  onTestFinished(() => chaos.close());
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text = (route: string): string => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" } }
routes: { ${route}: { chain: [one/gpt-4o] } }
`;
  const file = fileIn(folder, text("first"));
  const heard: string[] = [];
  const server = await startServer({
    journal: join(folder, "journal.db"),
    port: 0,
    gateway: file,
    onGateway: { onNews: ({ state }) => void heard.push(state) },
  });
  onTestFinished(() => server.close());
  const statusOf = async (model: string): Promise<number> => (await ask(server.url, "openai-chat", { model })).status;
  expect(await statusOf("second")).toBe(404);
  writeFileSync(file, text("second"));
  await vi.waitFor(() => expect(heard).toEqual(["loaded"]), PATIENT);
  expect([await statusOf("first"), await statusOf("second")]).toEqual([404, 200]);
  writeFileSync(file, "version: 2");
  await vi.waitFor(() => expect(heard).toEqual(["loaded", "wrong"]), PATIENT);
  rmSync(file);
  await vi.waitFor(() => expect(heard).toEqual(["loaded", "wrong", "gone"]), PATIENT);
  expect(await statusOf("second")).toBe(200);
});

it("says what is wrong with a gateway file, and where", async () => {
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const starting = startServer({
    journal: join(folder, "journal.db"),
    port: 0,
    gateway: fileIn(folder, "version: 1\ntargets: {}\nroutes: { a: { chain: [b] } }"),
  });
  await expect(starting).rejects.toThrow("3:24 there is no target `b`");
});

it("tells people that a client's budget runs low: by a notice, once", async () => {
  const chaos = await startChaos();
  onTestFinished(() => chaos.close());
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = fileIn(
    folder,
    `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" } }
routes: { team: { chain: [one/gpt-4o] } }
keys: { me: { key_env: MY_KEY, budget: { per_day_usd: 0.0012 } } }
`,
  );
  const notices = join(folder, "notices");
  const command = join(folder, "page-me.sh");
  writeFileSync(command, `#!/bin/sh\ncat >> '${notices}'\n`, { mode: 0o755 });
  const server = await startServer({
    journal: join(folder, "journal.db"),
    port: 0,
    gateway: file,
    env: { ...process.env, MY_KEY: "my-own-key" },
    notify: { command: [command], about: ["budget-low"] },
  });
  onTestFinished(() => server.close());
  const asking = { headers: { authorization: "Bearer my-own-key" }, body: { max_tokens: 10 } };
  let { status } = await ask(server.url, "openai-chat", asking);
  while (status === 200) ({ status } = await ask(server.url, "openai-chat", asking));
  expect(status).toBe(402);
  await vi.waitFor(() => expect(existsSync(notices)).toBe(true), PATIENT);
  await vi.waitFor(
    () =>
      expect(JSON.parse(readFileSync(notices, "utf8"))).toMatchObject({
        type: "dev.faultline.notice.budget-low",
        subject: "me",
        data: { client: "me", window: "day", limitUsd: 0.0012 },
      }),
    PATIENT,
  );
});
