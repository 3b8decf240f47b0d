// LangChain.js through the gateway: it changes its base URL, and leaves retries to the gateway. The gateway answers in the client's dialect, whichever target it asked.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { startChaos } from "faultline/testing";

const chaos = await startChaos({ scenario: { rules: [{ when: { model: "gpt-5" }, fault: "unavailable" }] } });
const folder = mkdtempSync(join(tmpdir(), "gateway-"));
writeFileSync(
  join(folder, "gateway.faultline.yaml"),
  `version: 1
targets:
  openai: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" }
  anthropic: { dialect: anthropic-messages, base_url: "${chaos.anthropicUrl}" }
routes:
  team: { chain: [openai/gpt-5, anthropic/claude-sonnet-4-5] }
`,
);
const program = join(import.meta.dirname, "node_modules", "faultline", "dist", "cli", "main.js");
const gateway = spawn(process.execPath, [program, "gateway", "--port", "0", "--json", "--journal", "journal.db"], {
  cwd: folder,
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = (await once(gateway.stdout, "data")) as [Buffer];
const { listening } = JSON.parse(line.toString()) as { listening: { url: string } };

const openai = new ChatOpenAI({
  model: "team",
  apiKey: "none",
  maxRetries: 0,
  configuration: { baseURL: `${listening.url}/v1` },
});
console.log((await openai.invoke("Where is Lisbon?")).text.slice(0, 26));
// You said: Where is Lisbon?

let text = "";
for await (const chunk of await openai.stream("And Porto?")) text += chunk.text;
console.log(text.slice(0, 20));
// You said: And Porto?

const claude = new ChatAnthropic({ model: "team", apiKey: "none", maxRetries: 0, anthropicApiUrl: listening.url });
console.log((await claude.invoke("And Faro?")).text.slice(0, 19));
// You said: And Faro?

console.log(new Set(chaos.received().map(({ model, status }) => `${model} ${status}`)));
// Set(2) { 'gpt-5 503', 'claude-sonnet-4-5 200' }

gateway.kill();
await once(gateway, "exit");
await chaos.close();
rmSync(folder, { recursive: true });
