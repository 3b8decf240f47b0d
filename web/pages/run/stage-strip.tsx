// The stages of a run in one line: a bar for each, with its state in words for everyone who does not see colours.

import type { ReactNode } from "react";
import { useWords } from "../../app/words.ts";
import { toneOf } from "../../parts/pill.tsx";
import type { Run } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./stage-strip.css";

export interface StageStripProps {
  readonly nodes: Run["graph"]["nodes"];
  /** With it the stages show their names and can be chosen. */
  readonly onChoose?: (node: string) => void;
  readonly chosen?: string | null;
}

export function StageStrip({ nodes, onChoose, chosen = null }: StageStripProps): ReactNode {
  const words = useWords(RUN_WORDS);
  return (
    <ol className="strip" aria-label={words.strip} data-named={onChoose !== undefined}>
      {nodes.map(({ id, state }) => {
        const label = state?.label ?? words.notEntered;
        const bar = <i className={state === null ? "strip-bar" : `strip-bar tone-${toneOf(state.id)}`} />;
        return (
          <li key={id} title={`${id}: ${label}`}>
            {onChoose === undefined ? (
              <>
                {bar}
                <span className="visually-hidden">{`${id}: ${label}`}</span>
              </>
            ) : (
              <button type="button" aria-pressed={chosen === id} disabled={state === null} onClick={() => onChoose(id)}>
                {bar}
                <span className="strip-name one-line">{id}</span>
                <span className="strip-state one-line">{label}</span>
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

export function stagesDone(nodes: Run["graph"]["nodes"]): number {
  return nodes.filter(({ state }) => state?.id === "completed").length;
}
