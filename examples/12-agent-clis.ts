// Agent CLIs as one agent. Small programs play the CLIs here, so you need not install any.
// With real CLIs: `fl.agent([cli("claude"), cli("codex")])`.

import { ChannelBridge, cli, createFaultline, noticeOf } from "faultline";

const fl = createFaultline();
fl.subscribe((entry) => {
  const notice = noticeOf(entry);
  if (notice?.kind === "switch") console.log(`${notice.from} → ${notice.to}: ${notice.why}`);
  // first → second: Overloaded
});

const playing = (id: string, program: string) =>
  cli("generic", {
    id,
    command: process.execPath,
    args: ({ prompt }) => ["-e", program, prompt ?? ""],
    idempotent: true,
  });
const first = playing("first", `console.error("API Error: 529 Overloaded"); process.exitCode = 1;`);
const second = playing("second", `console.log("You said: " + process.argv[1]);`);

const outcome = await fl.agent([first, second]).run("good morning");
console.log(outcome.status, outcome.status === "done" ? outcome.value.text : outcome);
// done You said: good morning

// The fault of a missing CLI says how to install it.
const missing = await fl.agent([cli("codex", { command: "codex-that-is-not-installed" })]).run("hello");
if (missing.status === "failed") console.log(missing.fault.code, missing.fault.context["next"]);
// BinaryMissing npm install -g @openai/codex

// A channel keeps one session per chat, and its result always says how the run ended.
const bridge = new ChannelBridge(fl.agent([playing("hanging", `setInterval(() => {}, 1000);`)]));
const leaving = AbortSignal.timeout(300);
const { errorSubtype, aborted } = await bridge.handle("chat-7", "hello", { signal: leaving });
console.log(errorSubtype, aborted);
// aborted true

await fl.close();
