// Where a Restate cluster is: `restate://host:8080`, as an operator writes it.

import { fault, FaultError } from "../../core/fault/fault.ts";

export interface RestateAddress {
  /** Where runs are handed over, one origin per node, e.g. `http://10.0.0.1:8080`. */
  readonly ingress: readonly string[];
  /** Where workers register, one origin per node. */
  readonly admin: readonly string[];
  /** The value of the `authorization` header; null when the address has no user. */
  readonly authorization: string | null;
}

const INGRESS_PORT = 8_080;
const ADMIN_PORT = 9_070;
const FORM =
  "restate://host:8080, or restate://a:8080,b:8080?admin=a:9070,b:9070 for several nodes; restates:// for TLS";

/** Names none of the address in its message but the part that is wrong: the address may hold a password. */
export function readRestateAddress(given: string): RestateAddress {
  const parts = /^restate(s?):\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/?(?:\?([^#]*))?$/.exec(given);
  if (parts === null) throw wrong("is not an address of Restate");
  const [, tls, user, hosts = "", query = ""] = parts;
  const asked = new URLSearchParams(query);
  const unknown = [...asked.keys()].find((name) => name !== "admin");
  if (unknown !== undefined) throw wrong(`has the unknown parameter ${JSON.stringify(unknown)}`);
  const scheme = tls === "s" ? "https" : "http";
  const ingress = originsOf(scheme, hosts, INGRESS_PORT);
  const admin = asked.get("admin");
  return {
    ingress,
    admin:
      admin === null
        ? ingress.map((origin) => `${scheme}://${new URL(origin).hostname}:${ADMIN_PORT}`)
        : originsOf(scheme, admin, ADMIN_PORT),
    authorization: user === undefined || user === "" ? null : `Basic ${btoa(decodeURIComponent(user))}`,
  };
}

function originsOf(scheme: string, hosts: string, port: number): readonly string[] {
  return hosts.split(",").map((host) => {
    const url = URL.parse(`${scheme}://${host}`);
    if (url?.pathname !== "/" || host === "" || url.username !== "")
      throw wrong(`has the host ${JSON.stringify(host)}, which is not one`);
    // `URL` leaves out a port that is the default of its scheme.
    const named = /:(\d+)$/.exec(host)?.[1];
    return `${scheme}://${url.hostname}:${named ?? port}`;
  });
}

function wrong(what: string): FaultError {
  const message = `the driver's address ${what}; write ${FORM}`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "driver" } }));
}
