// A gateway on a port of its own.

import { createServer, type IncomingMessage } from "node:http";
import { fault, FaultError } from "../core/fault/fault.ts";
import type { Faultline } from "../faultline.ts";
import { closerOf } from "../host/close-server.ts";
import { listen } from "../host/listen.ts";
import { isLoopback, ownAddresses } from "../host/own-addresses.ts";
import type { GatewaySettings } from "./config/settings.ts";
import { Gateway, type GatewayListener } from "./gateway.ts";

export interface StartedGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more requests, ends those that are not finished after a moment with an error, and closes its connections. Rejects if the journal
   * could not be written meanwhile.
   */
  close(): Promise<void>;
}

export interface GatewayPlace {
  readonly port: number;
  readonly host: string;
}

/** A client may think for long before it sends, and a model before it answers. */
const HTTP_LIMITS = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 65_000,
};

const JSON_TYPE = { "content-type": "application/json" };
const HEALTH_PATH = "/v1/health";
const HEALTHY = JSON.stringify({ status: "ok" });

/** Needs no key: it tells nothing but that the gateway listens. Within `faultline serve`, the server answers this path. */
function isHealthCheck({ method, url }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && url === HEALTH_PATH;
}

export async function startGateway(
  faultline: Faultline,
  settings: GatewaySettings,
  { port, host }: GatewayPlace,
  listener: GatewayListener = {},
): Promise<StartedGateway> {
  if (settings.keys.length === 0 && !isLoopback(host)) {
    const message = `refusing to listen on ${host} without keys: anyone could spend your money. Add keys to the gateway file`;
    throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "keys" } }));
  }
  await faultline.ready();
  const gateway = await Gateway.open(faultline, settings, listener);
  let own = ownAddresses(host, port);
  const server = createServer(HTTP_LIMITS, (request, response) => {
    if (isHealthCheck(request)) return void response.writeHead(200, JSON_TYPE).end(HEALTHY);
    gateway.handle(request, response, own);
  });
  const close = closerOf(server, faultline.deps.clock, () => gateway.endCalls());
  server.on("connection", (socket) => socket.setNoDelay(true));
  const bound = await listen(server, host, port);
  own = ownAddresses(host, bound);
  return {
    gateway,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    async close() {
      await gateway.close(await close());
    },
  };
}
