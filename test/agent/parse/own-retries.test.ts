// What CLIs tell about their own retries: it explains a timeout, and tells when waiting is in vain.

import { describe, expect, it } from "vitest";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { MAX_NETWORK_WAITS, whyStop } from "../../../src/agent/verdict/stop-early.ts";
import { verdictOn } from "../../../src/agent/verdict/verdict.ts";

const line = (value: unknown): string => JSON.stringify(value);
const waits = line({ type: "error", message: "Reconnecting... waiting for network (Connection failed)" });
const STOPPED = { exitCode: null, signal: "SIGTERM", stderrTail: "", stdoutTail: "", observedAt: 0 } as const;

describe("Codex that waits for the network", () => {
  it("is stopped when it has waited often enough, and that is a lost connection", () => {
    const parser = createParser("codex");
    for (let said = 1; said < MAX_NETWORK_WAITS; said++) parser.stdout(waits);
    expect(whyStop(parser.state)).toBeNull();
    parser.stdout(waits);
    expect(whyStop(parser.state)).toBe("network-wait");
    expect(verdictOn("codex", parser.state, { ...STOPPED, stopped: "network-wait" })).toMatchObject({
      code: "NetworkDisconnect",
      context: { stopped: "network-wait" },
    });
  });

  it("is left waiting when it has used a tool, because its work cannot be repeated", () => {
    const parser = createParser("codex");
    parser.stdout(line({ type: "item.started", item: { id: "item_1", type: "command_execution", command: "make" } }));
    for (let said = 0; said < 2 * MAX_NETWORK_WAITS; said++) parser.stdout(waits);
    expect(whyStop(parser.state)).toBeNull();
  });

  it("restarts its count when the network came back in between", () => {
    const parser = createParser("codex");
    for (let said = 1; said < MAX_NETWORK_WAITS; said++) parser.stdout(waits);
    parser.stdout(line({ type: "error", message: "Reconnecting... 1/5 (stream disconnected before completion)" }));
    parser.stdout(waits);
    expect(whyStop(parser.state)).toBeNull();
  });
});

describe("a retry of Qwen Code", () => {
  it("keeps the cause that was said on stderr when its event says no more than that it retries", () => {
    const parser = createParser("qwen");
    parser.stderr(
      "Retrying in 60s (attempt 1/10): [API Error: 429 You exceeded your current quota, please check your plan.]",
    );
    parser.stdout(line({ type: "system", subtype: "retry", data: { reason: "retry", discardedToolCalls: 0 } }));
    const seen = verdictOn("qwen", parser.state, { ...STOPPED, timedOut: "total" });
    expect(seen?.code).toBe("NetworkTimeout");
    expect(seen?.cause?.code).toBe("QuotaExhausted");
  });
});
