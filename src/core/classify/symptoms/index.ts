// The order of belief, strongest first. Everything above the first group of words needs no text to decide.

import type { RuleGroup } from "../rule.ts";
import { ABORT, ABORT_NAMES } from "./abort.ts";
import {
  PAYMENT,
  REFUSALS,
  REQUEST_IDENTIFIERS,
  RPC_CODES,
  SERVER_IDENTIFIERS,
  STATUSES,
  VAGUE_IDENTIFIERS,
} from "./defaults.ts";
import { ERRNOS, FILE_ERRNOS } from "./errnos.ts";
import { IDENTIFIERS } from "./identifiers.ts";
import { CLI_EXIT_CODES, PROCESS, TERMINATED } from "./process.ts";
import { STOPS } from "./stops.ts";
import { SCHEMA, STORE } from "./surfaces.ts";
import { ACCESS_WORDS, DENIAL_WORDS } from "./words-access.ts";
import { CLI_WORDS } from "./words-cli.ts";
import { HOST_WORDS } from "./words-host.ts";
import { LIMIT_WORDS } from "./words-limits.ts";
import { PROGRAM_WORDS } from "./words-programs.ts";
import { LAST_WORDS, NETWORK_WORDS, TOOL_WORDS } from "./words-network.ts";
import { REQUEST_WORDS } from "./words-request.ts";

export const SYMPTOMS: readonly RuleGroup[] = [
  ABORT,
  STORE,
  IDENTIFIERS,
  ABORT_NAMES,
  STOPS,
  ERRNOS,
  PROCESS,
  SCHEMA,
  CLI_WORDS,
  PROGRAM_WORDS,
  DENIAL_WORDS,
  LIMIT_WORDS,
  ACCESS_WORDS,
  REQUEST_WORDS,
  HOST_WORDS,
  FILE_ERRNOS,
  PAYMENT,
  VAGUE_IDENTIFIERS,
  REFUSALS,
  REQUEST_IDENTIFIERS,
  RPC_CODES,
  STATUSES,
  CLI_EXIT_CODES,
  NETWORK_WORDS,
  SERVER_IDENTIFIERS,
  LAST_WORDS,
  TERMINATED,
  TOOL_WORDS,
];
