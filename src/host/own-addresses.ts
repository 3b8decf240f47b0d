// Which requests are meant for this process: they name one of its addresses, and no page of another site sends them. Pure.

/** The addresses under which a server is reached. */
export interface OwnAddresses {
  /** `host:port`, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** `https://host:port`, in lower case. */
  readonly origins: ReadonlySet<string>;
  /** Only this machine reaches it. */
  readonly isLocal: boolean;
}

/** Every address of 127.0.0.0/8 is this machine's own. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|::1)$/;
/** A server on these also listens on loopback, where a container's health check finds it. */
const ALL_ADDRESSES = new Set(["0.0.0.0", "::"]);

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** `publicUrl` is the address of a proxy in front. */
export function ownAddresses(host: string, port: number, publicUrl?: string): OwnAddresses {
  const own = host.includes(":") ? `[${host}]` : host;
  const isOnLoopback = isLoopback(host) || ALL_ADDRESSES.has(host);
  const names = isOnLoopback ? ["127.0.0.1", "localhost", "[::1]", own] : [own];
  const hosts = names.map((name) => `${name}:${port}`);
  const origins = hosts.map((name) => `http://${name}`);
  if (publicUrl !== undefined) {
    const { host: publicHost, origin } = new URL(publicUrl);
    hosts.push(publicHost);
    origins.push(origin);
  }
  return {
    hosts: new Set(hosts),
    origins: new Set(origins),
    isLocal: isLoopback(host) && publicUrl === undefined,
  };
}

type HeaderOf = (name: string) => string | null | undefined;

/** Stops DNS rebinding: a page of another host name that resolves to this machine sends that name in the Host header. */
export function isOwnHost(header: HeaderOf, { hosts }: OwnAddresses): boolean {
  return hosts.has(header("host")?.toLowerCase() ?? "");
}

/** False for requests that a browser sends for a page of another site. Reads count, too: the answers are private. */
export function isOwnOrigin(method: string, header: HeaderOf, { origins }: OwnAddresses): boolean {
  const origin = header("origin")?.toLowerCase() ?? null;
  if (origin !== null && !origins.has(origin)) return false;
  const site = header("sec-fetch-site") ?? null;
  const isForeign = site !== null && site !== "same-origin" && site !== "none";
  // A person may follow a link from another site to the dashboard.
  return !isForeign || (method === "GET" && header("sec-fetch-mode") === "navigate");
}
