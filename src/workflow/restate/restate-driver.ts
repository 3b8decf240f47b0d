// Runs driven by Restate: it decides which worker advances a run and when, and takes over from workers that die. The journal stays
// the truth. A process either only hands runs over (a server, a program that starts runs), or is a worker and advances them, too.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import { Slots } from "../../host/slots.ts";
import type { Worker } from "../../host/worker.ts";
import type { Journal } from "../../journal/journal.ts";
import {
  callable,
  checkOptions,
  group,
  listOf,
  number,
  required,
  shape,
  text,
  whole,
} from "../../options/check-options.ts";
import { RunHolds } from "../advance/held-run.ts";
import { type Driver, type DriverOptions, listening, TROUBLE_MS } from "../driver.ts";
import { isUnderWay } from "../advance/summary.ts";
import type { RunEnd } from "../runs-api.ts";
import { readRestateAddress } from "./restate-address.ts";
import { RestateClient } from "./restate-client.ts";
import { openRestateEndpoint, type RestateEndpoint } from "./restate-endpoint.ts";
import { Sweep } from "./sweep.ts";

/** Where a worker answers to Restate. */
export interface RestateWorkerOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 9080. 0 takes a free one. */
  readonly port?: number;
  /** The address under which Restate reaches this worker. Workers of one version share one, behind a load balancer. Default: host and port. */
  readonly advertise?: string;
  /** Restate's public keys (`publickeyv1_…`); requests that it did not sign are refused. */
  readonly identityKeys?: readonly string[];
}

/** Options of `workflows.restateDriver`. */
export interface RestateDriverOptions extends DriverOptions {
  /** `restate://host:8080`; several nodes: `restate://a:8080,b:8080?admin=a:9070,b:9070`. */
  readonly url: string;
  /** Sent to Restate as a bearer token. */
  readonly token?: string;
  /** Makes this process a worker. Without it, it only hands runs over. */
  readonly worker?: RestateWorkerOptions;
}

/** A driver on Restate. `start` resolves when Restate knows the worker. */
export interface RestateDriver extends Omit<Driver, "start"> {
  start(): Promise<void>;
  /** The port on which the worker answers to Restate; null when this process only hands runs over. */
  readonly port: number | null;
}

export const RESTATE_DRIVER_OPTIONS = shape<RestateDriverOptions>({
  url: required(text),
  token: text,
  worker: group(
    shape<RestateWorkerOptions>({
      host: text,
      port: whole(0, 65_535),
      advertise: text,
      identityKeys: listOf(text),
    }),
  ),
  maxRuns: whole(1),
  lookEveryMs: number(1),
  onAdvanced: callable,
  onWarning: callable,
});

export interface RestateDriverDeps {
  readonly runs: {
    advance(run: string): Promise<RunEnd>;
    held(): Promise<ReadonlySet<string>>;
    onDue(listener: (run: string) => void): () => void;
    drain(): Promise<void>;
    stop(): Promise<void>;
  };
  readonly journal: Journal;
  readonly clock: Clock;
  readonly worker: Worker;
}

/** Runs that are handed over at the same time. */
const MAX_HANDING = 32;
const LOOPBACK = "127.0.0.1";
const DEFAULT_PORT = 9_080;
/** How often a driver looks for runs that Restate has forgotten. */
const LOOK_EVERY_MS = 1_000;
/** A worker asks so much more rarely whether Restate still knows it. */
const ASK_EVERY_LOOKS = 10;
/** How often in a row Restate must find no worker where it sends runs before another worker takes them. A restart is quicker. */
const ASKS_UNTIL_GONE = 3;

export function createRestateDriver(deps: RestateDriverDeps, given: RestateDriverOptions): RestateDriver {
  return new DriverOnRestate(deps, checkOptions("restateDriver", given, RESTATE_DRIVER_OPTIONS));
}

