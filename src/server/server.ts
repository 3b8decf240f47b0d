// `faultline serve` as a library: one process, one port, on one journal. It calls the library and decides nothing itself.

import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { basename } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { defined } from "../core/defined.ts";
import { classify } from "../core/classify/classify.ts";
import type { Fault } from "../core/fault/fault.ts";
import { PROBLEM_MEDIA_TYPE } from "../core/fault/problem.ts";
import { systemChance } from "../host/chance.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import { closerOf } from "../host/close-server.ts";
import { listen } from "../host/listen.ts";
import { type OwnAddresses, ownAddresses } from "../host/own-addresses.ts";
import { createWorker } from "../host/worker.ts";
import { warn } from "../journal/warnings.ts";
import { folderBeside, isPostgresAddress, shownPlace } from "../journal/journal-place.ts";
import { openJournal } from "../journal/open-journal.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { oncePerMinute } from "../workflow/driver.ts";
import type { RestateDriver } from "../workflow/restate/restate-driver.ts";
import { createWorkflows, type Workflows } from "../workflow/workflows.ts";
import { createApp } from "./app.ts";
import type { Handlers } from "./handler.ts";
import { createEventHub } from "./events/event-hub.ts";
import { beside, openGateway } from "./gateway.ts";
import { auditHandlers } from "./handlers/audit.ts";
import { lookUpHandlers, overviewHandlers } from "./handlers/overview.ts";
import { basicHandlers, eventHandlers, settingsHandlers } from "./handlers/basics.ts";
import { bulkHandlers } from "./handlers/bulk.ts";
import { failureHandlers } from "./handlers/failures.ts";
import { faultGroupHandlers } from "./handlers/fault-groups.ts";
import { gatewayHandlers } from "./handlers/gateway.ts";
import { policyHandlers } from "./handlers/policies.ts";
import { questionHandlers } from "./handlers/questions.ts";
import { runActHandlers, runFilterHandlers, runHandlers } from "./handlers/runs.ts";
import { sessionHandlers } from "./handlers/sessions.ts";
import { workflowHandlers } from "./handlers/workflows.ts";
import { targetHandlers } from "./handlers/targets.ts";
import { checkedOptions, type ServerOptions } from "./options.ts";
import { createPresence } from "./presence.ts";
import { command, webhook } from "./notify/channels.ts";
import { NOTICE_KINDS } from "./notify/notice.ts";
import { type Notifier, startNotifier } from "./notify/notifier.ts";
import type { ServerParts } from "./parts.ts";
import { refusalBody, type RefusalName } from "./problems.ts";
import { createSignInCodes } from "./sign-in-codes.ts";
import { openTokens } from "./tokens.ts";
import type { Faultline } from "../faultline.ts";
import type { GatewaySummary } from "../gateway/gateway-report.ts";

/** A server that runs. */
export interface RunningServer {
  /** As people type it: the public address where there is one. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** The file with the first operator's token. */
  readonly tokenFile: string;
  /** What its gateway began with; null when it has none. */
  readonly gateway: GatewaySummary | null;
  /** A link that signs its reader in as the first operator: once, within ten minutes. null when that operator's token is gone. */
  signInLink(): string | null;
  /** Takes no more requests, ends event streams, abandons runs as a crash would, and closes the journal. */
  close(): Promise<void>;
}

export const DEFAULT_PORT = 7431;

/** Limits of connections: a slow or silent client is cut off, and many of them cannot use up the process. */
const HTTP_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
} as const;
const MAX_CONNECTIONS = 2_000;

/** Starts a server on a journal. */
export async function startServer(given: ServerOptions): Promise<RunningServer> {
  const options = checkedOptions(given);
  const journal = await openJournal(options.journal, { clock: systemClock });
  const workflows = createWorkflows({
    journal,
    clock: systemClock,
    workflows: options.workflows ?? [],
    ...defined({ env: options.env }),
  });
  try {
    // Waits for the shared state: a target that an operator isolated must stay isolated from the first request on.
    await workflows.faultline.ready();
    const { workflowsFolder, onReload } = options;
    if (workflowsFolder !== undefined)
      await workflows.openFolder(workflowsFolder, onReload === undefined ? {} : { onReload });
    const served = await serve(workflows, options);
    return {
      ...served,
      async close() {
        try {
          await served.close();
        } finally {
          await workflows.close();
        }
      },
    };
  } catch (error) {
    await workflows.close();
    throw error;
  }
}

