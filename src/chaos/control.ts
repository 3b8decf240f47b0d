// The control endpoint: lists received requests and faults, and lets another process reset the server or replace its scenario.

import { isFaultError } from "../core/fault/fault.ts";
import { faultTable } from "./faults.ts";
import { fingerprintOf, type RequestLog } from "./received.ts";
import { parseScenario } from "./scenario.ts";
import type { Scenario } from "./scenario-schema.ts";

export const CONTROL_PATH = "/__chaos";

export interface Controlled {
  readonly log: RequestLog;
  readonly seed: () => number;
  readonly scenario: () => Scenario;
  reset(): void;
  load(scenario: Scenario): void;
  script(steps: unknown): void;
}

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Action = (controlled: Controlled, text: string) => ControlAnswer;

const ACTIONS: Readonly<Record<string, Action>> = {
  "GET": ({ log, seed, scenario }) =>
    ok({
      seed: seed(),
      scenario: withoutKeys(scenario()),
      perModel: log.perModel,
      requests: log.requests,
      strays: log.strays,
    }),
  "GET /faults": () => ok(faultTable()),
  "POST /reset": (controlled) => {
    controlled.reset();
    return ok({ reset: true });
  },
  "POST /scenario": (controlled, text) => {
    const { scenario, diagnostics } = parseScenario(text, "scenario");
    if (scenario === null) return { status: 422, body: { error: "The scenario cannot be used.", diagnostics } };
    controlled.load(scenario);
    return ok({ rules: scenario.rules?.length ?? 0 });
  },
  "POST /script": (controlled, text) => {
    try {
      controlled.script(JSON.parse(text));
      return ok({ scripted: true });
    } catch (error) {
      if (!isFaultError(error) && !(error instanceof SyntaxError)) throw error;
      return { status: 422, body: { error: error.message } };
    }
  },
};

export function control(method: string, path: string, text: string, controlled: Controlled): ControlAnswer {
  const rest = path.slice(CONTROL_PATH.length).replace(/\/$/, "");
  const action = ACTIONS[`${method} ${rest}`.trim()];
  if (action !== undefined) return action(controlled, text);
  const known = Object.keys(ACTIONS).map((one) => one.replace(/ ?(\/|$)/, ` ${CONTROL_PATH}$1`));
  return { status: 404, body: { error: `There is: ${known.join(", ")}.` } };
}

function ok(body: unknown): ControlAnswer {
  return { status: 200, body };
}

/** A scenario may name keys; the endpoint shows only their fingerprints. */
function withoutKeys(scenario: Scenario): Scenario {
  const rules = scenario.rules?.map((rule) =>
    rule.when?.key === undefined ? rule : { ...rule, when: { ...rule.when, key: fingerprintIn(rule.when.key) } },
  );
  return rules === undefined ? scenario : { ...scenario, rules };
}

function fingerprintIn(written: string): string {
  return /^key_[0-9a-f]{8}$/.test(written) ? written : fingerprintOf(written);
}
