// The real `curl` at a gateway whose first provider fails: a whole answer, a stream, an error, and a key that the gateway does not know.

import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { createFaultline } from "../../src/faultline.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import { startGateway } from "../../src/gateway/start-gateway.ts";
import { bodyOf, DIALECTS, pathOf, readEvents } from "./dialect-clients.ts";

const KEY = "key-of-curl-0123456789";
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

async function gateway(): Promise<string> {
  const rules = [
    { when: { model: "refused" }, fault: "bad-request" as const },
    { when: { model: "gpt-5" }, fault: "overloaded" as const },
  ];
  const chaos = await startChaos({ scenario: { rules } });
  const good = await startChaos();
  const all = "[openai-chat, openai-responses, anthropic-messages, google-generate]";
  const yaml = `version: 1
targets:
  one: { dialect: ${all}, base_url: "${chaos.url}/v1" }
  two: { dialect: ${all}, base_url: "${good.url}/v1" }
routes:
  gpt-*: { chain: [one, two] }
  refused: { chain: [one] }
keys: { curl: { key_env: CURL_KEY } }
`;
  const { settings } = parseGateway(yaml, "gateway.faultline.yaml", { CURL_KEY: KEY });
  if (settings === null) throw new Error("the file has mistakes");
  const faultline = createFaultline({});
  const started = await startGateway(faultline, settings, { port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await started.close();
    await faultline.close();
    await chaos.close();
    await good.close();
  });
  return started.url;
}

interface Curled {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Runs a line of a shell that curls, with the answer's head. */
async function curl(line: string): Promise<Curled> {
  const { stdout } = await promisify(execFile)("sh", ["-c", line.replace("curl", "curl -sS -i")]);
  const [head = "", ...rest] = stdout.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body: rest.join("\r\n\r\n") };
}

const PAGE = readFileSync(new URL("../../docs/GATEWAY.md", import.meta.url), "utf8");
const DOCUMENTED = /^\| curl \| `(.+)` \|$/m.exec(PAGE)?.[1] ?? "";

/** The line of the docs, for this gateway. */
const documented = (url: string, key: string): string =>
  DOCUMENTED.replace("http://127.0.0.1:7430", url).replace("Bearer …", `Bearer ${key}`);

describe.skipIf(!hasCurl)("curl", () => {
  it("gets a whole answer with the line of the docs, after a failover", async () => {
    const { status, head, body } = await curl(documented(await gateway(), KEY));
    expect(status).toBe(200);
    expect(head).toContain("x-faultline-target: two/gpt-5");
    expect(head).toContain("x-faultline-attempts: 3");
    expect(JSON.parse(body)).toMatchObject({
      choices: [{ message: { content: expect.stringContaining("You said: Hi") as string } }],
    });
  });

  it.each(DIALECTS)("gets a stream of %s with -N, after a failover", async (dialect) => {
    const url = await gateway();
    const asking = { model: "gpt-5", streaming: true, prompt: "Hi" };
    const body = JSON.stringify(bodyOf(dialect, asking));
    const { status, body: stream } = await curl(
      `curl -N '${url}${pathOf(dialect, asking)}' -H 'Authorization: Bearer ${KEY}' -d '${body}'`,
    );
    expect(status).toBe(200);
    const { text, isWhole, error } = readEvents(dialect, stream);
    expect([text.startsWith("You said: Hi"), isWhole, error]).toEqual([true, true, null]);
  });

  it("gets the target's own words about a mistake of its request", async () => {
    const line = documented(await gateway(), KEY).replace("gpt-5", "refused");
    const { status, head, body } = await curl(line);
    expect(status).toBe(400);
    expect(head).toContain("x-should-retry: false");
    expect(JSON.parse(body)).toMatchObject({ error: { type: "invalid_request_error" } });
  });

  it.each([
    ["an unknown key", (url: string) => documented(url, "another-key")],
    ["no key", (url: string) => documented(url, KEY).replace(/-H "Authorization[^"]+"/, "")],
  ])("is refused with %s", async (_what, line) => {
    const { status, head, body } = await curl(line(await gateway()));
    expect(status).toBe(401);
    expect(head).toContain("x-should-retry: false");
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_api_key" } });
  });
});