class DriverOnRestate implements RestateDriver {
  readonly #deps: RestateDriverDeps;
  readonly #options: RestateDriverOptions;
  readonly #client: RestateClient;
  readonly #sweep: Sweep;
  readonly #advancing: Slots;
  readonly #handing = new Slots(MAX_HANDING);
  /** Restate may call for a run again while it is being advanced. */
  readonly #active = new Map<string, Promise<number | null>>();
  readonly #onAdvanced: (end: RunEnd) => unknown;
  readonly #onWarning: (run: string, fault: Fault) => unknown;
  #endpoint: RestateEndpoint | null = null;
  /** In steady time; null until Restate knows this worker. */
  #registeredAt: number | null = null;
  readonly #maxRuns: number;
  #missed = 0;
  #isRunning = false;
  #looking: Promise<void> = Promise.resolve();
  #disarm: () => void = () => undefined;
  #forget: () => void = () => undefined;

  constructor(deps: RestateDriverDeps, options: RestateDriverOptions) {
    const { url, token, maxRuns = 16 } = options;
    const { runs, journal, clock } = deps;
    this.#deps = deps;
    this.#options = options;
    this.#client = new RestateClient(readRestateAddress(url), clock, token ?? null);
    this.#maxRuns = maxRuns;
    this.#advancing = new Slots(maxRuns);
    const holds = new RunHolds(deps);
    this.#sweep = new Sweep({ journal, clock, holds, held: () => runs.held(), hand: (run) => this.#hand(run) });
    this.#onAdvanced = listening("onAdvanced", options.onAdvanced);
    this.#onWarning = listening("onWarning", options.onWarning);
  }

  get port(): number | null {
    return this.#endpoint?.port ?? null;
  }

  async start(): Promise<void> {
    const { worker } = this.#options;
    // Restate may know the address already, and calls as soon as this process listens.
    this.#isRunning = true;
    if (worker !== undefined) await this.#open(worker);
    this.#forget = this.#deps.runs.onDue((run) => void this.#handOver(run));
    this.poke();
  }

