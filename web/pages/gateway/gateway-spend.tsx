// What the calls of the last days have cost: by day, by key, by target.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { usePreferences } from "../../app/preferences.ts";
import { useWords } from "../../app/words.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import type { GatewayView } from "./gateway-page.tsx";
import { GATEWAY_WORDS, type GatewayWords } from "./words.ts";

type Spend = GatewayView["spend"];
type Spent = Spend["total"];

export function GatewaySpend({ spend: { total, byDay, byKey, byTarget } }: { readonly spend: Spend }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { language } = usePreferences();
  const { money, count } = useFormat();
  const dayOf = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", timeZone: "UTC" });
  if (total.calls === 0)
    return (
      <Section title={words.spend}>
        <Empty title={words.noCalls}>{words.noCallsNext}</Empty>
      </Section>
    );
  return (
    <>
      <Section
        title={words.byDay}
        aside={<span className="dim">{words.total(costOf(total, money, words), count(total.calls))}</span>}
      >
        <SpendTable
          head={words.day}
          rows={byDay
            .filter(({ calls }) => calls > 0)
            .toReversed()
            .map((row) => ({ ...row, name: dayOf.format(row.at) }))}
          most={Math.max(...byDay.map(({ microcents }) => microcents))}
        />
      </Section>
      <Section title={words.byKey}>
        <SpendTable head={words.key} rows={byKey} most={byKey[0]?.microcents ?? 0} />
      </Section>
      <Section title={words.byTarget}>
        <SpendTable head={words.target} counted={words.attempts} rows={byTarget} most={byTarget[0]?.microcents ?? 0} />
      </Section>
    </>
  );
}

/** What calls without a price have cost is not known, so it is never shown as nothing. */
function costOf(
  { microcents, unpriced }: Pick<Spent, "microcents" | "unpriced">,
  money: (microcents: number) => string,
  words: GatewayWords,
): string {
  return microcents === 0 && unpriced > 0 ? words.noPrice : money(microcents);
}

interface SpendTableProps {
  readonly head: string;
  /** Of what the rows have a number. Default: calls. */
  readonly counted?: string;
  readonly rows: readonly (Spent & { readonly name: string })[];
  /** What the longest bar stands for. */
  readonly most: number;
}

function SpendTable({ head, counted, rows, most }: SpendTableProps): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { money, count } = useFormat();
  return (
    <table className="gateway-table">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col" className="num">
            {counted ?? words.calls}
          </th>
          <th scope="col" className="num">
            {words.failed}
          </th>
          <th scope="col" className="num">
            {words.cost}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, calls, failed, microcents, unpriced }) => (
          <tr key={name}>
            <th scope="row">
              <span className="one-line">{name}</span>
              <span className="gateway-bar" aria-hidden="true">
                <span style={{ width: `${most === 0 ? 0 : (microcents / most) * 100}%` }} />
              </span>
            </th>
            <td className="num">{count(calls)}</td>
            <td className="num">{failed === 0 ? <span className="dim">–</span> : count(failed)}</td>
            <td className="num">{costOf({ microcents, unpriced }, money, words)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
