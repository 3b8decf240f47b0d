// Two providers of one type in a workflow file are two endpoints: when one fails, the other is asked, under the operator's names.

import { describe, expect, it, onTestFinished } from "vitest";
import { type Asked, type Failing, startStub } from "../support/endpoint-stub.ts";
import { openWorld } from "./operator/world.ts";

const error = (status: number, message: string, code: string): ReturnType<Failing> => ({
  status,
  body: { error: { message, type: code, param: null, code } },
});

const FAILURES = {
  "500": { does: error(500, "The server had an error", "server_error"), requests: 2 },
  "429": { does: error(429, "Rate limit reached for llama-3 on requests per min", "rate_limit_exceeded"), requests: 2 },
  "refused": { does: null, requests: 0 },
} as const;

describe.each(Object.entries(FAILURES))("%s", (name, { does, requests }) => {
  it("of east is answered by west, and the nodes say whom they can ask", async () => {
    const log: Asked[] = [];
    const failing: Failing = ({ server }) => (server === "east" ? does : null);
    const [east, west] = await Promise.all([startStub("east", log, failing), startStub("west", log, failing)]);
    onTestFinished(async () => void (await Promise.all([east.close(), west.close()])));
    if (name === "refused") await east.close();
    const world = await openWorld({
      yaml: `providers:
  east: { type: openai-compatible, base_url: "${east.url}" }
  west: { type: openai-compatible, base_url: "${west.url}" }
agents:
  coder: { model: east/llama-3, fallback: [west/llama-3] }
nodes:
  code: { type: agent, agent: coder, prompt: Write it., next: shape }
  shape: { type: transform, value: "1" }
`,
    });
    const run = await world.start();
    expect(await world.advance(run)).toMatchObject({ status: "completed" });
    expect(log.map(({ server }) => server)).toEqual([...Array<string>(requests).fill("east"), "west"]);
    const events = (await world.entries(run)).map(({ event }) => event);
    const admitted = events.flatMap((event) => (event.type === "call-admitted" ? [event.tool] : []));
    const asks = events.flatMap((event) => (event.type === "node-started" ? [[event.node, event.targets]] : []));
    expect(asks).toEqual([
      ["code", ["east/llama-3", "west/llama-3"]],
      ["shape", undefined],
    ]);
    expect([...new Set(admitted)]).toEqual(["east/llama-3", "west/llama-3"]);
  });
});
