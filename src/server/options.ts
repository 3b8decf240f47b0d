// The options of a server, checked once at its start.

import { fault, FaultError } from "../core/fault/fault.ts";
import { LOCALES } from "../core/fault/words/words.ts";
import { isLoopback } from "../host/own-addresses.ts";
import {
  callable,
  checkOptions,
  flag,
  group,
  type Kind,
  listOf,
  oneOf,
  required,
  shape,
  text,
  whole,
} from "../options/check-options.ts";
import { environmentKind } from "../runtime/option-shapes.ts";
import type { FolderOptions } from "../workflow/folder/workflow-folder.ts";
import type { RestateDriverOptions } from "../workflow/restate/restate-driver.ts";
import { RUNS_OPTIONS } from "../workflow/runs-options.ts";
import type { Workflow } from "../workflow-model/stage.ts";
import type { GatewayNewsListener } from "./gateway.ts";
import type { NotifyOptions, WebhookOptions } from "./notify/channels.ts";
import { NOTICE_KINDS } from "./notify/notice.ts";

/** Options of `startServer`. */
export interface ServerOptions {
  /** The journal's file, or its address in PostgreSQL; made when it is not there. Tokens are kept beside the file, or in `.faultline`. */
  readonly journal: string;
  /** Default: 7431. 0 takes a free one. */
  readonly port?: number;
  /** Default: 127.0.0.1. Any other address needs `behindTlsProxy` and `publicUrl`. */
  readonly host?: string;
  /** The address under which people reach the server through a proxy. */
  readonly publicUrl?: string;
  /** A proxy in front of the server speaks TLS. */
  readonly behindTlsProxy?: boolean;
  /** Advances the runs of the journal. Default: true. */
  readonly drive?: boolean;
  /** Restate drives the runs: the server hands them over, and workers advance them. */
  readonly restate?: Pick<RestateDriverOptions, "url" | "token">;
  /** Workflows that the server can start and advance. */
  readonly workflows?: readonly Workflow[];
  /** A folder with workflows, tool manifests and a policy. Changed files are reloaded. */
  readonly workflowsFolder?: string;
  /** Called when files of that folder were loaded, at the start and after each change. */
  readonly onReload?: NonNullable<FolderOptions["onReload"]>;
  /** A gateway file: the server also runs a gateway, on the same port. A changed file is reloaded. */
  readonly gateway?: string;
  /** Called when the gateway file was changed or removed, and when a client's budget runs low. */
  readonly onGateway?: GatewayNewsListener;
  /** Notifies people who are not looking at the dashboard. */
  readonly notify?: NotifyOptions;
  /** Shaped by health and in the API document. */
  readonly version?: string;
  /** For commands, tools and the keys of providers; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const webAddress: Kind = {
  says: "an address that begins with http:// or https://",
  fits: (value) => typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
};

const SERVER_OPTIONS = shape<ServerOptions>({
  journal: required(text),
  port: whole(0, 65_535),
  host: text,
  publicUrl: text,
  behindTlsProxy: flag,
  drive: flag,
  restate: group(shape<Pick<RestateDriverOptions, "url" | "token">>({ url: required(text), token: text })),
  workflows: RUNS_OPTIONS.workflows,
  workflowsFolder: text,
  onReload: callable,
  gateway: text,
  onGateway: group(
    shape<GatewayNewsListener>({
      onNews: callable,
      onBudgetLow: callable,
      onDecided: callable,
      onBreakerOpened: callable,
      onJournal: callable,
      locale: oneOf(LOCALES),
    }),
  ),
  notify: group(
    shape<NotifyOptions>({
      about: listOf(oneOf(NOTICE_KINDS)),
      webhook: group(shape<WebhookOptions>({ url: required(webAddress), secret: required(text) })),
      command: listOf(text),
    }),
  ),
  version: text,
  env: environmentKind,
});

export function checkedOptions(given: ServerOptions): ServerOptions {
  const options = checkOptions("startServer", given, SERVER_OPTIONS);
  refusePublic(options);
  return options;
}

/** The server listens on loopback, unless its owner declares a proxy with TLS in front of it. */
function refusePublic({ host = "127.0.0.1", behindTlsProxy = false, publicUrl }: ServerOptions): void {
  const wrong = publicUrl === undefined ? null : wrongInPublicUrl(publicUrl, behindTlsProxy);
  if (wrong !== null) {
    const message = `publicUrl ${wrong}; it must be an address such as https://faultline.example.com`;
    throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "publicUrl" } }));
  }
  if (isLoopback(host) || (behindTlsProxy && publicUrl !== undefined)) return;
  const message = `refusing to listen on ${host}: others could read tokens on the way. Put a proxy with TLS in front and say so: --behind-tls-proxy --public-url https://your.host`;
  throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "host" } }));
}

/** null: it is valid. The message does not repeat the URL where it may contain a password, because it goes to a log. */
function wrongInPublicUrl(given: string, behindTlsProxy: boolean): string | null {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) return `is ${JSON.stringify(given)}`;
  // The page and the API live at the root of their host.
  if (url.href !== `${url.origin}/`) return "has more than a host: a user, a path or a query";
  return behindTlsProxy && url.protocol !== "https:" ? `is ${given}, without TLS` : null;
}
