// How patient one is with a CLI that tries again by itself, and whether another target of the chain could be asked instead.

import { nextTarget, scopeOf, SCOPES_THAT_ADVANCE } from "../../core/decide/fallback.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { type AnyTool, retryOf } from "../../runtime/tool/tool.ts";

/** A run is dear and slow to begin: while another target can be asked, none is tried twice. */
export const RETRY_BEFORE_FALLBACK = retryOf({ maxAttempts: 1 });

export interface OtherTargets {
  /** There is a target behind this one. */
  readonly isThere: () => boolean;
  /** There is one that would not fail the same way. */
  readonly couldCure: (why: Fault) => boolean;
}

/** What `members` hold is looked at when it is asked for: a chain is built member by member. */
export function otherTargets(id: string, members: readonly AnyTool[]): OtherTargets {
  const place = (): number => members.findIndex((member) => member.id === id);
  return {
    isThere: () => place() < members.length - 1,
    couldCure: (why) => {
      const scope = scopeOf(why);
      if (!SCOPES_THAT_ADVANCE.has(scope)) return false;
      const targets = members.flatMap((member) =>
        member.chain === null ? [] : [{ ...member.chain.facts, id: member.id, available: true, backAt: 0 }],
      );
      const { target, isLastResort } = nextTarget({ targets, current: place(), needs: [], minContextTokens: 0 }, scope);
      return target !== null && !isLastResort;
    },
  };
}
