// End to end: a program of its own with the OTLP exporter, and a receiver that reads what a collector would get.

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const PROGRAM = `
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createFaultline, fault, FaultError, tool } from "faultline";

const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: process.argv[1] }) })] });
trace.setGlobalTracerProvider(provider);
const flaky = tool({ id: "flaky", idempotent: true, run: (_input, { attempt }) => {
  if (attempt === 1) throw new FaultError(fault("ToolUnavailable"));
  return "ok";
} });
const fl = createFaultline();
await fl.protect(flaky, 1);
await fl.close();
await provider.shutdown();
`;

interface Exported {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly events: readonly { readonly name: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Received {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly Exported[] }[];
  }[];
}

it("an OTLP receiver gets the spans of a program that retried", async () => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(JSON.parse(body) as Received);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", PROGRAM, url], { cwd });
  const scopes = received.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans));
  expect(scopes.map(({ scope }) => scope.name)).toEqual(["faultline"]);
  const spans = scopes.flatMap((scope) => scope.spans);
  const call = spans.find(({ name }) => name === "execute_tool flaky");
  const attempts = spans.filter(({ name }) => name === "faultline.attempt");
  expect(call?.status.code ?? 0).toBe(0);
  expect(call?.events.map(({ name }) => name)).toEqual(["faultline.retry"]);
  expect(attempts.map(({ parentSpanId }) => parentSpanId)).toEqual([call?.spanId, call?.spanId]);
  const errors = attempts.map(
    ({ attributes }) => attributes.find(({ key }) => key === "error.type")?.value.stringValue,
  );
  expect(errors).toEqual(["ToolUnavailable", undefined]);
});
