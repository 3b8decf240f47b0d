// Requests to Restate: runs that are handed over, and workers that register. A node that does not answer is left for the next one.
// Messages name hosts, never the user or the token of an address.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { fieldOf, parseJson } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import type { RestateAddress } from "./restate-address.ts";

/** A node that takes longer is as good as away. */
const ANSWER_MS = 10_000;
const LONGEST_REASON = 300;

/** The body of Restate's `POST /deployments`. */
interface Deployment {
  readonly uri: string;
  /** Ask the address again, also if it is known. */
  readonly force?: boolean;
  /** Only ask; change nothing. */
  readonly dry_run?: boolean;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The host that gave it. */
  readonly host: string;
}

export class RestateClient {
  readonly #address: RestateAddress;
  readonly #clock: Clock;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #good = new Map<readonly string[], number>();

  constructor(address: RestateAddress, clock: Clock, token: string | null) {
    this.#address = address;
    this.#clock = clock;
    const authorization = token === null ? address.authorization : `Bearer ${token}`;
    this.#headers = {
      "content-type": "application/json",
      ...(authorization === null ? {} : { authorization }),
    };
  }

  /** Restate advances the run from here on. False when no worker has registered yet. */
  async hand(service: string, run: string): Promise<boolean> {
    const path = `/${service}/${encodeURIComponent(run)}/advance/send`;
    const answer = await this.#request(this.#address.ingress, "POST", path, {});
    if (answer.status === 404) return false;
    if (answer.status >= 300) throw new FaultError(refused(`Restate refused to take run ${run}`, answer));
    return true;
  }

  /**
   * Tells Restate where workers of a service answer. Restate asks a new address once what it serves. So a second registration changes nothing, unless the
   * address served another journal before: then it is registered again, and this resolves with true.
   */
  async register(uri: string, service: string): Promise<boolean> {
    if ((await this.#deploy({ uri })).includes(service)) return false;
    const found = await this.#deploy({ uri, force: true, dry_run: true });
    if (!found.includes(service)) throw new FaultError(otherWorker(uri, found));
    await this.#deploy({ uri, force: true });
    return true;
  }

  /** Runs go to the workers at this address from here on, also if Restate knows a newer address. */
  async takeOver(uri: string): Promise<void> {
    await this.#deploy({ uri, force: true });
  }

  /** Where Restate sends runs; null when it has lost what it knew. */
  async addressOf(service: string): Promise<string | null> {
    const known = await this.#request(this.#address.admin, "GET", `/services/${service}`);
    if (known.status === 404) return null;
    const id = String(fieldOf(parseJson(known.text), "deployment_id"));
    const { text } = await this.#request(this.#address.admin, "GET", `/deployments/${encodeURIComponent(id)}`);
    return String(fieldOf(parseJson(text), "uri"));
  }

  /** Whether Restate reaches workers of the service at an address. Restate tries it. */
  async reaches(uri: string, service: string): Promise<boolean> {
    const answer = await this.#request(this.#address.admin, "POST", "/deployments", {
      uri,
      force: true,
      dry_run: true,
    });
    return answer.status < 300 && servicesIn(answer).includes(service);
  }

  /** Resolves with the names of the services at the address, as Restate knows them from here on. */
  async #deploy(deployment: Deployment): Promise<readonly string[]> {
    const answer = await this.#request(this.#address.admin, "POST", "/deployments", deployment);
    if (answer.status >= 300) {
      const next = "check that Restate can reach this address (--advertise)";
      throw new FaultError(refused(`Restate refused the worker at ${deployment.uri}`, answer, next));
    }
    return servicesIn(answer);
  }

  /** The node that answered last is asked first, the others when it does not answer. */
  async #request(origins: readonly string[], method: string, path: string, body?: unknown): Promise<Answer> {
    const first = this.#good.get(origins) ?? 0;
    const failures: Fault[] = [];
    for (let step = 0; step < origins.length; step++) {
      const at = (first + step) % origins.length;
      try {
        const answer = await this.#ask(method, `${origins[at]}${path}`, body);
        this.#good.set(origins, at);
        return answer;
      } catch (error) {
        failures.push(classify({ surface: "http", error }));
      }
    }
    throw new FaultError(unreachable(origins, failures));
  }

  async #ask(method: string, url: string, content: unknown): Promise<Answer> {
    const late = new AbortController();
    const disarm = this.#clock.after(ANSWER_MS, () => late.abort());
    try {
      const { signal } = late;
      const body = content === undefined ? null : JSON.stringify(content);
      const response = await fetch(url, { method, headers: this.#headers, body, signal, redirect: "manual" });
      return { status: response.status, text: await response.text(), host: new URL(url).host };
    } finally {
      disarm();
    }
  }
}

function servicesIn({ text }: Answer): readonly string[] {
  const services = fieldOf(parseJson(text), "services");
  return Array.isArray(services) ? services.map((service) => String(fieldOf(service, "name"))) : [];
}

function otherWorker(uri: string, services: readonly string[]): Fault {
  const message = `Restate reaches another program at ${uri}, which serves ${services.join(", ")}; check the address of this worker (--advertise)`;
  return fault("ConfigSchemaViolation", { message, context: { provider: "restate", field: "advertise" } });
}

function unreachable(origins: readonly string[], failures: readonly Fault[]): Fault {
  const cause = failures.at(-1) ?? fault("NetworkDisconnect");
  const hosts = origins.map((origin) => new URL(origin).host).join(", ");
  const message = `Restate cannot be reached at ${hosts} (${cause.message}); start it, or check the driver's address`;
  return fault("NetworkDisconnect", { message, context: { provider: "restate" }, cause });
}

function refused(what: string, { status, text, host }: Answer, next?: string): Fault {
  const cause = classify({ surface: "http", status, body: text });
  const reason = SHAPE_REDACTOR.text(text).slice(0, LONGEST_REASON);
  const message = `${what} (${host} answered ${status}: ${reason})${next === undefined ? "" : `; ${next}`}`;
  return fault(cause.code, { message, context: { provider: "restate" }, cause });
}
