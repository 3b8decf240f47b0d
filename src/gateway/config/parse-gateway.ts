// Parses a gateway file into settings, or reports all its mistakes at once. A file with an error is never loaded.

import { defined } from "../../core/defined.ts";
import type { Document } from "yaml";
import type * as z from "zod";
import { nearest } from "../../options/nearest.ts";
import { microcentsOf } from "../../core/flow/money.ts";
import type { Locale } from "../../core/index.ts";
import { type JsonObject, objectOf } from "../../core/json-fields.ts";
import type { Diagnostic } from "../../yaml-file/diagnostic.ts";
import { checkForm, type Grammar, INVALID_KEY, isAbout, soundPart } from "../../yaml-file/issues.ts";
import { diagnosticAt, type FilePlace, keyRange, type Path, rangeOf } from "../../yaml-file/locate.ts";
import { type FileKind, inOrder, readYaml } from "../../yaml-file/read.ts";
import { sha256 } from "../key/sha256.ts";
import { DIALECT_NAMES, DIALECTS } from "../dialect/dialect.ts";
import { isKnownProvider, nearestProvider } from "../../provider/price/known-provider.ts";
import { priceTable } from "../../provider/price/price-table.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import { isInRegion, patternOf } from "../route/routing.ts";
import { needsPrice, targetPrice } from "../target/target-price.ts";
import { type GatewayFile, gatewayFileSchema } from "./gateway-schema.ts";
import { type GatewayMistakeFacts, type GatewayMistakeKind, MISTAKES } from "./mistakes.ts";
import type { KeepRule, ClientKey, GatewayRoute, GatewaySettings, GatewayTarget, RouteStep } from "./settings.ts";

