// Everything about a run behind tabs.

import type { ReactNode } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { TabPages } from "../../parts/tabs.tsx";
import { useTrace } from "../trace/trace-rows.ts";
import { TraceView } from "../trace/trace-view.tsx";
import { AttemptsTab } from "./attempts-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FilesTab, RawTab } from "./files-tab.tsx";
import { PolicyTab } from "./policy-tab.tsx";
import { type Run, visitInFocus, visitKey } from "./run-data.ts";
import { Summary } from "./summary.tsx";
import { RUN_WORDS } from "./words.ts";
import "./run-tabs.css";

const TABS = ["summary", "attempts", "raw", "events", "trace", "policy", "files"] as const;

export function RunTabs({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const search = useSearchParams();
  const visit = visitInFocus(run, search.get("visit"));
  const chosen = run.visits.find((one) => visitKey(one) === search.get("visit")) ?? null;
  const { data: trace } = useTrace(run.run);
  const attempt = trace?.spans.find(({ id }) => id === search.get("attempt")) ?? null;
  const pages: Readonly<Record<(typeof TABS)[number], () => ReactNode>> = {
    summary: () => <Summary run={run} visit={visit} isChosen={chosen !== null} attempt={attempt} />,
    attempts: () => <AttemptsTab run={run} visit={visit} />,
    raw: () => <RawTab run={run} visit={visit} />,
    events: () => <EventsTab run={run} />,
    trace: () => <TraceView session={run.run} />,
    policy: () => <PolicyTab run={run} visit={chosen} />,
    files: () => <FilesTab run={run} />,
  };
  return (
    <TabPages
      className="run-tabs"
      pageClassName="run-tab-page"
      label={words.tabsLabel}
      names={TABS}
      words={words.tabs}
      page={(name) => pages[name]()}
    />
  );
}