/** A server on a runtime of this process; its `close` leaves that runtime open. */
export async function serve(workflows: Workflows, options: ServerOptions): Promise<RunningServer> {
  const { host = "127.0.0.1", port = DEFAULT_PORT, version = "0", drive = true } = options;
  const [clock, chance] = [systemClock, systemChance];
  const { journal } = workflows;
  const tokens = await openTokens(folderBeside(options.journal), clock.now());
  const { env = process.env } = options;
  const { gateway: file, onGateway = {} } = options;
  const served = file === undefined ? null : await openGateway(file, env, workflows.faultline, onGateway);
  const hub = createEventHub(journal, clock);
  const metrics = createMetrics(workflows.faultline, version);
  // The routes need the address, which is known once the port is.
  let app: ReturnType<typeof createApp> | null = null;
  let own: OwnAddresses = ownAddresses(host, port, options.publicUrl);
  const server = createAdaptorServer({
    fetch: (request, env) => app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    overrideGlobalObjects: false,
    serverOptions: HTTP_LIMITS,
    ...(served === null ? {} : { createServer: beside(served.gateway, () => own) }),
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  const closeServer = closerOf(server, systemClock, served === null ? null : () => served.gateway.endCalls());
  server.on("clientError", refuseUnreadable);
  const bound = await listen(server, host, port);
  own = ownAddresses(host, bound, options.publicUrl);
  const url = options.publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  const parts: ServerParts = {
    version,
    clock,
    journal,
    journalName: isPostgresAddress(options.journal) ? shownPlace(options.journal) : basename(options.journal),
    faultline: workflows.faultline,
    workflows,
    worker: createWorker(chance),
    tokens,
    signInCodes: createSignInCodes(tokens, clock),
    presence: createPresence(clock),
    notify: options.notify ?? null,
    addresses: { ...own, isSecure: options.behindTlsProxy ?? false },
    url,
    hub,
    metrics,
    gateway: served?.gateway ?? null,
    drives: drive,
  };
  app = createApp(parts, handlersOf(parts), chance);
  const driver = drive ? await driverOf(workflows, options) : null;
  const bulkDriver = drive ? workflows.bulks.driver({ onActed: () => driver?.poke() }) : null;
  const notifier = await notifierOf(options, parts);
  const stopEndingCalls = drive ? endSilentCalls(workflows.faultline, clock) : null;
  await driver?.start();
  bulkDriver?.start();
  return {
    url,
    port: bound,
    tokenFile: tokens.file,
    gateway: served?.summary ?? null,
    signInLink: () => signInLink(parts),
    async close() {
      const closed = closeServer();
      hub.close();
      stopEndingCalls?.();
      await notifier?.stop();
      metrics.close();
      await bulkDriver?.stop();
      await driver?.stop();
      const graceEndsAt = await closed;
      await served?.close(graceEndsAt);
    },
  };
}

async function driverOf(
  workflows: Workflows,
  { restate }: ServerOptions,
): Promise<Pick<RestateDriver, "start" | "poke" | "stop">> {
  if (restate === undefined) {
    const driver = workflows.driver();
    return {
      start() {
        driver.start();
        return Promise.resolve();
      },
      poke: () => driver.poke(),
      stop: () => driver.stop(),
    };
  }
  const onWarning = oncePerMinute<Fault>(systemClock, (run, seen) =>
    warn(seen, `handing runs over to Restate ${run}`.trim()),
  );
  return workflows.restateDriver({ ...restate, onWarning });
}

function signInLink({ signInCodes, url }: ServerParts): string | null {
  const code = signInCodes.make();
  // The part after # stays in the browser: no log and no Referer header contains it.
  return code === null ? null : new URL(`/#login=${code}`, url).href;
}

async function notifierOf({ env = process.env }: ServerOptions, parts: ServerParts): Promise<Notifier | null> {
  const { notify } = parts;
  if (notify === null) return null;
  const { about = NOTICE_KINDS, webhook: posted, command: run = [] } = notify;
  const channels = [
    ...(posted === undefined ? [] : [webhook(posted)]),
    ...(run.length === 0 ? [] : [command(run, env)]),
  ];
  return startNotifier({ ...parts, channels, kinds: about });
}

function handlersOf(parts: ServerParts): Handlers {
  return {
    ...basicHandlers(parts),
    ...settingsHandlers(parts),
    ...failureHandlers(parts),
    ...faultGroupHandlers(parts),
    ...bulkHandlers(parts),
    ...targetHandlers(parts),
    ...gatewayHandlers(parts),
    ...policyHandlers(parts),
    ...overviewHandlers(parts),
    ...runHandlers(parts),
    ...runFilterHandlers(parts),
    ...runActHandlers(parts),
    ...questionHandlers(parts),
    ...sessionHandlers(parts),
    ...workflowHandlers(parts),
    ...eventHandlers(parts),
    ...auditHandlers(parts),
    ...lookUpHandlers(parts),
  };
}

/** Answers input that Node could not read as a request (not HTTP, too large, too slow) with problem details, and closes the connection. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const refusal = UNREADABLE[error.code ?? ""] ?? "bad-request";
  const problem = refusalBody(refusal, "en", systemChance.newId("req"));
  const { status } = problem;
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    "Content-Language: en",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const UNREADABLE: Readonly<Record<string, RefusalName>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "too-slow",
};

// A program that reports calls and then dies leaves its calls open. The server cancels them after a day, so that they do not pile up.

const LOOK_EVERY_MS = 3_600_000;
const SILENT_MS = 24 * 3_600_000;

/** Checks every hour. Returns a function that stops it. */
function endSilentCalls(faultline: Faultline, clock: Clock): () => void {
  let isStopped = false;
  let disarm = clock.after(LOOK_EVERY_MS, look);

  function look(): void {
    void faultline
      .endSilentReports(SILENT_MS)
      .catch((error: unknown) =>
        warn(classify({ surface: "store", error }), "cancelling open calls whose executor has been silent for a day"),
      )
      .finally(() => {
        if (!isStopped) disarm = clock.after(LOOK_EVERY_MS, look);
      });
  }

  return () => {
    isStopped = true;
    disarm();
  };
}