/** Settings, or null, and the mistakes that were found. */
export interface ParsedGateway {
  /** null if there is an error. */
  readonly settings: GatewaySettings | null;
  /** Errors and warnings, in file order. */
  readonly diagnostics: readonly Diagnostic[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const KIND: FileKind = {
  article: "a gateway",
  name: "a gateway file",
  syntaxCode: "GW001",
  documents: "one",
  readsOn: true,
};

/** What to write instead, by field. */
const RANGE_HELP: Readonly<Record<Locale, Grammar["rangeHelp"]>> = {
  "en": {
    [INVALID_KEY]: "Choose a name such as `openai-eu`; a slash separates it from a model in a chain.",
    [`${INVALID_KEY} keys`]:
      "Choose a name for the client, such as `ci` or `team-a`; the key itself does not belong here.",
    api_key_env: "Put the key into an environment variable, and write the variable's name here.",
    base_url: "Write the whole address, as its SDK takes it: `base_url: https://api.openai.com/v1`.",
    chain: "Name at least one target: `chain: [openai/gpt-5]`.",
    key_env: "Put the key into an environment variable, and write the variable's name here.",
    key_sha256: 'This prints it: printf %s "$KEY" | sha256sum',
    max_body_mb: "Write whole MiB, 1 to 1024; leave it out for 32.",
    max_concurrent: "Leave it out for no limit.",
    requests_per_minute: "Leave it out for no limit.",
  },
  "zh-CN": {
    [INVALID_KEY]: "请用 `openai-eu` 这样的名称；在链中，斜杠把它与模型分开。",
    [`${INVALID_KEY} keys`]: "请为客户端取一个名称，如 `ci` 或 `team-a`；密钥本身不写在这里。",
    api_key_env: "请把密钥放进环境变量，这里只写变量的名称。",
    base_url: "请写完整的地址，与其 SDK 的写法一样：`base_url: https://api.openai.com/v1`。",
    chain: "请至少写一个目标：`chain: [openai/gpt-5]`。",
    key_env: "请把密钥放进环境变量，这里只写变量的名称。",
    key_sha256: '用这条命令得到：printf %s "$KEY" | sha256sum',
    max_body_mb: "请写整数 MiB，1 到 1024；省略时为 32。",
    max_concurrent: "不限制时请省略。",
    requests_per_minute: "不限制时请省略。",
  },
};

const GRAMMAR: Grammar = {
  schemaFor: () => gatewayFileSchema,
  codes: { unknownKey: "GW002", wrongType: "GW003", unknownName: "GW004", outOfRange: "GW005", missing: "GW006" },
  rangeHelp: RANGE_HELP.en,
  manyNamesHelp: "",
  hidden: ["api_key_env", "key_env"],
  examples: {
    targets: "targets: { openai: { dialect: openai-chat, base_url: https://api.openai.com/v1 } }",
    base_url: "base_url: https://api.openai.com/v1",
    chain: "chain: [openai/gpt-5]",
    routes: "routes: { gpt-*: { chain: [openai] } }",
    hedge: "hedge: { after: p95 }",
    prices: 'prices: { "llama-*": { input: 0.2, output: 0.6 } }',
    timeouts: "timeouts: { first_token_ms: 5000 }",
    keys: "keys: { ci: { key_env: CI_KEY } }",
    budget: "budget: { per_day_usd: 5 }",
    regions: "regions: [eu]",
    keep: "keep: { prompts: true, answers: true }",
  },
};

/** Stand in for values that are missing or wrong, so that the rest of the file is checked in the same pass. */
const PLACEHOLDERS: Readonly<Record<string, unknown>> = {
  version: 1,
  dialect: DIALECT_NAMES[0],
  base_url: "http://localhost",
  input: 0,
  output: 0,
};

/**
 * Reads a gateway's settings from YAML and reports every mistake with its place, those of form and those of meaning together. `locale`: the
 * language of what is said; English by default.
 */
export function parseGateway(text: string, file: string, env: Environment, locale: Locale = "en"): ParsedGateway {
  const { place, documents, mistakes } = readYaml(text, file, { ...KIND, locale });
  const forms = documents.map((read) => checkForm(read, place, { ...GRAMMAR, rangeHelp: RANGE_HELP[locale], locale }));
  const values = forms.map(({ meant }) => objectOf(meant.value) ?? {});
  let settings: GatewaySettings | null = null;
  const found = forms.flatMap(({ meant: { document, value }, issues, diagnostics: ofForm }) => {
    const builder = new Builder({ values, document, place, env, locale, issues });
    const sound = soundPart(value, gatewayFileSchema, PLACEHOLDERS);
    settings = sound === null ? null : builder.build(sound);
    return [...ofForm, ...builder.found];
  });
  const diagnostics = withoutEqual([...mistakes, ...found]);
  const hasError = diagnostics.some(({ severity }) => severity === "error");
  return { settings: hasError ? null : settings, diagnostics: inOrder(diagnostics) };
}

/** A mistake outside of a repeated key is found each time that the file is read. */
function withoutEqual(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map(diagnostics.map((one) => [`${one.line}:${one.column} ${one.code} ${one.message}`, one]));
  return [...seen.values()];
}

const MIB = 1_048_576;
const KEEP_ALIVE_MS = 15_000;
const BODY_MB = 32;
/** The hash of a key without a secret, which is reported as a mistake of its own. */
const NO_SECRET = sha256("");
const BUILT_IN_PRICES = priceTable();

interface WrittenGateway {
  /** The file as it is written, mistakes included; with a repeated key, all that it may mean. */
  readonly values: readonly JsonObject[];
  readonly document: Document;
  readonly place: FilePlace;
  readonly env: Environment;
  readonly locale: Locale;
  /** Its mistakes of form. */
  readonly issues: readonly z.core.$ZodIssue[];
}

class Builder {
  readonly found: Diagnostic[] = [];
  readonly #written: WrittenGateway;
  readonly #env: Environment;
  /** Where each step is written. */
  readonly #stepPaths = new Map<RouteStep, Path>();

  constructor(written: WrittenGateway) {
    this.#written = written;
    this.#env = written.env;
  }

  build(file: GatewayFile): GatewaySettings {
    const targets = new Map(
      Object.entries(file.targets).map(([name, target]) => [name, this.#target(name, target)] as const),
    );
    if (targets.size === 0) this.#mistake("no-targets", ["targets"], {});
    const routes = Object.entries(file.routes ?? {}).map(([name, route]) => this.#route(name, route, targets));
    const keys = Object.entries(file.keys ?? {}).map(([name, key]) => this.#key(name, key));
    this.#checkSecrets(keys);
    const sound = routes.filter((route) => route !== null);
    this.#warnOfShadows(sound);
    for (const route of sound) this.#warnOfPrices(route, keys);
    for (const key of keys) this.#warnOfRegions(key, sound, targets);
    const other = file.other_paths;
    if (other !== undefined) this.#checkName("targets", other, ["other_paths"]);
    return {
      targets,
      routes: sound,
      keys,
      keep: keepOf(file.keep),
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
    const at = ["targets", name, "api_key_env"];
    if (key === "") this.#reportUnset(variable ?? "", at, name);
    // A key that was read from a file often ends with a line break.
    if (key !== null && /[^\x20-\x7e]/.test(key)) this.#mistake("unusable-key", at, { variable: variable ?? "" });
    const url = new URL(target.base_url);
    this.#checkAddress(url, ["targets", name, "base_url"], { target: name, dialects });
    this.#checkPrices(name, target);
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
      continues: target.continues ?? false,
      maxConcurrent: target.max_concurrent ?? null,
      maxPerMinute: target.requests_per_minute ?? null,
      prices: Object.entries(target.prices ?? {}).map(([model, { input, output, cached_input, cache_write }]) => ({
        model,
        input,
        output,
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

  #reportUnset(variable: string, at: Path, target: string): void {
    if (looksLikeKey(variable)) this.#mistake("key-as-variable", at, { field: "api_key_env" });
    else this.#mistake("key-not-set", at, { variable, target, isEmpty: this.#env[variable] === "" });
  }

  /** What would be left out of the address, or stand in it twice. */
  #checkAddress(url: URL, at: Path, { target, dialects }: Pick<GatewayTarget, "dialects"> & { target: string }): void {
    if (url.username !== "" || url.password !== "") this.#mistake("address-with-password", at, { target });
    if (url.search !== "" || url.hash !== "") this.#mistake("address-with-query", at, { target });
    const ending = dialects
      .map((dialect) => OWN_PATHS[dialect].exec(url.pathname)?.[0])
      .find((one) => one !== undefined);
    if (ending !== undefined) this.#mistake("address-with-path", at, { target, ending });
  }

  #checkPrices(name: string, { provider, prices }: GatewayFile["targets"][string]): void {
    for (const model of Object.keys(prices ?? {})) {
      if (model.slice(0, -1).includes("*"))
        this.#mistake("price-pattern", ["targets", name, "prices", model], { model });
    }
    if (provider === undefined || prices !== undefined || isKnownProvider(provider)) return;
    const near = nearestProvider(provider);
    this.#mistake("unknown-provider", ["targets", name, "provider"], { target: name, provider, near });
  }

  /** A route behind a pattern that fits all its names never gets a request. A route without a pattern goes before all of them. */
  #warnOfShadows(routes: readonly GatewayRoute[]): void {
    const patterns = routes.map(({ name }) => name).filter((name) => name.includes("*"));
    patterns.forEach((route, index) => {
      // A character that stands in no name: only a `*` of the earlier pattern fits it.
      const earlier = patterns.slice(0, index).find((one) => patternOf(one).test(route.replaceAll("*", "\uE000")));
      if (earlier !== undefined)
        this.#mistake("hidden-route", ["routes", route], { route, earlier }, [["routes", route]], true);
    });
  }

  #route(
    name: string,
    { chain, mid_stream, affinity, min_characters_per_second, hedge }: NonNullable<GatewayFile["routes"]>[string],
    targets: ReadonlyMap<string, GatewayTarget>,
  ): GatewayRoute | null {
    const steps = chain.flatMap((written, index): readonly RouteStep[] => {
      const slash = written.indexOf("/");
      const target = targets.get(slash === -1 ? written : written.slice(0, slash));
      const path = ["routes", name, "chain", index];
      if (target === undefined) {
        // A name that has a slash in it is the mistake, not its use.
        const isOfBadName = this.#badTargets.some((bad) => written === bad || written.startsWith(`${bad}/`));
        if (!isOfBadName) this.#checkName("targets", written.split("/")[0] ?? written, path);
        return [];
      }
      if (slash === written.length - 1) this.#mistake("no-model", path, { target: target.name });
      const first = chain.indexOf(written);
      if (first < index) this.#mistake("same-step", path, { written });
      const step = { target, model: slash === -1 ? null : written.slice(slash + 1) };
      this.#stepPaths.set(step, path);
      return [step];
    });
    const [first, ...rest] = steps;
    if (first === undefined) return null;
    if (mid_stream === "continue" && !steps.some(({ target }) => target.continues))
      this.#mistake("none-continues", ["routes", name, "mid_stream"], { route: name });
    if (hedge !== undefined && chain.length === 1)
      this.#mistake("lone-hedge", ["routes", name, "hedge"], { route: name });
    return {
      name,
      steps: [first, ...rest],
      midStream: mid_stream ?? "fail",
      affinity: affinity ?? true,
      leastPerSecond: min_characters_per_second ?? 0,
      hedge: hedge ?? null,
    };
  }

  #key(
    name: string,
    {
      key_env,
      key_sha256,
      routes,
      regions,
      budget: written,
      unpriced,
      other_paths,
      keep,
    }: NonNullable<GatewayFile["keys"]>[string],
  ): ClientKey {
    const key = key_env === undefined ? undefined : this.#env[key_env];
    const path = ["keys", name, "key_env"];
    const parts = [path, ["keys", name, "key_sha256"]];
    if (key_env !== undefined && key_sha256 !== undefined) this.#mistake("two-secrets", path, { client: name }, parts);
    else if ((key ?? "") === "" && key_sha256 === undefined) {
      const facts = { client: name, variable: key_env ?? null, isEmpty: key === "" };
      if (looksLikeKey(key_env ?? "")) this.#mistake("key-as-variable", path, { field: "key_env" });
      else this.#mistake("no-client-key", path, facts, parts);
    }
    const budget = written ?? {};
    if (written !== undefined) this.#checkBudget(name, written);
    for (const [index, route] of (routes ?? []).entries()) {
      this.#checkName("routes", route, ["keys", name, "routes", index]);
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
      keep: keepOf(keep),
    };
  }

  #checkBudget(client: string, budget: NonNullable<NonNullable<GatewayFile["keys"]>[string]["budget"]>): void {
    const path = ["keys", client, "budget"];
    const limits = BUDGET_FIELDS.flatMap((field) =>
      budget[field] === undefined ? [] : [{ field, usd: budget[field] }],
    );
    if (limits.length === 0) this.#mistake("empty-budget", path, { client });
    limits.forEach(({ field, usd }, index) => {
      const longer = limits.slice(index + 1).find((one) => one.usd < usd);
      if (longer === undefined) return;
      this.#mistake("budget-above-longer", [...path, field], {
        client,
        field,
        usd,
        longer: longer.field,
        most: longer.usd,
      });
    });
  }

  /** If two keys had one secret, its clients would always get the routes and the budget of the second key. */
  #checkSecrets(keys: readonly ClientKey[]): void {
    const seen = new Map<string, string>();
    for (const { name: client, sha256: hash } of keys) {
      const other = seen.get(hash);
      if (other === undefined) seen.set(hash, client);
      else if (hash !== NO_SECRET) this.#mistake("same-client-key", ["keys", client], { client, other });
    }
  }

  /** Every request of such a key would be refused. */
  #warnOfRegions(key: ClientKey, routes: readonly GatewayRoute[], targets: ReadonlyMap<string, GatewayTarget>): void {
    const reached =
      key.routes === null
        ? [...targets.values()]
        : routes.filter(({ name }) => key.routes?.has(name)).flatMap(({ steps }) => steps.map(({ target }) => target));
    if (key.regions === null || reached.length === 0 || reached.some(({ region }) => isInRegion(region, key))) return;
    const facts = { client: key.name, regions: [...key.regions] };
    this.#mistake("no-target-in-regions", ["keys", key.name, "regions"], facts);
  }

