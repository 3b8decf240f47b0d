// The gateway: who may use it and what is left of their budgets, where their calls go, what was spent, and the calls themselves.

import type { ReactNode } from "react";
import { type Answer, useRead } from "../../app/server.tsx";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { Page } from "../../parts/page.tsx";
import { Pending } from "../../parts/states.tsx";
import { TabPages } from "../../parts/tabs.tsx";
import { GatewayCalls } from "./gateway-calls.tsx";
import { GatewayKeys, GatewayRoutes } from "./gateway-keys.tsx";
import { GatewaySpend } from "./gateway-spend.tsx";
import { GATEWAY_WORDS } from "./words.ts";
import "./gateway.css";

export type GatewayView = Answer<"showGateway">;

/** Calls of clients are not events of the journal. */
const EVERY_MS = 5_000;

export function GatewayPage(): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { count } = useFormat();
  const read = useRead("showGateway", {}, { everyMs: EVERY_MS });
  const { data } = read;
  if (data === undefined)
    return (
      <Page title={words.title}>
        <Pending read={read} kind="rows" rows={8} />
      </Page>
    );
  return (
    <Page title={words.title} says={words.says}>
      {data.unwritten === null ? null : (
        <div className="problem inline" role="alert">
          <h3>{words.unwritten}</h3>
          <p>
            {data.unwritten.says} {words.unwrittenNext(count(data.unwritten.lines))}
          </p>
        </div>
      )}
      <TabPages
        label={words.title}
        names={["keys", "spend", "calls"]}
        words={words.tabs}
        className="gateway-tabs"
        pageClassName="gateway-tab"
        page={(name) => {
          if (name === "calls") return <GatewayCalls keys={data.keys.map((key) => key.name)} />;
          if (name === "spend") return <GatewaySpend spend={data.spend} />;
          return (
            <>
              <GatewayKeys keys={data.keys} />
              <GatewayRoutes routes={data.routes} />
            </>
          );
        }}
      />
    </Page>
  );
}
