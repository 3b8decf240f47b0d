// The policy in force, or a preset, as a table: every row with who wrote it. The first row that matches decides.

import { type ReactNode, useMemo } from "react";
import { type Format, useFormat } from "../../app/format.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords } from "../../app/words.ts";
import { Empty, Pending } from "../../parts/states.tsx";
import { LabChoice, LabInput } from "./lab-field.tsx";
import { WORDS } from "./words.ts";

type Policy = Answer<"showPolicy">;
type Row = Policy["rows"][number];

export function PolicyTable(): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const asked = search.get("preset");
  const read = useRead("showPolicy", {
    query: asked === null ? {} : { preset: asked as Policy["presets"][number] },
  });
  const { data } = read;
  if (data === undefined) return <Pending read={read} kind="rows" />;
  return (
    <div className="lab-policy">
      <div className="lab-toolbar">
        <LabChoice
          label={words.policy}
          value={asked ?? ""}
          onChange={(preset) => search.set({ preset })}
          choices={[["", words.inForce], ...data.presets.map((one) => [one, words.preset(one)] as const)]}
        />
        <LabInput
          className="lab-search"
          label={words.searchRows}
          type="search"
          value={search.get("q") ?? ""}
          placeholder={words.searchRowsHint}
          onChange={(q) => search.set({ q })}
        />
      </div>
      {asked === null || asked === "" ? <p className="lab-said dim">{words.runsDoNotAsk}</p> : null}
      <Rows policy={data} wanted={search.get("q") ?? ""} />
      <Rest policy={data} />
    </div>
  );
}

function Rows({ policy: { name, rows }, wanted }: { readonly policy: Policy; readonly wanted: string }): ReactNode {
  const words = useWords(WORDS);
  const format = useFormat();
  const shown = useMemo(() => {
    const parts = wanted.toLowerCase().split(/\s+/);
    return rows
      .map((row, index) => ({ row, place: index + 1 }))
      .filter(({ row }) => parts.every((part) => textOf(row).includes(part)));
  }, [rows, wanted]);
  if (shown.length === 0) return <Empty title={words.noRow}>{words.noRowNext}</Empty>;
  return (
    <div className="lab-scroll">
      <table className="lab-table">
        <caption>{words.rowsOf(name, shown.length, rows.length)}</caption>
        <thead>
          <tr>
            <th scope="col" className="num">
              #
            </th>
            <th scope="col">{words.matches}</th>
            <th scope="col" className="num">
              {words.attempts}
            </th>
            <th scope="col">{words.waits}</th>
            <th scope="col">{words.then}</th>
            <th scope="col">{words.origin}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ row, place }) => (
            <tr key={place}>
              <td className="num dim">{place}</td>
              <th scope="row">{row.matches}</th>
              <td className="num">{row.maxAttempts}</td>
              <td>{waitsOf(row, format)}</td>
              <td>{row.then.map(({ says }) => says).join(" → ")}</td>
              <td>
                <span className="lab-layer">{row.origin.layer}</span> <code>{row.origin.at}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What a policy has besides its rows. */
function Rest({ policy: { breaker, retryBudget, learnsAfter } }: { readonly policy: Policy }): ReactNode {
  const words = useWords(WORDS);
  const list = (values: Readonly<Record<string, string | number>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(" · ");
  return (
    <dl className="lab-told lab-rest">
      <dt>{words.breaker}</dt>
      <dd>
        <code>{list(breaker)}</code>
      </dd>
      <dt>{words.retryBudget}</dt>
      <dd>
        <code>{list(retryBudget)}</code>
      </dd>
      <dt>{words.learnsAfter}</dt>
      <dd>
        <code>{learnsAfter}</code>
      </dd>
    </dl>
  );
}

function waitsOf({ waits }: Row, { duration }: Format): string {
  const said = waits.map(({ minMs, maxMs }) =>
    minMs === maxMs ? duration(minMs) : `${duration(minMs)}–${duration(maxMs)}`,
  );
  return said.length === 0 ? "–" : said.join(" · ");
}

function textOf({ matches, then, origin }: Row): string {
  const parts = [matches, origin.layer, origin.at, ...then.flatMap(({ recourse, says }) => [recourse, says])];
  return parts.join(" ").toLowerCase();
}
