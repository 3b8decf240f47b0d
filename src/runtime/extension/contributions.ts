// What extensions add to a runtime, put together before its first call: tools, classifier rules, policy rows, interactors.

import type { Rule } from "../../core/classify/rule.ts";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { rowsOfAdapter, withRows } from "../../core/policy/layer.ts";
import type { Contributions } from "../create-engine.ts";
import type { Engine } from "../engine.ts";
import { type Adapter, type ContributionSink, createContributionSink, createHost } from "./extension-host.ts";
import { startExtensions } from "./extension.ts";
import type { Interactors } from "../person/interactors.ts";
import type { ResolvedOptions } from "../options.ts";
import type { RingRecorder } from "../recorder.ts";
import type { AnyTool } from "../tool/tool.ts";

export interface ExtendedRuntime {
  readonly contributions: Contributions;
  stop(): Promise<void>;
}

export async function collectContributions(
  { extensions, clock, redactor }: ResolvedOptions,
  own: Contributions,
  interactors: Interactors,
  ring: RingRecorder,
  suppress: Engine["suppress"],
): Promise<ExtendedRuntime> {
  const sink = createContributionSink(({ fault: seen, reason }) => suppress(seen, reason));
  const makeHost = (name: string): ReturnType<typeof createHost> => createHost(name, sink, clock);
  const tell = (event: { type: "extension-started" | "extension-stopped"; name: string }): void =>
    void ring.record([event], [], clock.now());
  const started = await startExtensions(extensions, makeHost, { clock, redactor, suppress, tell });
  const attached: (() => void)[] = [];
  const stop = async (): Promise<void> => {
    for (const detach of attached) detach();
    await started.stop();
  };
  try {
    for (const { what } of sink.interactors) attached.push(interactors.attach(what));
    return { contributions: merged(own, sink), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function merged(own: Contributions, sink: ContributionSink): Contributions {
  const adapters = sink.adapters.map(({ what }) => what);
  const rows = sink.policyRows.map(({ what }) => what);
  return {
    tools: withContributed(own.tools, sink),
    rules: [...own.rules, ...sink.rules.map(({ what }) => what), ...adapters.flatMap(rulesOfProvider)],
    policy: own.policy,
    extend(policy) {
      const base = own.extend(policy);
      const ofAdapters = adapters.flatMap(({ provider, retry }) =>
        retry === null ? [] : rowsOfAdapter(provider, retry, base),
      );
      return withRows(base, [...rows, ...ofAdapters]);
    },
  };
}

/** A rule about one provider's failures does not apply to another's. */
function rulesOfProvider({ provider, rules }: Adapter): readonly Rule[] {
  return rules.map((rule) => ({ ...rule, when: { provider: [provider], ...rule.when } }));
}

/** Two tools of one name would take turns by accident. */
function withContributed(own: readonly AnyTool[], { tools }: ContributionSink): readonly AnyTool[] {
  const byId = new Map(own.map((tool) => [tool.id, "the program"]));
  for (const { from, what } of tools) {
    const holder = byId.get(what.id);
    if (holder !== undefined) {
      const message = `extension "${from}" brings the tool ${what.id}, which ${holder} has already: rename one of them`;
      throw new FaultError(fault("ShapeInvalid", { message, context: { extension: from, tool: what.id } }));
    }
    byId.set(what.id, `extension "${from}"`);
  }
  return [...own, ...tools.map(({ what }) => what)];
}
