// All runs, newest first, with the reason in the row and the run itself in a panel beside the list.

import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { serverNow } from "../../app/clock.ts";
import { type LongList, useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useClient, useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceFilter, ClearFilters, TextFilter, ToggleFilter } from "../../parts/filters.tsx";
import { Page } from "../../parts/page.tsx";
import { HeadCells, Rows } from "../../parts/rows.tsx";
import { Empty, Skeleton } from "../../parts/states.tsx";
import { keyOf, queryOf, RUN_FILTERS, SUPERSEDED_SHOWN, WITHIN, type Within } from "./run-filters.ts";
import { type RunLine, RunRow } from "./run-row.tsx";
import { useRowHeight } from "./row-height.ts";
import { RUNS_WORDS } from "./words.ts";
import "./runs.css";

// The list is there before what is only shown after a click.
const SidePanel = lazy(async () => ({ default: (await import("./side-panel.tsx")).SidePanel }));
const StartRun = lazy(async () => ({ default: (await import("./start-run.tsx")).StartRun }));

const PAGE = 100;
const idOf = ({ run }: RunLine): string => run;

export function RunsPage(): ReactNode {
  const words = useWords(RUNS_WORDS);
  const search = useSearchParams();
  const navigate = useNavigate();
  const canAct = useCanAct();
  const [isStarting, setStarting] = useState(false);
  const list = useRuns();
  const chosen = search.get("run");
  const choose = (run: string | null): void => search.set({ run }, { push: chosen === null && run !== null });
  const rowHeight = useRowHeight();
  return (
    <Page
      title={words.title}
      filters={<RunFilters />}
      {...(canAct ? { aside: <Button onClick={() => setStarting(true)}>{words.start}</Button> } : {})}
    >
      <div className="runs" data-panel={chosen === null ? "closed" : "open"}>
        <div className="runs-list">
          <Rows
            list={list}
            label={words.title}
            rowHeight={rowHeight}
            idOf={idOf}
            chosen={chosen}
            onChoose={({ run }) => choose(run)}
            onOpen={({ run }) => void navigate({ to: "/runs/$run", params: { run } })}
            head={<Head />}
            empty={<NoRuns />}
          >
            {(run) => <RunRow run={run} />}
          </Rows>
        </div>
        {chosen === null ? null : (
          <Suspense fallback={<Skeleton kind="text" rows={12} />}>
            <SidePanel run={chosen} rows={list.rows} onChoose={choose} />
          </Suspense>
        )}
      </div>
      {isStarting ? (
        <Suspense>
          <StartRun onClose={() => setStarting(false)} onStarted={choose} />
        </Suspense>
      ) : null}
    </Page>
  );
}

function useRuns(): LongList<RunLine> {
  const client = useClient();
  const { get } = useSearchParams();
  return useLongList<RunLine>({
    key: keyOf(get),
    read: (cursor, signal) =>
      client.listRuns({
        query: { ...queryOf(get, serverNow()), limit: PAGE, ...(cursor === null ? {} : { cursor }) },
        signal,
      }),
    idOf,
  });
}

function Head(): ReactNode {
  const { columns } = useWords(RUNS_WORDS);
  return (
    <>
      <HeadCells
        titles={[
          [columns.state],
          [columns.run],
          [columns.causeAndTarget, "runs-cause"],
          [columns.cost, "runs-cost num"],
          [columns.age, "runs-age num"],
        ]}
      />
      <span role="columnheader" className="runs-do">
        <span className="visually-hidden">{columns.actions}</span>
      </span>
    </>
  );
}

function RunFilters(): ReactNode {
  const words = useWords(RUNS_WORDS);
  const { get } = useSearchParams();
  const { data } = useRead("showRunFilters", {});
  const cause = get("cause");
  const codes = data?.codes.filter((code) => cause === null || code.cause === cause) ?? [];
  const within = (Object.keys(WITHIN) as Within[]).map((id) => ({ id, label: words.within[id] }));
  const states = [{ id: "open", label: words.open }, ...(data?.states ?? [])];
  return (
    <>
      <ChoiceFilter name="state" label={words.columns.state} choices={states} />
      <ChoiceFilter name="cause" label={words.columns.cause} choices={data?.causes ?? []} />
      <ChoiceFilter name="workflow" label={words.workflow} choices={data?.workflows ?? []} />
      <ChoiceFilter name="target" label={words.columns.target} choices={data?.targets ?? []} />
      <ChoiceFilter name="code" label={words.code} choices={codes} />
      <ChoiceFilter name="within" label={words.time} choices={within} />
      <ToggleFilter name="superseded" label={words.hideSuperseded} off={SUPERSEDED_SHOWN} />
      <TextFilter name="q" label={words.contains} />
      <ClearFilters names={RUN_FILTERS} />
    </>
  );
}

function NoRuns(): ReactNode {
  const words = useWords(RUNS_WORDS);
  const { get } = useSearchParams();
  const isFiltered = RUN_FILTERS.some((name) => get(name) !== null);
  return isFiltered ? (
    <Empty title={words.noneFits}>
      <ClearFilters names={RUN_FILTERS} />
    </Empty>
  ) : (
    <Empty title={words.none}>
      <p>
        {words.startHint} <code>faultline workflow run team.faultline.yaml</code>
      </p>
    </Empty>
  );
}
