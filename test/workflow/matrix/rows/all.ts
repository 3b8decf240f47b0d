// Every row, in the order in which the page shows them.

import type { Row } from "../row.ts";
import { ACCESS_ROWS } from "./access.ts";
import { LIMIT_ROWS } from "./limits.ts";
import { MACHINE_ROWS } from "./machine.ts";
import { NETWORK_ROWS } from "./network.ts";
import { OUTPUT_ROWS } from "./output.ts";
import { TOOL_ROWS } from "./tools.ts";

export interface Area {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const AREAS: readonly Area[] = [
  { title: "The way to the provider", rows: NETWORK_ROWS },
  { title: "Access, and what a model can do", rows: ACCESS_ROWS },
  { title: "Limits", rows: LIMIT_ROWS },
  { title: "Answers, tests, discussions", rows: OUTPUT_ROWS },
  { title: "Tools", rows: TOOL_ROWS },
  { title: "The workflow's own decisions, and ends from outside", rows: MACHINE_ROWS },
];
