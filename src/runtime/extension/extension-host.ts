// What an extension is given: the ways to contribute, to fail with a typed fault, and to ignore an error out loud.

import { classify } from "../../core/classify/classify.ts";
import type { Rule } from "../../core/classify/rule.ts";
import { type FaultCode, isFaultCode } from "../../core/fault/catalogue.ts";
import {
  fault,
  type FaultDetail,
  FaultError,
  suppressed,
  type SuppressedFault,
  withContext,
} from "../../core/fault/fault.ts";
import type { PolicyRow, Retry } from "../../core/policy/policy.ts";
import type { Clock } from "../../host/clock.ts";
import type { Interactor } from "../person/interactors.ts";
import type { AnyTool } from "../tool/tool.ts";

/** What an extension says about a provider. */
export interface AdapterOptions {
  /** The provider it is about. */
  readonly provider: string;
  /** What this provider's failures mean: in front of the classifier's own rows. */
  readonly rules?: readonly Rule[];
  /** How its transient faults are tried again. */
  readonly retry?: Retry;
}

/** `raise` and `suppress` work at any time, the rest only during set-up. */
export interface ExtensionHost {
  readonly name: string;
  tool(tool: AnyTool): void;
  rules(rows: readonly Rule[]): void;
  policyRows(rows: readonly PolicyRow[]): void;
  adapter(adapter: AdapterOptions): void;
  interactor(interactor: Interactor): void;
  /** Throws a typed fault that names the extension. */
  raise(code: FaultCode, detail?: FaultDetail): never;
  /** Reports an error that is ignored on purpose, with the reason why it is right to continue. */
  suppress(error: unknown, reason: string): void;
}

export interface Contribution<T> {
  /** The name of the extension it came from. */
  readonly from: string;
  readonly what: T;
}

export interface Adapter {
  readonly provider: string;
  readonly rules: readonly Rule[];
  /** null: as the policy says. */
  readonly retry: Retry | null;
}

/** Everything extensions contributed, in the order in which they did. */
export interface ContributionSink {
  readonly tools: Contribution<AnyTool>[];
  readonly rules: Contribution<Rule>[];
  readonly policyRows: Contribution<PolicyRow>[];
  readonly adapters: Contribution<Adapter>[];
  readonly interactors: Contribution<Interactor>[];
  readonly suppressed: (event: SuppressedFault) => void;
}

export function createContributionSink(onSuppressed: (event: SuppressedFault) => void): ContributionSink {
  return { tools: [], rules: [], policyRows: [], adapters: [], interactors: [], suppressed: onSuppressed };
}

export function createHost(name: string, sink: ContributionSink, clock: Clock): ExtensionHost {
  const from = name;
  const named = { extension: name };

  function raise(code: FaultCode, detail: FaultDetail = {}): never {
    // Code that was not compiled against the catalogue may say anything.
    if (!isFaultCode(code)) {
      const message = `extension "${name}" raised "${String(code)}", which is not a code of the catalogue`;
      throw new FaultError(fault("ShapeInvalid", { message, context: named }));
    }
    throw new FaultError(fault(code, { ...detail, context: { ...detail.context, ...named } }));
  }

  return {
    name,
    tool: (tool) => void sink.tools.push({ from, what: tool }),
    rules: (rows) => void sink.rules.push(...rows.map((what) => ({ from, what }))),
    policyRows: (rows) => void sink.policyRows.push(...rows.map((what) => ({ from, what }))),
    adapter: ({ provider, rules = [], retry = null }) =>
      void sink.adapters.push({ from, what: { provider, rules, retry } }),
    interactor: (interactor) => void sink.interactors.push({ from, what: interactor }),
    raise,
    suppress(error, reason) {
      const now = clock.now();
      const seen = withContext(classify({ surface: "node", error, observedAt: now }), named);
      sink.suppressed(suppressed(seen, reason === "" ? "no reason was given" : reason, now));
    },
  };
}

/** The same host, which takes contributions until it is closed. */
export function untilClosed(host: ExtensionHost): { readonly host: ExtensionHost; close(): void } {
  let isOpen = true;
  const whileOpen =
    <T>(contribute: (what: T) => void) =>
    (what: T): void => {
      if (isOpen) return contribute(what);
      const message = `extension "${host.name}" contributes after its set-up: do it in setup(), before that has ended`;
      throw new FaultError(fault("EngineState", { message, context: { extension: host.name } }));
    };
  return {
    host: {
      name: host.name,
      tool: whileOpen((tool) => host.tool(tool)),
      rules: whileOpen((rows) => host.rules(rows)),
      policyRows: whileOpen((rows) => host.policyRows(rows)),
      adapter: whileOpen((adapter) => host.adapter(adapter)),
      interactor: whileOpen((interactor) => host.interactor(interactor)),
      raise: (code, detail) => host.raise(code, detail),
      suppress: (error, reason) => host.suppress(error, reason),
    },
    close: () => void (isOpen = false),
  };
}
