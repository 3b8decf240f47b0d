// Which route a client's model name takes. The first match wins: a route of that name, `target/model`, a route whose pattern fits, a target
// that lists the model.
// T1  A key sees only its routes, and only targets in its regions.
// T2  A key with a budget sees only models with a price, unless it may use others.

import type { ClientKey, GatewayRoute, GatewaySettings, GatewayTarget, RouteStep } from "../config/settings.ts";
import { needsPrice } from "../target/target-price.ts";

/** A route as one client's key may use it. */
export interface TakenRoute {
  readonly route: GatewayRoute;
  readonly steps: readonly [RouteStep, ...RouteStep[]];
  /** Equal for the same route with the same steps in the same order. */
  readonly id: string;
  /** Targets with models that this key may not use, because they have no price. */
  readonly unpriced: readonly string[];
}

/** A step's target with the model that it is asked for. `asked`: the model that the client asked for. */
export function idOf({ target, model }: RouteStep, asked: string): string {
  return `${target.name}/${model ?? asked}`;
}

/** The route with these of its steps. */
export function takenRoute(
  route: GatewayRoute,
  steps: TakenRoute["steps"],
  unpriced: TakenRoute["unpriced"] = [],
): TakenRoute {
  const places = steps.map(({ target, model }) => `${target.name}/${model ?? ""}`);
  return { route, steps, id: `${route.name}\n${places.join(",")}`, unpriced };
}

/** Why a key gets no route for a model. */
export type NoRoute = "bad-model" | "no-model" | "unknown-model" | "not-allowed" | "no-region" | "no-price";

/** Whether the price of a model at a target is known. */
export type HasPrice = (target: GatewayTarget, model: string) => boolean;

const MAX_NAME = 500;
/** Characters that no model name has. Without this check, a pattern would match such a name and send it to a target. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const MAX_TAKEN = 1_000;

export class Routing {
  readonly #settings: GatewaySettings;
  readonly #exact: ReadonlyMap<string, GatewayRoute>;
  readonly #patterns: readonly (readonly [RegExp, GatewayRoute])[];

  readonly #hasPrice: HasPrice;
  readonly #taken = new Map<string, TakenRoute | NoRoute>();
  /** What was taken last, because clients ask for the same model again and again. */
  #newest: { readonly model: string; readonly key: ClientKey | null; readonly taken: TakenRoute } | null = null;

  constructor(settings: GatewaySettings, hasPrice: HasPrice) {
    this.#settings = settings;
    this.#hasPrice = hasPrice;
    this.#exact = new Map(settings.routes.map((route) => [route.name, route]));
    this.#patterns = settings.routes
      .filter(({ name }) => name.includes("*"))
      .map((route) => [patternOf(route.name), route]);
  }

  /** Model names come from clients, so not all are remembered. */
  take(model: string, key: ClientKey | null): TakenRoute | NoRoute {
    const newest = this.#newest;
    if (newest?.model === model && newest.key === key) return newest.taken;
    const taken = this.#known(model, key);
    if (typeof taken !== "string") this.#newest = { model, key, taken };
    return taken;
  }

  #known(model: string, key: ClientKey | null): TakenRoute | NoRoute {
    const id = `${key?.name ?? ""}\n${model}`;
    const known = this.#taken.get(id);
    if (known !== undefined) return known;
    const taken = this.#find(model, key);
    if (this.#taken.size >= MAX_TAKEN) this.#taken.clear();
    if (taken !== "bad-model") this.#taken.set(id, taken);
    return taken;
  }

  #find(model: string, key: ClientKey | null): TakenRoute | NoRoute {
    if (model.length > MAX_NAME || UNREADABLE.test(model) || !model.isWellFormed()) return "bad-model";
    const route = this.#routeOf(model);
    if (route === null) return model === "" ? "no-model" : "unknown-model";
    // A pattern may take a request that names no model, if each target of its chain has one of its own.
    if (model === "" && route.steps.some((step) => step.model === null)) return "no-model";
    return this.#usable(route, model, key);
  }

  /** `model` is null for a route with a pattern: then a step without a model of its own counts as priced. */
  #usable(route: GatewayRoute, model: string | null, key: ClientKey | null): TakenRoute | NoRoute {
    if (key?.routes?.has(route.name) === false) return "not-allowed";
    const inRegion = route.steps.filter(({ target }) => isInRegion(target.region, key));
    if (inRegion.length === 0) return "no-region";
    const isPriced = ({ target, model: own }: RouteStep): boolean => {
      const asked = own ?? model;
      return asked === null || this.#hasPrice(target, asked);
    };
    const unpriced = needsPrice(key) ? inRegion.filter((step) => !isPriced(step)) : [];
    const [first, ...rest] = inRegion.filter((step) => !unpriced.includes(step));
    if (first === undefined) return "no-price";
    const names = unpriced.map((step) => `${step.target.name}/${step.model ?? model ?? ""}`);
    return takenRoute(route, [first, ...rest], names);
  }

  /** The models that this key may ask for. Routes with a pattern also accept names that are not listed here. */
  models(key: ClientKey | null): readonly string[] {
    const { targets, routes } = this.#settings;
    const inChains = routes.flatMap(({ steps }) => steps.flatMap(({ model }) => model ?? []));
    const own = [...targets.values()].flatMap(({ models }) => models);
    const known = [...routes.map(({ name }) => name).filter((name) => !name.includes("*")), ...own, ...inChains];
    return [...new Set(known)].filter((name) => typeof this.take(name, key) !== "string");
  }

  /** The routes that this key may use, patterns included, and the models of targets, as messages name them. */
  names(key: ClientKey | null): readonly string[] {
    const { targets, routes } = this.#settings;
    const isPattern = ({ name }: GatewayRoute): boolean => name.includes("*");
    const usable = routes.filter(
      (route) => typeof this.#usable(route, isPattern(route) ? null : route.name, key) !== "string",
    );
    const own = [...targets.values()].flatMap(({ models }) => models);
    const offered = own.filter((model) => typeof this.take(model, key) !== "string");
    return [...new Set([...usable.map(({ name }) => name), ...offered])];
  }

  #routeOf(model: string): GatewayRoute | null {
    const exact = this.#exact.get(model);
    if (exact !== undefined) return exact;
    const pinned = this.#pinned(model);
    if (pinned !== null) return pinned;
    return this.#patterns.find(([pattern]) => pattern.test(model))?.[1] ?? this.#offered(model);
  }

  /** `target/model`: only that target, without a fallback. */
  #pinned(model: string): GatewayRoute | null {
    const slash = model.indexOf("/");
    const target = slash === -1 ? undefined : this.#settings.targets.get(model.slice(0, slash));
    const own = model.slice(slash + 1);
    if (target === undefined || own === "") return null;
    return {
      name: model,
      steps: [{ target, model: own }],
      midStream: "fail",
      affinity: false,
      leastPerSecond: 0,
      hedge: null,
    };
  }

  #offered(model: string): GatewayRoute | null {
    const steps = [...this.#settings.targets.values()]
      .filter(({ models }) => models.includes(model))
      .map((target): RouteStep => ({ target, model }));
    const [first, ...rest] = steps;
    return first === undefined
      ? null
      : { name: model, steps: [first, ...rest], midStream: "fail", affinity: true, leastPerSecond: 0, hedge: null };
  }
}

export function isInRegion(region: string | null, key: ClientKey | null): boolean {
  const regions = key?.regions ?? null;
  return regions === null || (region !== null && regions.has(region));
}

/** The regular expression for a route name with `*`. */
export function patternOf(name: string): RegExp {
  const parts = name.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
