// The calls of clients, newest first, and one of them with what was decided about it. Prompts and answers are there if the gateway's
// file says to keep them.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useClient, useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { ChoiceFilter, ClearFilters } from "../../parts/filters.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/page.tsx";
import { StatePill } from "../../parts/pill.tsx";
import { HeadCells, Rows } from "../../parts/rows.tsx";
import { Empty } from "../../parts/states.tsx";
import { parseJson } from "../../../src/core/try-read.ts";
import { GATEWAY_WORDS, type GatewayWords } from "./words.ts";

type Call = Answer<"listGatewayCalls">["items"][number];

const STATES = ["completed", "failed", "cancelled"] as const;

export function GatewayCalls({ keys }: { readonly keys: readonly string[] }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const client = useClient();
  const search = useSearchParams();
  const key = search.get("key");
  const state = STATES.find((one) => one === search.get("state")) ?? null;
  const filter = { ...(key === null ? {} : { key }), ...(state === null ? {} : { state }) };
  const list = useLongList<Call>({
    key: `gateway-calls ${key ?? ""} ${state ?? ""}`,
    idOf: ({ call }) => call,
    read: (cursor, signal) =>
      client.listGatewayCalls({ query: { limit: 100, ...filter, ...(cursor === null ? {} : { cursor }) }, signal }),
  });
  const asked = search.get("call");
  const listed = list.items.find(({ call }) => call === asked) ?? null;
  // An older call, by a link or an id from a log.
  const older = useRead(
    "showGatewayCall",
    { params: { call: asked ?? "" } },
    { enabled: asked !== null && listed === null },
  );
  const chosen = asked === null ? null : (listed ?? (older.data?.call === asked ? older.data : null));
  const choose = ({ call }: Call): void => search.set({ call });
  return (
    <div className="gateway-calls" data-open={chosen !== null}>
      <div className="gateway-list">
        <CallFilters keys={keys} />
        <Rows
          list={list}
          label={words.tabs.calls}
          rowHeight={44}
          idOf={({ call }) => call}
          chosen={chosen?.call ?? null}
          onChoose={choose}
          onOpen={choose}
          head={
            <HeadCells
              titles={[
                [words.state],
                [words.target],
                [words.key, "gateway-wide"],
                [words.attempts, "num gateway-wide"],
                [words.took, "num gateway-wide"],
                [words.cost, "num"],
                [words.when, "num"],
              ]}
            />
          }
          empty={
            key === null && state === null ? (
              <Empty title={words.noCalls}>{words.noCallsNext}</Empty>
            ) : (
              <Empty title={words.noSuchCalls} />
            )
          }
        >
          {(call) => <CallRow call={call} />}
        </Rows>
      </div>
      {chosen === null ? null : <CallPanel call={chosen} onClose={() => search.set({ call: null })} />}
    </div>
  );
}

function CallFilters({ keys }: { readonly keys: readonly string[] }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  return (
    <div className="gateway-filters">
      <ChoiceFilter name="state" label={words.state} choices={STATES.map((id) => ({ id, label: words.states[id] }))} />
      {keys.length === 0 ? null : (
        <ChoiceFilter name="key" label={words.key} choices={keys.map((id) => ({ id, label: id }))} />
      )}
      <ClearFilters names={["state", "key"]} />
    </div>
  );
}

function CallRow({ call }: { readonly call: Call }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { clock, count, duration, money } = useFormat();
  const { state, model, target, fault, key, attempts, tookMs, microcents, isExact, isUnpriced, at } = call;
  return (
    <>
      <span role="gridcell">
        <StatePill state={state} />
      </span>
      <span role="gridcell" className="gateway-call-name">
        <b className="one-line">{target ?? "–"}</b>
        <span className="dim one-line">{fault === null ? model : `${model} · ${fault.title}`}</span>
      </span>
      <span role="gridcell" className="one-line gateway-wide">
        {key}
      </span>
      <span role="gridcell" className="num gateway-wide">
        {count(attempts)}
      </span>
      <span role="gridcell" className="num gateway-wide">
        {duration(tookMs)}
      </span>
      <span role="gridcell" className="num">
        {isUnpriced ? words.noPrice : `${isExact ? "" : "≈ "}${money(microcents)}`}
      </span>
      <span role="gridcell" className="num dim">
        {clock(at)}
      </span>
    </>
  );
}

function CallPanel({ call, onClose }: { readonly call: Call; readonly onClose: () => void }): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  const { dateTime, duration, money, count } = useFormat();
  const { state, says, model, target, fault, key, route, dialect, attempts, tookMs, microcents, at } = call;
  const { prompt, answer, text } = call.kept ?? { prompt: null, answer: null, text: null };
  return (
    <section className="gateway-panel" aria-label={words.callOf(call.call)}>
      <header>
        <h2>{words.callTitle}</h2>
        <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <StatePill state={state} />
      <p className="dim">{says}</p>
      <Facts
        rows={[
          [words.target, target ?? "–"],
          ...(fault === null ? [] : ([[words.fault, `${fault.title} (${fault.code})`]] as const)),
          [words.model, model === "" ? "–" : model],
          [words.route, route],
          [words.dialect, dialect],
          [words.key, key],
          [words.attempts, count(attempts)],
          [words.took, duration(tookMs)],
          [words.cost, costOf(call, money(microcents), words)],
          [words.when, dateTime(at)],
          [words.id, <Copy key="id" text={call.call} />],
          ...(call.omitted.length === 0 ? [] : ([[words.omitted, call.omitted.join(", ")]] as const)),
        ]}
      />
      <Decisions decisions={call.decisions} />
      <Kept title={words.prompt} text={pretty(prompt)} />
      <Kept title={words.answer} text={text ?? pretty(answer)}>
        {text === null ? null : <Kept title={words.raw} text={pretty(answer)} />}
      </Kept>
    </section>
  );
}

function costOf({ isExact, isUnpriced }: Call, money: string, words: GatewayWords): string {
  if (isUnpriced) return words.noPrice;
  return isExact ? money : words.about(money);
}

/** A document with a line for each field; any other text as it is. A document that was cut when it was kept is such a text. */
function pretty(text: string | null): string | null {
  const read = text === null ? undefined : parseJson(text);
  return read === undefined ? text : JSON.stringify(read, null, 2);
}

interface KeptProps {
  readonly title: string;
  readonly text: string | null;
  readonly children?: ReactNode;
}

/** Text of a client or a model: shown as it is, never as markup. */
function Kept({ title, text, children }: KeptProps): ReactNode {
  if (text === null) return null;
  return (
    <details>
      <summary>{title}</summary>
      <pre>{text}</pre>
      {children}
    </details>
  );
}

function Decisions({ decisions }: Pick<Call, "decisions">): ReactNode {
  const words = useWords(GATEWAY_WORDS);
  if (decisions.length === 0) return null;
  return (
    <div className="gateway-decisions">
      <h3>{words.decisions}</h3>
      <ol>
        {decisions.map(({ id, target, attempt, title, says }) => (
          <li key={id}>
            <b>{attempt === 0 ? words.notAsked(target) : words.attemptOf(attempt, target)}</b>
            <span>{`${title} → ${says}`}</span>
            <span className="dim">{id}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
