// Where each page lives. Pages are loaded when they are opened. Filters are in the address, so that a view can be shared.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type SearchSchemaInput,
} from "@tanstack/react-router";
import { PageFailed } from "./page-failed.tsx";
import { NoPage, Shell } from "./shell.tsx";

type Search = Readonly<Record<string, string>>;

/** Keeps what is text in a query. Each page reads the names it knows. */
function textOnly(given: Readonly<Record<string, unknown>>): Search {
  const texts = Object.entries(given).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}

const root = createRootRoute({
  component: Shell,
  validateSearch: (given: Search & SearchSchemaInput) => textOnly(given),
});
const page = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

const routes = [
  createRoute({
    ...page("/"),
    component: lazyRouteComponent(() => import("../pages/overview/overview-page.tsx"), "OverviewPage"),
  }),
  createRoute({
    ...page("/runs"),
    component: lazyRouteComponent(() => import("../pages/runs/runs-page.tsx"), "RunsPage"),
  }),
  createRoute({
    ...page("/runs/$run"),
    component: lazyRouteComponent(() => import("../pages/run/run-page.tsx"), "RunPage"),
  }),
  createRoute({
    ...page("/sessions"),
    component: lazyRouteComponent(() => import("../pages/sessions/sessions-page.tsx"), "SessionsPage"),
  }),
  createRoute({
    ...page("/sessions/$session"),
    component: lazyRouteComponent(() => import("../pages/trace/trace-page.tsx"), "TracePage"),
  }),
  createRoute({
    ...page("/questions"),
    component: lazyRouteComponent(() => import("../pages/questions/questions-page.tsx"), "QuestionsPage"),
  }),
  createRoute({
    ...page("/groups"),
    component: lazyRouteComponent(() => import("../pages/groups/groups-page.tsx"), "GroupsPage"),
  }),
  createRoute({
    ...page("/groups/$fingerprint"),
    component: lazyRouteComponent(() => import("../pages/groups/group-page.tsx"), "GroupPage"),
  }),
  createRoute({
    ...page("/targets"),
    component: lazyRouteComponent(() => import("../pages/targets/targets-page.tsx"), "TargetsPage"),
  }),
  createRoute({
    ...page("/gateway"),
    component: lazyRouteComponent(() => import("../pages/gateway/gateway-page.tsx"), "GatewayPage"),
  }),
  createRoute({
    ...page("/lab"),
    component: lazyRouteComponent(() => import("../pages/lab/lab-page.tsx"), "LabPage"),
  }),
  createRoute({
    ...page("/audit"),
    component: lazyRouteComponent(() => import("../pages/audit/audit-page.tsx"), "AuditPage"),
  }),
  createRoute({
    ...page("/settings"),
    component: lazyRouteComponent(() => import("../pages/settings/settings-page.tsx"), "SettingsPage"),
  }),
  createRoute({
    ...page("/search"),
    component: lazyRouteComponent(() => import("../pages/search/search-page.tsx"), "SearchPage"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: "intent",
  defaultNotFoundComponent: NoPage,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
  // Plain texts in the address, not JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(textOnly(search)).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
