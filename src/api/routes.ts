// What goes into each route and what comes out of it: the routes of each part of the API, in one table.

import { BASIC_ROUTES } from "./basics.ts";
import { OVERVIEW_ROUTES } from "./overview.ts";
import { FAILURE_ROUTES } from "./failures.ts";
import { FAULT_GROUP_ROUTES } from "./fault-groups.ts";
import { BULK_ROUTES } from "./bulk.ts";
import { TARGET_ROUTES } from "./targets.ts";
import { GATEWAY_ROUTES } from "./gateway.ts";
import { POLICY_ROUTES } from "./policy.ts";
import { RUN_ROUTES } from "./runs.ts";
import { SESSION_ROUTES } from "./sessions.ts";
import { WORKFLOW_ROUTES } from "./workflows.ts";
import type { RouteName } from "./paths.ts";
import type { RouteSpec } from "./route.ts";

export const ROUTES = {
  ...BASIC_ROUTES,
  ...OVERVIEW_ROUTES,
  ...FAILURE_ROUTES,
  ...FAULT_GROUP_ROUTES,
  ...BULK_ROUTES,
  ...TARGET_ROUTES,
  ...GATEWAY_ROUTES,
  ...POLICY_ROUTES,
  ...RUN_ROUTES,
  ...SESSION_ROUTES,
  ...WORKFLOW_ROUTES,
} satisfies Readonly<Record<RouteName, RouteSpec>>;

/** The table of routes, for the types of handlers and clients. */
export type Routes = typeof ROUTES;
