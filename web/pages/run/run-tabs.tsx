// Everything about a run behind tabs. The tab and the choice are in the address, so that a view can be shared.

import * as Tabs from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { AttemptsTab } from "./attempts-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FilesTab, RawTab } from "./files-tab.tsx";
import { PolicyTab } from "./policy-tab.tsx";
import { type Run, useTrace, visitInFocus } from "./run-data.ts";
import { Summary } from "./summary.tsx";
import { TraceTab } from "./trace-tab.tsx";
import { RUN_WORDS } from "./words.ts";
import "./run-tabs.css";

const TABS = ["summary", "attempts", "raw", "events", "trace", "policy", "files"] as const;

export function RunTabs({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const search = useSearchParams();
  const tab = TABS.find((one) => one === search.get("tab")) ?? "summary";
  const visit = visitInFocus(run, search.get("visit"));
  const { data: trace } = useTrace(run.run);
  const attempt = trace?.spans.find(({ id }) => id === search.get("attempt")) ?? null;
  return (
    <Tabs.Root
      className="run-tabs"
      value={tab}
      onValueChange={(value) => search.set({ tab: value === "summary" ? null : value })}
    >
      <Tabs.List className="run-tab-list" aria-label={words.tabsLabel}>
        {TABS.map((name) => (
          <Tabs.Trigger key={name} value={name} className="run-tab">
            {words.tabs[name]}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <Tabs.Content className="run-tab-page" value="summary">
        <Summary run={run} visit={visit} attempt={attempt} />
      </Tabs.Content>
      <Tabs.Content className="run-tab-page" value="attempts">
        <AttemptsTab run={run} visit={visit} />
      </Tabs.Content>
      <Tabs.Content className="run-tab-page" value="raw">
        <RawTab run={run} visit={visit} />
      </Tabs.Content>
      <Tabs.Content className="run-tab-page" value="events">
        <EventsTab run={run} />
      </Tabs.Content>
      <Tabs.Content className="run-tab-page" value="trace">
        <TraceTab run={run} visit={visit} />
      </Tabs.Content>
      <Tabs.Content className="run-tab-page" value="policy">
        <PolicyTab run={run} visit={visit} />
      </Tabs.Content>
      <Tabs.Content className="run-tab-page" value="files">
        <FilesTab run={run} />
      </Tabs.Content>
    </Tabs.Root>
  );
}