  /** Looks for runs that nothing advances, at once. */
  poke(): void {
    if (!this.#isRunning) return;
    this.#disarm();
    this.#looking = this.#looking.then(() => this.#look());
  }

  async drain(): Promise<void> {
    // The runs must know at once: while this process leaves, a node may end, and the next one would begin.
    await Promise.all([this.#leave(), this.#deps.runs.drain()]);
    await Promise.allSettled(this.#active.values());
  }

  async stop(): Promise<void> {
    await this.#leave();
    await this.#deps.runs.stop();
    await Promise.allSettled(this.#active.values());
    await this.#endpoint?.close();
    this.#endpoint = null;
  }

  async #open({ host = LOOPBACK, port = DEFAULT_PORT, identityKeys = [] }: RestateWorkerOptions): Promise<void> {
    const { clock } = this.#deps;
    const maxStreams = Math.max(1, Math.ceil(this.#maxRuns / 4));
    const endpoint = await openRestateEndpoint(
      { clock, service: this.#service, advance: (run) => this.#advance(run) },
      { host, port, maxStreams, identityKeys },
    );
    this.#endpoint = endpoint;
    try {
      await this.#register(endpoint);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  get #lookEveryMs(): number {
    return this.#options.lookEveryMs ?? LOOK_EVERY_MS;
  }

  #addressOf({ port }: RestateEndpoint): string {
    const { host = LOOPBACK, advertise } = this.#options.worker ?? {};
    return advertise ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  async #register(endpoint: RestateEndpoint): Promise<void> {
    const address = this.#addressOf(endpoint);
    const isTakenBack = (await this.#client.register(address, this.#service)) && this.#registeredAt !== null;
    this.#registeredAt = steadyNow(this.#deps.clock);
    if (isTakenBack) this.#onWarning("", sharedAddress(address));
  }

  /** Journals that share a Restate cluster do not see each other's runs. */
  get #service(): string {
    return `faultline-${this.#deps.journal.storeId.replaceAll(/[^\w-]/g, "_")}`;
  }

  async #look(): Promise<void> {
    if (!this.#isRunning) return;
    try {
      await this.#stayRegistered();
      await this.#sweep.look();
    } catch (error) {
      this.#onWarning("", classify({ surface: "node", error, observedAt: this.#deps.clock.now() }));
    }
    if (this.#isStopped()) return;
    this.#disarm();
    this.#disarm = this.#deps.clock.after(this.#lookEveryMs, () => this.poke());
  }

  /** A Restate that lost its data does not know its workers either. One that sends runs to workers that are gone gets this one instead. */
  async #stayRegistered(): Promise<void> {
    const now = steadyNow(this.#deps.clock);
    if (this.#endpoint === null || now - (this.#registeredAt ?? 0) < ASK_EVERY_LOOKS * this.#lookEveryMs) return;
    const used = await this.#client.addressOf(this.#service);
    if (used === null) await this.#register(this.#endpoint);
    else if (await this.#areGone(used, this.#addressOf(this.#endpoint))) await this.#takeOver(used, this.#endpoint);
    this.#registeredAt = now;
  }

  /** Whether the workers that get the runs, at another address than this one, have not answered for a while. */
  async #areGone(used: string, own: string): Promise<boolean> {
    const isFine = new URL(used).href === new URL(own).href || (await this.#client.reaches(used, this.#service));
    this.#missed = isFine ? 0 : this.#missed + 1;
    return this.#missed >= ASKS_UNTIL_GONE;
  }

  async #takeOver(used: string, endpoint: RestateEndpoint): Promise<void> {
    const own = this.#addressOf(endpoint);
    await this.#client.takeOver(own);
    this.#missed = 0;
    this.#onWarning("", takenOver(used, own));
  }

  /** A run that cannot be handed over now is found by the sweep. */
  async #handOver(run: string): Promise<void> {
    if (run === "") return;
    try {
      await this.#hand(run);
    } catch (error) {
      this.#onWarning(run, classify({ surface: "node", error, observedAt: this.#deps.clock.now() }));
    }
  }

  #hand(run: string): Promise<boolean> {
    return this.#handing.run(async () => {
      if (await this.#client.hand(this.#service, run)) return true;
      if (this.#endpoint === null) return false;
      await this.#register(this.#endpoint);
      return this.#client.hand(this.#service, run);
    });
  }

  #advance(run: string): Promise<number | null> {
    const known = this.#active.get(run);
    if (known !== undefined) return known;
    const advancing = this.#slice(run).finally(() => this.#active.delete(run));
    this.#active.set(run, advancing);
    return advancing;
  }

  async #slice(run: string): Promise<number | null> {
    const { runs, clock } = this.#deps;
    try {
      // A timer that is no longer wanted needs no slot.
      const wake = await this.#wakeOf(run);
      if (wake === null || wake > clock.now()) return wake;
      return await this.#advancing.run(async () => {
        const due = await this.#wakeOf(run);
        // It may have waited for its slot for long; a process that stops leaves it to another one.
        if (due === null || due > clock.now() || !this.#isRunning) return due;
        this.#onAdvanced(await runs.advance(run));
        return this.#wakeOf(run);
      });
    } catch (error) {
      this.#onWarning(run, classify({ surface: "node", error, observedAt: this.#deps.clock.now() }));
      return clock.now() + TROUBLE_MS;
    }
  }

  async #wakeOf(run: string): Promise<number | null> {
    const { journal, clock } = this.#deps;
    const wake = await journal.kept("wake", run);
    if (typeof wake !== "number") return null;
    return wake > clock.now() && (await isUnderWay(journal, run)) ? clock.now() : wake;
  }

  /** Others change it while this waits, so it is read each time. */
  #isStopped(): boolean {
    return !this.#isRunning;
  }

  async #leave(): Promise<void> {
    this.#isRunning = false;
    this.#forget();
    this.#disarm();
    this.#endpoint?.leave();
    await this.#looking;
    await this.#sweep.stop();
  }
}

function takenOver(used: string, own: string): Fault {
  const message = `Restate reached no worker at ${used}, where it sent runs; it sends them to ${own} now`;
  return fault("NetworkDisconnect", { message, context: { provider: "restate" } });
}

function sharedAddress(address: string): Fault {
  const message = `a worker of another journal also registers ${address} at Restate; give the workers of each journal their own address (--advertise)`;
  return fault("ConfigSchemaViolation", { message, context: { provider: "restate", field: "advertise" } });
}
