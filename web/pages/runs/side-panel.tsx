// The chosen run beside the list. Next and previous walk the list as it is filtered.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useKeys } from "../../app/keys.ts";
import { useWords } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { RunPanel } from "../run/run-panel.tsx";
import type { RunLine } from "./run-row.tsx";
import { RUNS_WORDS } from "./words.ts";

export interface SidePanelProps {
  readonly run: string;
  readonly rows: readonly (RunLine | undefined)[];
  readonly onChoose: (run: string | null) => void;
}

export function SidePanel({ run, rows, onChoose }: SidePanelProps): ReactNode {
  const words = useWords(RUNS_WORDS);
  const { count } = useFormat();
  const close = (): void => onChoose(null);
  useKeys([{ keys: "Escape", says: words.close, does: close }]);
  const at = rows.findIndex((row) => row?.run === run);
  const [before, after] = [rows[at - 1], at === -1 ? undefined : rows[at + 1]];
  return (
    <aside className="runs-panel" aria-label={words.panel}>
      <nav className="runs-walk" aria-label={words.panel}>
        <Step icon="back" label={words.previous} to={before} onChoose={onChoose} />
        <Step icon="next" label={words.next} to={after} onChoose={onChoose} />
        <span className="dim num">{at === -1 ? "" : words.place(count(at + 1), count(rows.length))}</span>
        <Link className="runs-page-link" to="/runs/$run" params={{ run }}>
          <Icon name="link" /> {words.page}
        </Link>
      </nav>
      <RunPanel key={run} run={run} onClose={close} />
    </aside>
  );
}

interface StepProps {
  readonly icon: "back" | "next";
  readonly label: string;
  readonly to: RunLine | undefined;
  readonly onChoose: (run: string) => void;
}

function Step({ icon, label, to, onChoose }: StepProps): ReactNode {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      disabled={to === undefined}
      onClick={() => (to === undefined ? undefined : onChoose(to.run))}
    >
      <Icon name={icon} />
    </button>
  );
}