  /** A key with a budget is refused what has no price: better known before the first request. */
  #warnOfPrices({ name, steps }: GatewayRoute, keys: readonly ClientKey[]): void {
    for (const step of steps) {
      const { target, model } = step;
      const asked = model ?? (name.includes("*") ? null : name);
      if (asked === null || targetPrice(BUILT_IN_PRICES, target, asked) !== null) continue;
      const refused = keys.filter(
        (key) => needsPrice(key) && key.routes?.has(name) !== false && isInRegion(target.region, key),
      );
      if (refused.length === 0) continue;
      const facts = { target: target.name, model: asked, clients: refused.map((key) => key.name) };
      this.#mistake("no-price", this.#stepPaths.get(step) ?? ["routes", name], facts);
    }
  }

  /** A target or a route must be in the file. One with mistakes of its own is. */
  #checkName(section: keyof typeof UNKNOWN, written: string, path: Path): void {
    const sections = this.#written.values.map((value) => objectOf(value[section]) ?? {});
    const all = [...new Set(sections.flatMap(Object.keys))];
    const known = all.filter((name) => !this.#isBadName(section, name));
    if (!all.includes(written))
      this.#mistake(UNKNOWN[section], path, { written, near: nearest(written, known), known });
  }

  get #badTargets(): readonly string[] {
    const names = this.#written.values.flatMap((value) => Object.keys(objectOf(value["targets"]) ?? {}));
    return names.filter((name) => this.#isBadName("targets", name));
  }

  #isBadName(section: keyof typeof UNKNOWN, name: string): boolean {
    const { issues } = this.#written;
    return issues.some(({ code, path }) => code === "invalid_key" && path[0] === section && path[1] === name);
  }

  /** Says nothing if the form of one of these parts of the file is wrong: the mistake would only be a consequence. */
  #mistake<Kind extends GatewayMistakeKind>(
    kind: Kind,
    path: Path,
    facts: GatewayMistakeFacts[Kind],
    parts: readonly Path[] = [path],
    isOfName = false,
  ): void {
    const { issues, document, place, locale } = this.#written;
    if (issues.some((issue) => parts.some((part) => isAbout(issue, part)))) return;
    const { code, severity, hides, says } = MISTAKES[kind];
    const { message, label, help } = says[locale](facts);
    const range = isOfName ? keyRange(document, path) : rangeOf(document, path);
    const hidden = hides === true ? { hides } : {};
    this.found.push({ ...diagnosticAt(place, code, message, range, label, help), severity, ...hidden });
  }
}

