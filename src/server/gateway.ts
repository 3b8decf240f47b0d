// A gateway on the server's own port and runtime.

import { createServer, type RequestListener, type Server, type ServerOptions as HttpOptions } from "node:http";
import { readFile } from "node:fs/promises";
import { fault, FaultError } from "../core/fault/fault.ts";
import type { Locale } from "../core/index.ts";
import { lazyPart } from "../host/lazy-part.ts";
import { isOwnHost, type OwnAddresses } from "../host/own-addresses.ts";
import { readField } from "../core/try-read.ts";
import type { Faultline } from "../faultline.ts";
import { followGatewayFile, type GatewayFileNews } from "./gateway-file.ts";
import { parseGateway } from "../gateway/config/parse-gateway.ts";
import { type GatewaySummary, summariseGateway } from "../gateway/gateway-report.ts";
import type { Gateway, GatewayListener } from "../gateway/gateway.ts";
import { isGatewayPath } from "../gateway/request/endpoints.ts";
import { PUNCTUATION } from "../core/punctuation.ts";

/** A server without a gateway starts without the gateway's code and its pool of connections. */
const gatewayPart = lazyPart(() => import("../gateway/gateway.ts"));

/** Listeners for what happens to the gateway of a server. */
export interface GatewayNewsListener extends GatewayListener {
  readonly onNews?: (news: GatewayFileNews) => void;
  /** The language of the diagnostics. Default: English. */
  readonly locale?: Locale;
}

export interface ServedGateway {
  readonly gateway: Gateway;
  /** The settings at the start, for the first lines that the server prints. */
  readonly summary: GatewaySummary;
  /** Rejects if the journal could not be written until this moment. */
  close(until: number): Promise<void>;
}

/** Opens the gateway and reloads its file when it changes. Rejects with all mistakes in the file and their places. */
export async function openGateway(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  faultline: Faultline,
  { onNews, locale = "en", ...listener }: GatewayNewsListener,
): Promise<ServedGateway> {
  const text = await textOf(file);
  if (text === null) throw wrongFile(`there is no file ${file}`);
  const { settings, diagnostics } = parseGateway(text, file, env, locale);
  if (settings === null)
    throw wrongFile(
      diagnostics.map((one) => `${one.line}:${one.column} ${one.message}`).join(PUNCTUATION[locale].semicolon),
    );
  const gateway = await (await gatewayPart()).Gateway.open(faultline, settings, listener);
  const unfollow = followGatewayFile({
    file,
    text,
    env,
    clock: faultline.deps.clock,
    read: textOf,
    locale,
    onNews: async (news) => {
      if (news.state === "loaded") await gateway.use(news.settings);
      onNews?.(news);
    },
  });
  return {
    gateway,
    summary: summariseGateway(settings),
    async close(until) {
      unfollow();
      await gateway.close(until);
    },
  };
}

/** null: there is no such file. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && readField(error, "code") === "ENOENT") return null;
    throw error;
  }
}

function wrongFile(message: string): FaultError {
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "gateway" } }));
}

/**
 * Requests to the paths of model APIs go to the gateway, which checks its own keys; all others to the server's own routes. Those refuse
 * a foreign Host, also for the paths of the gateway.
 */
export function beside(gateway: Gateway, own: () => OwnAddresses): typeof createServer {
  const create = (options: HttpOptions, listener: RequestListener): Server =>
    createServer(options, (request, response) => {
      const [path = ""] = (request.url ?? "").split("?", 1);
      if (isGatewayPath(path) && isOwnHost(() => request.headers.host, own())) gateway.handle(request, response, own());
      else void listener(request, response);
    });
  return create as typeof createServer;
}
