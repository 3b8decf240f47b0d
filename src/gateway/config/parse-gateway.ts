// Parses a gateway file into settings, or reports all its mistakes at once. A file with an error is never loaded.

import type { Document } from "yaml";
import { nearest } from "../../options/nearest.ts";
import { microcentsOf } from "../../core/flow/money.ts";
import type { Diagnostic } from "../../yaml-file/diagnostic.ts";
import { explainIssues, type Grammar } from "../../yaml-file/issues.ts";
import { diagnosticAt, type FilePlace, type Path, rangeOf } from "../../yaml-file/locate.ts";
import { type FileKind, inOrder, readYaml } from "../../yaml-file/read.ts";
import { sha256 } from "../key/sha256.ts";
import { DIALECTS } from "../dialect/dialect.ts";
import { priceTable } from "../../provider/price/price-table.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import { isInRegion } from "../route/routing.ts";
import { needsPrice, targetPrice } from "../target/target-price.ts";
import { type GatewayFile, gatewayFileSchema } from "./gateway-schema.ts";
import type { ClientKey, GatewayRoute, GatewaySettings, GatewayTarget, RouteStep } from "./settings.ts";

/** Settings, or null, and the mistakes that were found. */
export interface ParsedGateway {
  /** null if there is an error. */
  readonly settings: GatewaySettings | null;
  /** Errors and warnings, in file order. */
  readonly diagnostics: readonly Diagnostic[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const KIND: FileKind = { article: "a gateway", name: "a gateway file", syntaxCode: "GW001", documents: "one" };

const GRAMMAR: Grammar = {
  schema: gatewayFileSchema,
  codes: { unknownKey: "GW002", wrongType: "GW003", unknownName: "GW004", outOfRange: "GW005", missing: "GW006" },
  rangeHelp: {},
  manyNamesHelp: "",
};

/** Reads a gateway's settings from YAML and reports every mistake with its place. */
export function parseGateway(text: string, file: string, env: Environment): ParsedGateway {
  const { place, documents, mistakes } = readYaml(text, file, KIND);
  const [read] = documents;
  if (read === undefined) return { settings: null, diagnostics: mistakes };
  const checked = gatewayFileSchema.safeParse(read.value ?? {});
  if (!checked.success) {
    return { settings: null, diagnostics: inOrder(explainIssues(checked.error.issues, read, place, GRAMMAR)) };
  }
  const builder = new Builder(read.document, place, env);
  const settings = builder.build(checked.data);
  const hasError = builder.found.some(({ severity }) => severity === "error");
  return { settings: hasError ? null : settings, diagnostics: inOrder(builder.found) };
}

const MIB = 1_048_576;
const KEEP_ALIVE_MS = 15_000;
const BODY_MB = 32;
const BUILT_IN_PRICES = priceTable();

class Builder {
  readonly found: Diagnostic[] = [];
  readonly #document: Document;
  readonly #place: FilePlace;
  readonly #env: Environment;

  constructor(document: Document, place: FilePlace, env: Environment) {
    this.#document = document;
    this.#place = place;
    this.#env = env;
  }

  build(file: GatewayFile): GatewaySettings {
    const targets = new Map(
      Object.entries(file.targets).map(([name, target]) => [name, this.#target(name, target)] as const),
    );
    const routes = Object.entries(file.routes ?? {}).map(([name, route]) => this.#route(name, route, targets));
    const keys = Object.entries(file.keys ?? {}).map(([name, key]) => this.#key(name, key, routes));
    for (const route of routes) if (route !== null) this.#warnOfPrices(route, keys);
    const other = file.other_paths;
    if (other !== undefined && !targets.has(other)) this.#unknownTarget(["other_paths"], other, targets);
    return {
      targets,
      routes: routes.filter((route) => route !== null),
      keys,
      keepAliveMs: file.keep_alive_ms ?? KEEP_ALIVE_MS,
      maxBodyBytes: (file.max_body_mb ?? BODY_MB) * MIB,
      otherPaths: targets.get(other ?? "") ?? null,
    };
  }

  #target(name: string, target: GatewayFile["targets"][string]): GatewayTarget {
    const dialects = [target.dialect].flat() as [Protocol, ...Protocol[]];
    const { vendor, versionPath } = DIALECTS[dialects[0]];
    const variable = target.api_key_env;
    const key = variable === undefined ? null : (this.#env[variable] ?? "");
    if (key === "") {
      const message = `the environment variable ${variable ?? ""} is not set, so target ${name} has no key`;
      this.#mistake("GW101", message, ["targets", name, "api_key_env"], "not set", "Set it, or name another one.");
    }
    // A key that was read from a file often ends with a line break.
    if (key !== null && /[^\x20-\x7e]/.test(key)) {
      const message = `the environment variable ${variable ?? ""} has a line break or another character that no key has`;
      this.#mistake("GW105", message, ["targets", name, "api_key_env"], "not a key", "Set it without that character.");
    }
    const url = new URL(target.base_url);
    const path = url.pathname === "/" ? versionPath : url.pathname.replace(/\/+$/, "");
    const { headers_ms, first_token_ms, idle_ms, thinking_ms, total_ms } = target.timeouts ?? {};
    return {
      name,
      provider: target.provider ?? vendor,
      dialects,
      baseUrl: `${url.origin}${path}`,
      key,
      models: target.models ?? [],
      region: target.region ?? null,
      maxConcurrent: target.max_concurrent ?? null,
      maxPerMinute: target.requests_per_minute ?? null,
      prices: Object.entries(target.prices ?? {}).map(([model, { input, output, cached_input, cache_write }]) => ({
        ...{ model, input, output },
        ...defined({ cachedInput: cached_input, cacheWrite: cache_write }),
      })),
      timeouts: defined({
        headersMs: headers_ms,
        firstTokenMs: first_token_ms,
        idleMs: idle_ms,
        thinkingMs: thinking_ms,
        totalMs: total_ms,
      }),
    };
  }

  #route(
    name: string,
    { chain, mid_stream, affinity, min_characters_per_second }: NonNullable<GatewayFile["routes"]>[string],
    targets: ReadonlyMap<string, GatewayTarget>,
  ): GatewayRoute | null {
    const steps = chain.flatMap((written, index): readonly RouteStep[] => {
      const slash = written.indexOf("/");
      const target = targets.get(slash === -1 ? written : written.slice(0, slash));
      if (target !== undefined) return [{ target, model: slash === -1 ? null : written.slice(slash + 1) }];
      this.#unknownTarget(["routes", name, "chain", index], written.split("/")[0] ?? written, targets);
      return [];
    });
    const [first, ...rest] = steps;
    if (first === undefined) return null;
    return {
      name,
      steps: [first, ...rest],
      midStream: mid_stream ?? "fail",
      affinity: affinity ?? true,
      leastPerSecond: min_characters_per_second ?? 0,
    };
  }

  #key(
    name: string,
    {
      key_env,
      key_sha256,
      routes,
      regions,
      budget = {},
      unpriced,
      other_paths,
    }: NonNullable<GatewayFile["keys"]>[string],
    known: readonly (GatewayRoute | null)[],
  ): ClientKey {
    const key = key_env === undefined ? undefined : this.#env[key_env];
    if ((key ?? "") === "" && key_sha256 === undefined) {
      const message =
        key_env === undefined ? `key ${name} has no value` : `the environment variable ${key_env} is not set`;
      this.#mistake(
        "GW102",
        message,
        ["keys", name],
        "no key",
        "Give it key_env with a variable that is set, or key_sha256.",
      );
    }
    for (const [index, route] of (routes ?? []).entries()) {
      if (known.some((one) => one?.name === route)) continue;
      const near = nearest(
        route,
        known.flatMap((one) => (one === null ? [] : [one.name])),
      );
      const label = near === null ? "no such route" : `did you mean \`${near}\`?`;
      this.#mistake("GW104", `there is no route \`${route}\``, ["keys", name, "routes", index], label, "");
    }
    const limit = (usd: number | undefined): number | null => (usd === undefined ? null : microcentsOf(usd));
    return {
      name,
      sha256: key_sha256 ?? sha256(key ?? ""),
      routes: routes === undefined ? null : new Set(routes),
      regions: regions === undefined ? null : new Set(regions),
      limits: { hour: limit(budget.per_hour_usd), day: limit(budget.per_day_usd), month: limit(budget.per_month_usd) },
      mayUseUnpriced: unpriced === "allow",
      mayUseOtherPaths: other_paths ?? routes === undefined,
    };
  }

  /** A key with a budget is refused what has no price: better known before the first request. */
  #warnOfPrices({ name, steps }: GatewayRoute, keys: readonly ClientKey[]): void {
    for (const [index, { target, model }] of steps.entries()) {
      const asked = model ?? (name.includes("*") ? null : name);
      if (asked === null || targetPrice(BUILT_IN_PRICES, target, asked) !== null) continue;
      const refused = keys.filter(
        (key) => needsPrice(key) && key.routes?.has(name) !== false && isInRegion(target.region, key),
      );
      if (refused.length === 0) continue;
      const message = `no price is known for \`${target.name}/${asked}\`, so it does not answer keys with a budget (${refused.map((key) => key.name).join(", ")})`;
      const help = `State the price under targets.${target.name}.prices, or set \`unpriced: allow\` for the key.`;
      const at = rangeOf(this.#document, ["routes", name, "chain", index]);
      const found = diagnosticAt(this.#place, "GW106", message, at, "no price", help);
      this.found.push({ ...found, severity: "warning" });
    }
  }

  #unknownTarget(path: Path, written: string, targets: ReadonlyMap<string, GatewayTarget>): void {
    const known = [...targets.keys()];
    const near = nearest(written, known);
    const label = near === null ? "no such target" : `did you mean \`${near}\`?`;
    this.#mistake("GW103", `there is no target \`${written}\``, path, label, `Known here: ${known.join(", ")}.`);
  }

  #mistake(code: string, message: string, path: Path, label: string, help: string): void {
    this.found.push(diagnosticAt(this.#place, code, message, rangeOf(this.#document, path), label, help));
  }
}

function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}
