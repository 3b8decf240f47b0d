// The name under which calls share a breaker, a pause and a queue: all that can fail together, and nothing secret.

import type { FailureDomains } from "../../core/decide/fallback.ts";

/** `gpt-5@openai+https://api.openai.com#team-a` */
export function targetKey({ endpoint, account, model }: FailureDomains): string {
  return `${model}@${endpoint}#${account}`;
}

/** The name under which the targets of one credential share a pause. */
export function accountKey({ endpoint, account }: FailureDomains): string {
  return `${endpoint}#${account}`;
}