const KEPT_DAYS = 7;
const BUDGET_FIELDS = ["per_hour_usd", "per_day_usd", "per_month_usd"] as const;

/** What clients add to the address of a target by themselves. */
const OWN_PATHS: Readonly<Record<Protocol, RegExp>> = {
  "openai-chat": /\/chat\/completions\/?$/,
  "openai-responses": /\/responses\/?$/,
  "anthropic-messages": /\/messages\/?$/,
  "google-generate": /\/models(?:\/[^/]*)?\/?$/,
};

/** Variables have short names in capitals; keys begin in a way that their vendor has chosen, or are long and mixed. */
function looksLikeKey(variable: string): boolean {
  if (/^(?:sk|pk|rk|gsk|xai|ghp|glpat|hf|key)[-_]|^AIza/.test(variable)) return true;
  return variable.length >= 24 && /[a-z]/.test(variable) && /[A-Z]/.test(variable) && /\d/.test(variable);
}

function keepOf(keep: GatewayFile["keep"]): KeepRule | null {
  if (keep === undefined) return null;
  return { prompts: keep.prompts ?? false, answers: keep.answers ?? false, forDays: keep.for_days ?? KEPT_DAYS };
}

const UNKNOWN = { targets: "unknown-target", routes: "unknown-route" } as const;
