// What was searched for: failures and runs that contain every word. An id that is known leads straight to what has it.

import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { useFormat } from "../../app/format.ts";
import { useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useClient, useRead } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Page } from "../../parts/page.tsx";
import { CauseTag } from "../../parts/pill.tsx";
import { Rows } from "../../parts/rows.tsx";
import { Empty } from "../../parts/states.tsx";
import { Switch } from "../../parts/switch.tsx";
import "./search.css";

type Found = Answer<"search">["items"][number];
type LookedUp = NonNullable<Answer<"lookUp">["found"]>;

const ROW_HEIGHT = 54;
const KINDS = ["fault", "run"] as const;

export function SearchPage(): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const q = search.get("q") ?? "";
  useStraightThere(q);
  return (
    <Page
      title={q === "" ? words.title : words.titleOf(q)}
      {...(q === ""
        ? {}
        : {
            filters: (
              <Switch
                name="kind"
                label={words.show}
                choices={[["all", words.kinds.all], ...KINDS.map((kind) => [kind, words.kinds[kind]] as const)]}
              />
            ),
          })}
    >
      {q === "" ? (
        <Empty title={words.ask}>
          <p>{words.askSays}</p>
        </Empty>
      ) : (
        <Results q={q} />
      )}
    </Page>
  );
}

/** Replaces this page in the history, so that going back does not lead here again. */
function useStraightThere(q: string): void {
  const navigate = useNavigate();
  const { data } = useRead("lookUp", { query: { id: q } }, { enabled: q !== "" });
  const asked = useRef("");
  useEffect(() => {
    if (data?.found === undefined || data.found === null || asked.current === q) return;
    asked.current = q;
    void goTo(navigate, data.found);
  }, [data, q, navigate]);
}

function goTo(navigate: ReturnType<typeof useNavigate>, found: LookedUp): Promise<void> {
  const replace = { replace: true } as const;
  switch (found.kind) {
    case "run":
      return navigate({ to: "/runs/$run", params: { run: found.run }, ...replace });
    case "session":
      return navigate({ to: "/sessions/$session", params: { session: found.session }, ...replace });
    case "fault-group":
      return navigate({ to: "/groups/$fingerprint", params: { fingerprint: found.fingerprint }, ...replace });
    case "bulk": {
      const { bulk, fingerprint } = found;
      return navigate({ to: "/groups/$fingerprint", params: { fingerprint }, search: { bulk } as never, ...replace });
    }
    case "question":
      return navigate({ to: "/questions", search: { question: found.question } as never, ...replace });
    case "gateway-call":
      return navigate({ to: "/gateway", search: { tab: "calls", call: found.call } as never, ...replace });
  }
}

function Results({ q }: { readonly q: string }): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const navigate = useNavigate();
  const search = useSearchParams();
  const kind = KINDS.find((one) => one === search.get("kind"));
  const list = useLongList<Found>({
    key: `search ${kind ?? ""} ${q}`,
    idOf,
    read: (cursor, signal) =>
      client.search({
        query: { q, ...(kind === undefined ? {} : { kind }), ...(cursor === null ? {} : { cursor }) },
        signal,
      }),
  });
  return (
    <div className="search-results">
      <Rows
        list={list}
        label={words.results}
        rowHeight={ROW_HEIGHT}
        idOf={idOf}
        chosen={search.get("chosen")}
        onChoose={(found) => search.set({ chosen: idOf(found) })}
        opensOnClick
        onOpen={({ session, fault }) =>
          void (fault === null
            ? navigate({ to: "/runs/$run", params: { run: session } })
            : navigate({ to: "/groups/$fingerprint", params: { fingerprint: fault.fingerprint } }))
        }
        empty={
          <Empty title={words.none(q)}>
            <p>{words.noneSays}</p>
          </Empty>
        }
      >
        {(found) => <FoundRow found={found} />}
      </Rows>
    </div>
  );
}

function idOf({ kind, session, fault }: Found): string {
  return `${kind} ${session} ${fault?.seq ?? ""}`;
}

function FoundRow({ found }: { readonly found: Found }): ReactNode {
  const words = useWords(WORDS);
  const { clock, dateTime } = useFormat();
  const { kind, session, title, code, fault, run, at } = found;
  return (
    <>
      <span role="gridcell" className="search-kind">
        {words.kind[kind]}
      </span>
      <span role="gridcell" className="search-what">
        <span className="one-line">
          {fault === null ? (
            <Link className="search-title" to="/runs/$run" params={{ run: session }}>
              {session}
            </Link>
          ) : (
            <Link className="search-title" to="/groups/$fingerprint" params={{ fingerprint: fault.fingerprint }}>
              {title ?? code}
            </Link>
          )}
          <span className="dim"> {fault === null ? run?.workflow : `${fault.tool} · ${session}`}</span>
        </span>
        <span className="one-line search-more">
          {fault === null ? [title, ...(run?.nodes ?? [])].filter((text) => text !== null).join(" · ") : fault.message}
        </span>
      </span>
      <span role="gridcell" className="search-code">
        <CauseTag cause={code === null ? null : { id: code, label: code }} />
      </span>
      <time role="gridcell" className="num dim" dateTime={new Date(at).toISOString()} title={dateTime(at)}>
        {clock(at)}
      </time>
    </>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Search",
    titleOf: (q: string) => `Search: ${q}`,
    show: "Show",
    kinds: { all: "All", fault: "Failures", run: "Runs" },
    kind: { fault: "Failure", run: "Run" },
    results: "Results",
    ask: "Search failures and runs",
    askSays: "Every word must occur; case does not matter. An exact id leads straight to what has it.",
    none: (q: string) => `Nothing contains “${q}”`,
    noneSays: "Try fewer words, part of a word, or a fault code such as RateLimited.",
  },
  "zh-CN": {
    title: "搜索",
    titleOf: (q: string) => `搜索：${q}`,
    show: "显示",
    kinds: { all: "全部", fault: "失败", run: "运行" },
    kind: { fault: "失败", run: "运行" },
    results: "结果",
    ask: "搜索失败与运行",
    askSays: "结果必须包含每个词，不区分大小写。完整的标识会直接打开对应的页面。",
    none: (q: string) => `没有内容包含“${q}”`,
    noneSays: "请减少词语、只写词的一部分，或使用故障代码，例如 RateLimited。",
  },
});
