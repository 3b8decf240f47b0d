// The keys of clients with their budgets, and the routes with the health of their targets.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { usePreferences } from "../../app/preferences.ts";
import { useWords } from "../../app/words.ts";
import { Section } from "../../parts/page.tsx";
import { Badge } from "../../parts/pill.tsx";
import { Empty } from "../../parts/states.tsx";
import type { GatewayView } from "./gateway-page.tsx";
import { GATEWAY_WORDS } from "./words.ts";

type Key = GatewayView["keys"][number];
type Budget = Key["budgets"][number];
type GatewayRoute = GatewayView["routes"][number];
type Step = GatewayRoute["steps"][number];

export function GatewayKeys({ keys }: { readonly keys: readonly Key[] }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  return (
    <Section title={words.keys}>
      {keys.length === 0 ? (
        <Empty title={words.noKeys}>{words.noKeysNext}</Empty>
      ) : (
        <ul className="gateway-keys">
          {keys.map((key) => (
            <KeyItem key={key.name} of={key} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function KeyItem({ of: { name, routes, regions, otherPaths, budgets } }: { readonly of: Key }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const may = [
    routes === null ? words.allRoutes : words.someRoutes(routes.join(", ")),
    ...(regions === null ? [] : [words.regions(regions.join(", "))]),
    ...(otherPaths ? [words.otherPaths] : []),
  ];
  return (
    <li className="gateway-key">
      <div className="gateway-key-name">
        <h3>{name}</h3>
        <p className="dim">{may.join(" · ")}</p>
      </div>
      {budgets.length === 0 ? (
        <p className="dim">{words.noBudget}</p>
      ) : (
        <ul className="gateway-budgets">
          {budgets.map((budget) => (
            <BudgetItem key={budget.window.id} client={name} budget={budget} />
          ))}
        </ul>
      )}
    </li>
  );
}

const MINUTE = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const TONES = { fine: "green", low: "amber", spent: "red" } as const;

function BudgetItem({ client, budget }: { readonly client: string; readonly budget: Budget }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { moneyPair, percent } = useFormat();
  const { language } = usePreferences();
  // Windows of budgets are those of UTC, wherever the reader is.
  const minute = new Intl.DateTimeFormat(language, { ...MINUTE, timeZone: "UTC" });
  const { window, limitMicrocents, spentMicrocents, state, resetsAt } = budget;
  const share = Math.min(1, spentMicrocents / limitMicrocents);
  return (
    <li className="gateway-budget">
      <span className="gateway-budget-window">{window.label}</span>
      <span className="num">{words.ofLimit(...moneyPair(spentMicrocents, limitMicrocents))}</span>
      <Badge tone={TONES[state.id]}>{state.label}</Badge>
      <div
        className={`gateway-bar gateway-bar-${state.id}`}
        role="meter"
        aria-label={words.budgetOf(client, window.label)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={percent(share)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <span className="dim gateway-budget-end">{words.resets(minute.format(resetsAt))}</span>
    </li>
  );
}

export function GatewayRoutes({ routes }: { readonly routes: readonly GatewayRoute[] }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { duration } = useFormat();
  const hedgeOf = (after: GatewayRoute["hedgeAfter"]): string | null =>
    typeof after === "number" ? words.hedge(duration(after)) : after === null ? null : words.hedgeUsual;
  return (
    <Section title={words.routes}>
      {routes.length === 0 ? (
        <Empty title={words.noRoutes}>{words.noRoutesNext}</Empty>
      ) : (
        <ul className="gateway-routes">
          {routes.map(({ name, midStream, hedgeAfter, steps }) => (
            <li key={name} className="gateway-route">
              <div>
                <h3>{name}</h3>
                <p className="dim">{words.midStream[midStream]}</p>
                {hedgeAfter === null ? null : <p className="dim">{hedgeOf(hedgeAfter)}</p>}
              </div>
              <ol>
                {steps.map((step, index) => (
                  <StepItem key={`${index} ${step.name}`} step={step} />
                ))}
              </ol>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const HEALTH = {
  "in-service": "green",
  "paused": "amber",
  "out-of-service": "red",
  "tried": "blue",
  "isolated": "teal",
  "unused": "grey",
} as const satisfies Readonly<Record<Step["state"]["id"], string>>;

function StepItem({ step: { name, dialects, region, state, says, except } }: { readonly step: Step }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const worse = except.map(({ model, state: { label } }) => `${model === "" ? words.someModel : model} (${label})`);
  return (
    <li className="gateway-step">
      <Badge tone={HEALTH[state.id]}>{state.label}</Badge>
      <Link className="link one-line" to="/targets" search={{ target: name } as never} title={says}>
        {name}
      </Link>
      <span className="dim one-line">{[...dialects, ...(region === null ? [] : [region])].join(" · ")}</span>
      {worse.length === 0 ? null : <span className="gateway-except">{words.except(worse.join(", "))}</span>}
    </li>
  );
}
