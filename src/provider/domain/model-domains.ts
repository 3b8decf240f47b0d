// The failure domains of an AI SDK model, read from the settings that its provider package stores in it. The interface does not
// guarantee those settings, so anything unreadable comes from the program's options or is assumed.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { FailureDomains } from "../../core/decide/fallback.ts";
import { fieldOf, readField, tryRead } from "../../core/try-read.ts";
import { hostOf } from "../model-facts/provider-of.ts";
import { accountIn, keysIn, OWN_ACCOUNT } from "./account.ts";
import { endpointAt } from "./endpoint.ts";

export interface DomainOptions {
  readonly model: LanguageModelV4;
  readonly endpoint?: string;
  readonly credential?: string;
}

/** The domains of each target of a chain, in its order. */
export function domainsOf(targets: readonly DomainOptions[]): readonly FailureDomains[] {
  const read = targets.map((target) => ({ target, domains: readDomains(target) }));
  return read.map(({ target, domains }, index) => {
    const alike = read.slice(0, index).filter((one) => isSame(one.domains, domains) && mayDiffer(one.target, target));
    // A model listed twice must differ in its address or key, even if that is not visible here.
    return alike.length === 0 ? domains : { ...domains, endpoint: `${domains.endpoint}#${alike.length + 1}` };
  });
}

function readDomains({ model, endpoint, credential }: DomainOptions): FailureDomains {
  const { provider, modelId } = model;
  return {
    endpoint:
      endpoint === undefined
        ? (endpointAt(baseUrlOf(model), provider) ?? hostOf(provider))
        : (endpointAt(endpoint, provider) ?? endpoint),
    account: credential ?? accountOf(model),
    model: modelId,
  };
}

function isSame(one: FailureDomains, other: FailureDomains): boolean {
  return one.endpoint === other.endpoint && one.account === other.account && one.model === other.model;
}

/** Whether two models that look alike may reach different servers: one hides its settings, or each has its own `fetch`. */
function mayDiffer(one: DomainOptions, other: DomainOptions): boolean {
  if (one.model === other.model || one.endpoint !== undefined || other.endpoint !== undefined) return false;
  const isHidden = baseUrlOf(one.model) === "" || accountOf(one.model) === OWN_ACCOUNT;
  return isHidden || settingOf(one.model, "fetch") !== settingOf(other.model, "fetch");
}

function settingOf(model: LanguageModelV4, name: string): unknown {
  const config = readField(model, "config");
  return fieldOf(config, name);
}

/** Packages store a string, a function that returns it, or a function that builds the URL of one request. Empty if none of these. */
function baseUrlOf(model: LanguageModelV4): string {
  const kept = settingOf(model, "baseURL") ?? settingOf(model, "baseUrl");
  const url = settingOf(model, "url");
  const given: unknown =
    typeof kept === "function"
      ? tryRead(() => (kept as () => unknown)(), "")
      : typeof url === "function"
        ? tryRead(() => (url as (about: object) => unknown)({ path: "", modelId: model.modelId }), "")
        : kept;
  return typeof given === "string" ? given : "";
}

/** Keyed by the headers function, which all models of one provider object share. It may fetch a key, so it is called only once. */
const ACCOUNTS = new WeakMap<object, Account>();

interface Account {
  readonly account: string;
  readonly keys: readonly string[];
}

const NO_ACCOUNT: Account = { account: OWN_ACCOUNT, keys: [] };

/** The keys the model authenticates with, as far as they can be read. */
export function keysOf(model: LanguageModelV4): readonly string[] {
  return signatureOf(model).keys;
}

function accountOf(model: LanguageModelV4): string {
  return signatureOf(model).account;
}

function signatureOf(model: LanguageModelV4): Account {
  const headers = settingOf(model, "headers");
  if ((typeof headers !== "function" && typeof headers !== "object") || headers === null) return NO_ACCOUNT;
  const known = ACCOUNTS.get(headers);
  if (known !== undefined) return known;
  const entries = entriesOf(headers);
  const signature = { account: accountIn(entries), keys: keysIn(entries) };
  ACCOUNTS.set(headers, signature);
  return signature;
}

function entriesOf(headers: object): readonly (readonly [string, unknown])[] {
  // Without a key the packages throw here. The call itself will report that.
  const given: unknown = typeof headers === "function" ? tryRead(() => (headers as () => unknown)(), null) : headers;
  if (given instanceof Promise) {
    // The key is fetched asynchronously. If that fails, the call itself will report it.
    void Promise.allSettled([given]);
    return [];
  }
  return typeof given === "object" && given !== null ? tryRead(() => Object.entries(given), []) : [];
}
