// What helped against the failures of a group, what they cost, and what they have in common.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import type { GroupReport } from "./group-page.tsx";

interface Given {
  readonly group: GroupReport;
}

export function GroupHelped({ group: { helped } }: Given): ReactNode {
  const words = useWords(WORDS);
  return (
    <Section title={words.helped}>
      {helped.length === 0 ? (
        <p className="dim">{words.nothingTried}</p>
      ) : (
        <table className="group-helped">
          <thead className="visually-hidden">
            <tr>
              <th>{words.recourse}</th>
              <th>{words.share}</th>
              <th>{words.worked}</th>
            </tr>
          </thead>
          <tbody>
            {helped.map((tally) => (
              <Recourse key={tally.recourse} tally={tally} />
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Recourse({ tally }: { readonly tally: GroupReport["helped"][number] }): ReactNode {
  const words = useWords(WORDS);
  const { count, percent } = useFormat();
  const { says, worked, failed } = tally;
  const share = worked / Math.max(1, worked + failed);
  return (
    <tr>
      <th scope="row">{says}</th>
      <td aria-label={percent(share)}>
        <span className="group-bar" aria-hidden="true">
          <i style={{ width: `${share * 100}%` }} />
        </span>
      </td>
      <td className="num">{words.tally(count(worked), count(worked + failed))}</td>
    </tr>
  );
}

export function GroupCost({ group: { cost } }: Given): ReactNode {
  const words = useWords(WORDS);
  const { money, count } = useFormat();
  const { microcents, estimatedMicrocents, unpricedAttempts, failures } = cost;
  const rows: (readonly [string, ReactNode])[] = [
    [words.spent, money(microcents)],
    [words.estimated, estimatedMicrocents === 0 ? words.nothingEstimated : money(estimatedMicrocents)],
    [words.unpriced, unpricedAttempts === 0 ? words.allPriced : words.attempts(count(unpricedAttempts))],
    [words.covers, words.newest(count(failures))],
  ];
  return (
    <Section title={words.cost}>
      <Facts rows={rows} />
    </Section>
  );
}

export function GroupShared({ group: { shared, fingerprint, ...group } }: Given): ReactNode {
  const words = useWords(WORDS);
  const rows = (
    [
      [words.code, `${group.class} · ${shared.code}`],
      [words.surface, shared.surface],
      [words.provider, shared.provider],
      [words.tool, shared.tool],
      [words.rule, shared.rule],
      [words.status, shared.status === null ? "" : String(shared.status)],
    ] as const
  ).filter(([, value]) => value !== "");
  return (
    <Section title={words.shared}>
      <p className="dim group-shared">{words.sharedSays}</p>
      <Facts rows={[...rows, [words.fingerprint, <Copy key="copy" text={fingerprint} />]]} />
    </Section>
  );
}

const WORDS = wordTable({
  "en": {
    helped: "What helped",
    nothingTried: "Nothing has been tried yet, or its result is not known.",
    recourse: "What was tried",
    share: "Share that worked",
    worked: "Worked",
    tally: (worked: string, all: string) => `${worked} of ${all} worked`,
    cost: "What it cost",
    spent: "Failed attempts",
    estimated: "Of it estimated",
    nothingEstimated: "nothing",
    unpriced: "Without a price",
    allPriced: "none; the sum is complete",
    attempts: (count: string) =>
      count === "1" ? "1 attempt is missing from the sum" : `${count} attempts are missing from the sum`,
    covers: "Covers",
    newest: (count: string) => (count === "1" ? "the only failure" : `the newest ${count} failures`),
    shared: "Why these are one group",
    sharedSays: "They have all of this in common. What the message says does not count.",
    code: "Class and code",
    surface: "Met at",
    provider: "Provider",
    tool: "Where",
    rule: "Named by rule",
    status: "HTTP status",
    fingerprint: "Fingerprint",
  },
  "zh-CN": {
    helped: "什么有效",
    nothingTried: "还没有已知结果的尝试。",
    recourse: "尝试了什么",
    share: "有效比例",
    worked: "有效",
    tally: (worked: string, all: string) => `${all} 次中 ${worked} 次有效`,
    cost: "花费",
    spent: "失败的尝试",
    estimated: "其中为估算",
    nothingEstimated: "无",
    unpriced: "没有价格",
    allPriced: "无，合计完整",
    attempts: (count: string) => `合计缺少 ${count} 次尝试`,
    covers: "统计范围",
    newest: (count: string) => `最近 ${count} 次失败`,
    shared: "为何归为一组",
    sharedSays: "它们的以下各项都相同。消息内容不参与分组。",
    code: "类别与代码",
    surface: "发生在",
    provider: "Provider",
    tool: "位置",
    rule: "判定规则",
    status: "HTTP 状态",
    fingerprint: "指纹",
  },
});
