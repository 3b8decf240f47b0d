// A gateway on the server's own port and runtime.

import { createServer, type RequestListener, type Server, type ServerOptions as HttpOptions } from "node:http";
import { FaultError } from "../core/fault/fault-error.ts";
import { fault } from "../core/fault/fault.ts";
import type { Faultline } from "../faultline.ts";
import { parseGateway } from "../gateway/config/parse-gateway.ts";
import { Gateway } from "../gateway/gateway.ts";
import { isGatewayPath } from "../gateway/request/endpoints.ts";

/** Rejects with all mistakes in the file and their places. */
export async function openGateway(
  source: string,
  env: Readonly<Record<string, string | undefined>>,
  faultline: Faultline,
): Promise<Gateway> {
  const { settings, diagnostics } = parseGateway(source, "gateway", env);
  if (settings !== null) return Gateway.open(faultline, settings);
  const message = diagnostics.map((one) => `${one.line}:${one.column} ${one.message}`).join("; ");
  throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "gateway" } }));
}

/** Requests to the paths of model APIs go to the gateway, which checks its own keys; all others to the server's own routes. */
export function beside(gateway: Gateway): typeof createServer {
  const create = (options: HttpOptions, listener: RequestListener): Server =>
    createServer(options, (request, response) => {
      const [path = ""] = (request.url ?? "").split("?", 1);
      if (isGatewayPath(path)) gateway.handle(request, response);
      else void listener(request, response);
    });
  return create as typeof createServer;
}
