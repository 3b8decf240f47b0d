// What stands around every page: the rail with the pages, the search, and whether the page is live.

import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import { Kbd } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Brand, Icon, type IconName } from "../parts/icon.tsx";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { useAllKeys, useKeys } from "./keys.ts";
import { useConnection } from "./live.tsx";
import { useRead } from "./server.tsx";
import { useIdentity } from "./sign-in.tsx";
import { useFormat } from "./format.ts";
import { useWords, wordTable } from "./words.ts";
import "./shell.css";

const PAGES = [
  { to: "/", icon: "overview", key: "o" },
  { to: "/runs", icon: "runs", key: "r" },
  { to: "/questions", icon: "asking", key: "n" },
  { to: "/groups", icon: "groups", key: "f" },
  { to: "/targets", icon: "targets", key: "t" },
  { to: "/gateway", icon: "gateway", key: "w" },
  { to: "/sessions", icon: "sessions", key: "s" },
  { to: "/lab", icon: "lab", key: "p" },
  { to: "/audit", icon: "audit", key: "a" },
  { to: "/settings", icon: "settings", key: "," },
] as const satisfies readonly { readonly to: string; readonly icon: IconName; readonly key: string }[];
type PagePath = (typeof PAGES)[number]["to"];

/** The pages that there are on this server for this person. */
function usePages(): readonly (typeof PAGES)[number][] {
  const { role } = useIdentity();
  const { data } = useRead("overview", {});
  const isThere: Partial<Record<PagePath, boolean>> = {
    "/audit": role === "operator",
    "/gateway": data?.hasGateway === true,
  };
  return PAGES.filter(({ to }) => isThere[to] ?? true);
}

export function Shell(): ReactNode {
  const words = useWords(WORDS);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [areKeysShown, showKeys] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setMenuOpen(false), [path]);
  const navigate = useNavigate();
  useKeys([
    ...usePages().map(({ to, key }) => ({
      ...{ keys: `g ${key}`, says: words.goTo(words.pages[to]) },
      does: () => void navigate({ to }),
    })),
    { keys: "?", says: words.keys, does: () => showKeys(true) },
  ]);
  return (
    <div className="shell" data-menu={isMenuOpen ? "open" : "closed"}>
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <Rail onKeys={() => showKeys(true)} />
      <div className="shell-page">
        <TopBar onMenu={() => setMenuOpen(!isMenuOpen)} isMenuOpen={isMenuOpen} />
        <Stale />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <KeyList isOpen={areKeysShown} onClose={() => showKeys(false)} />
    </div>
  );
}

/** For an address that no page has. */
export function NoPage(): ReactNode {
  const words = useWords(WORDS);
  return (
    <Page title={words.noPage}>
      <Empty title={words.noPageSays}>
        <Link to="/">{words.goTo(words.pages["/"])}</Link>
      </Empty>
    </Page>
  );
}

function Rail({ onKeys }: { readonly onKeys: () => void }): ReactNode {
  const words = useWords(WORDS);
  const { name, role } = useIdentity();
  const { count } = useFormat();
  const pages = usePages();
  const { data } = useRead("overview", {});
  const connection = useConnection();
  const counts: Partial<Record<PagePath, number>> = {
    "/questions": data?.needsYou.count ?? 0,
    "/targets": data?.targets.length ?? 0,
  };
  return (
    <nav className="rail" aria-label={words.pagesLabel}>
      <Brand />
      {pages.map(({ to, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === "/" }} activeProps={{ "aria-current": "page" }}>
          <Icon name={icon} size={14} />
          <span>{words.pages[to]}</span>
          {(counts[to] ?? 0) > 0 ? <span className="rail-count">{count(counts[to] ?? 0)}</span> : null}
        </Link>
      ))}
      <footer>
        <span className={`live live-${connection}`}>{words.connection[connection]}</span>
        <span className="dim one-line">{name === role ? words.roles[role] : `${name} · ${words.roles[role]}`}</span>
        <button type="button" className="rail-keys" onClick={onKeys}>
          <Kbd>?</Kbd> {words.keys}
        </button>
      </footer>
    </nav>
  );
}

function TopBar({ onMenu, isMenuOpen }: { readonly onMenu: () => void; readonly isMenuOpen: boolean }): ReactNode {
  const words = useWords(WORDS);
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const searched = useRouterState({ select: ({ location }) => searchedAt(location) });
  useEffect(() => {
    if (field.current !== null) field.current.value = searched;
  }, [searched]);
  useKeys([{ keys: "/", says: words.search, does: () => field.current?.select() }]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const q = field.current?.value.trim() ?? "";
    if (q !== "") void navigate({ to: "/search", search: { q } as never });
  };
  return (
    <div className="top-bar">
      <button
        type="button"
        className="icon-button menu-button"
        aria-label={words.menu}
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      >
        <Icon name="menu" size={16} />
      </button>
      <Brand />
      <form role="search" onSubmit={submit}>
        <Icon name="search" />
        <input ref={field} type="search" name="q" aria-label={words.search} placeholder={words.searchHint} />
        <Kbd>/</Kbd>
      </form>
    </div>
  );
}

/** What the search page was asked for; the field keeps it, so that it can be changed. */
function searchedAt({ pathname, search }: { readonly pathname: string; readonly search: object }): string {
  return pathname === "/search" && "q" in search ? String(search.q) : "";
}

/** What is shown may be old while the stream is away. */
function Stale(): ReactNode {
  const words = useWords(WORDS);
  return useConnection() === "lost" ? (
    <p className="stale" role="status">
      {words.stale}
    </p>
  ) : null;
}

function KeyList({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const words = useWords(WORDS);
  const keys = useAllKeys();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={words.keys}>
      <dl className="key-list">
        {keys.map(({ keys: names, says }) => (
          <div key={names}>
            <dt>
              {names.split(" ").map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const WORDS = wordTable({
  "en": {
    pages: {
      "/": "Overview",
      "/runs": "Runs",
      "/questions": "Needs you",
      "/groups": "Fault groups",
      "/targets": "Targets",
      "/gateway": "Gateway",
      "/sessions": "Sessions",
      "/lab": "Policy lab",
      "/audit": "Audit",
      "/settings": "Settings",
    },
    pagesLabel: "Pages",
    connection: { connecting: "Connecting", live: "Live", lost: "Reconnecting" },
    roles: { viewer: "viewer", operator: "operator" },
    goTo: (page: string) => `Go to ${page}`,
    keys: "Keyboard shortcuts",
    skip: "Skip to content",
    menu: "Menu",
    noPage: "Page not found",
    noPageSays: "There is no page at this address.",
    search: "Search",
    searchHint: "Search runs and failures",
    stale: "The connection to the server is lost. You see the last known state; the page reconnects by itself.",
  },
  "zh-CN": {
    pages: {
      "/": "总览",
      "/runs": "运行",
      "/questions": "待处理",
      "/groups": "故障分组",
      "/targets": "目标",
      "/gateway": "网关",
      "/sessions": "会话",
      "/lab": "策略实验室",
      "/audit": "审计",
      "/settings": "设置",
    },
    pagesLabel: "页面",
    connection: { connecting: "正在连接", live: "实时", lost: "正在重连" },
    roles: { viewer: "只读", operator: "操作员" },
    goTo: (page: string) => `前往“${page}”`,
    keys: "键盘快捷键",
    skip: "跳到内容",
    menu: "菜单",
    noPage: "找不到页面",
    noPageSays: "此地址没有页面。",
    search: "搜索",
    searchHint: "搜索运行和故障",
    stale: "与服务器的连接已断开。当前显示最后已知的状态；页面会自动重连。",
  },
});
