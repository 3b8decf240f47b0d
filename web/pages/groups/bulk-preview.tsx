// What a bulk action would do: which action, to which runs, what is done again and kept, what it may cost. All of it is the server's.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { Facts } from "../../parts/page.tsx";
import type { BulkPreview } from "./bulk-dialog.tsx";

interface Given {
  readonly preview: BulkPreview;
}

export function BulkChoices({
  preview: { choices, runs },
  chosen,
  onChoose,
}: Given & { readonly chosen: string | null; readonly onChoose: (id: string) => void }): ReactNode {
  const words = useWords(WORDS);
  const { count } = useFormat();
  return (
    <fieldset className="bulk-choices">
      <legend>{words.action}</legend>
      {choices.map(({ id, label, explains, runs: offering }) => (
        <label key={id} data-on={id === chosen}>
          <input type="radio" name="bulk-action" value={id} checked={id === chosen} onChange={() => onChoose(id)} />
          <span>
            {label}
            <small className="dim">{explains}</small>
          </span>
          <small className="num dim">{words.offer(count(offering), count(runs.length))}</small>
        </label>
      ))}
    </fieldset>
  );
}

export function BulkEstimate({ preview }: Given): ReactNode {
  const words = useWords(WORDS);
  const { money, duration, count } = useFormat();
  const { runs, estimate } = preview;
  const acted = runs.flatMap(({ action }) => (action === null ? [] : [action]));
  const { microcents, longestMs } = estimate;
  const rows: (readonly [string, ReactNode])[] = [
    [words.actsOn, words.runs(count(acted.length))],
    [words.redoes, <Sentences key="redoes" texts={acted.map(({ redoes }) => redoes)} />],
    [words.keeps, <Sentences key="keeps" texts={acted.map(({ keeps }) => keeps)} />],
    [words.costs, words.estimate(money(microcents), duration(longestMs))],
  ];
  return acted.length === 0 ? null : <Facts rows={rows} />;
}

const MOST_SENTENCES = 3;

/** Each sentence once, with the number of runs it holds for when they differ. */
function Sentences({ texts }: { readonly texts: readonly string[] }): ReactNode {
  const words = useWords(WORDS);
  const { count } = useFormat();
  const tally = new Map<string, number>();
  for (const text of texts) tally.set(text, (tally.get(text) ?? 0) + 1);
  const [only] = tally.keys();
  if (tally.size <= 1) return only ?? "";
  const most = [...tally].toSorted(([, a], [, b]) => b - a);
  return (
    <ul className="bulk-sentences">
      {most.slice(0, MOST_SENTENCES).map(([text, runs]) => (
        <li key={text}>
          <b className="num">{count(runs)}×</b> {text}
        </li>
      ))}
      {most.length > MOST_SENTENCES ? <li className="dim">{words.andMore(most.length - MOST_SENTENCES)}</li> : null}
    </ul>
  );
}

export function BulkRuns({ preview: { runs } }: Given): ReactNode {
  const words = useWords(WORDS);
  const acted = runs.filter(({ passedOver }) => passedOver === null);
  const passed = runs.filter(({ passedOver }) => passedOver !== null);
  return (
    <>
      <RunList title={words.acted(acted.length)} runs={acted} isOpen={acted.length <= 12} />
      <RunList title={words.passed(passed.length)} runs={passed} isOpen={acted.length === 0} />
    </>
  );
}

interface RunListProps {
  readonly title: string;
  readonly runs: BulkPreview["runs"];
  readonly isOpen: boolean;
}

function RunList({ title, runs, isOpen }: RunListProps): ReactNode {
  if (runs.length === 0) return null;
  return (
    <details className="bulk-runs" open={isOpen}>
      <summary>{title}</summary>
      <ul>
        {runs.map(({ run, workflow, node, code, says }) => (
          <li key={run}>
            <Link className="link" to="/runs/$run" params={{ run }}>
              {run}
            </Link>
            <span className="dim one-line">{[workflow, node].filter((part) => part !== "").join(" · ")}</span>
            <span className="dim one-line bulk-run-why">{says === "" ? code : says}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const WORDS = wordTable({
  "en": {
    action: "Action",
    offer: (runs: string, of: string) => (of === "1" ? `${runs} of 1 run` : `${runs} of ${of} runs`),
    actsOn: "Acts on",
    runs: (runs: string) => (runs === "1" ? "1 run" : `${runs} runs`),
    redoes: "Does again",
    keeps: "Keeps",
    costs: "Expect",
    estimate: (cost: string, time: string) =>
      `about ${cost} in all and up to ${time} per run, from what these stages took before`,
    andMore: (count: number) => (count === 1 ? "and 1 other kind" : `and ${count} other kinds`),
    acted: (count: number) => (count === 1 ? "1 run is acted on" : `${count} runs are acted on`),
    passed: (count: number) => (count === 1 ? "1 run is passed over" : `${count} runs are passed over`),
  },
  "zh-CN": {
    action: "操作",
    offer: (runs: string, of: string) => `${of} 个运行中的 ${runs} 个`,
    actsOn: "作用于",
    runs: (runs: string) => `${runs} 个运行`,
    redoes: "将重做",
    keeps: "将保留",
    costs: "预计",
    estimate: (cost: string, time: string) => `合计约 ${cost}，每个运行最长 ${time}，依据这些阶段此前的情况`,
    andMore: (count: number) => `以及另外 ${count} 种`,
    acted: (count: number) => `将对 ${count} 个运行执行操作`,
    passed: (count: number) => `跳过 ${count} 个运行`,
  },
});
