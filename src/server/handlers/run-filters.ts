// What runs can be filtered by, in the reader's language.

import { FAULT_CAUSES, FAULT_CODES, codesWithCause, traitsOf } from "../../core/fault/catalogue.ts";
import { pillOf } from "../../core/fault/words/pills.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import { RUN_STANDINGS, STANDING_WORDS } from "../../core/flow/run-standing.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";

export function runFilterHandlers({ workflows, faultline }: ServerParts): HandlersOf<"showRunFilters"> {
  return {
    async showRunFilters({ locale }) {
      const known = (await workflows.known()).map(({ workflow }) => workflow);
      const targets = new Set([
        ...known.flatMap(({ outline }) => outline.nodes.flatMap((node) => node.targets)),
        ...faultline.targets().map(({ target }) => target),
      ]);
      return {
        states: RUN_STANDINGS.map((id) => ({ id, label: STANDING_WORDS[locale][id] })),
        causes: FAULT_CAUSES.flatMap((id) => {
          const [code] = codesWithCause(id);
          return code === undefined ? [] : [{ id, label: pillOf(code, locale) }];
        }),
        codes: FAULT_CODES.map((id) => ({ id, label: wordsFor(id, locale).title, cause: traitsOf(id).cause })),
        workflows: Array.from(new Set(known.map(({ id }) => id)), (id) => ({ id, label: id })),
        targets: Array.from(targets, (id) => ({ id, label: id })),
      };
    },
  };
}
