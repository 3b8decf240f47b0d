// One of a few views, side by side. The choice stands in the page's address.

import type { ReactNode } from "react";
import { useSearchParams } from "../app/search-params.ts";
import "./switch.css";

export interface SwitchProps {
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
  /** The first one is shown when the address names none of the others. */
  readonly choices: readonly (readonly [id: string, label: string])[];
}

export function Switch({ name, label, choices }: SwitchProps): ReactNode {
  const search = useSearchParams();
  const asked = search.get(name);
  const [first] = choices[0] ?? [""];
  const shown = choices.some(([id]) => id === asked) ? asked : first;
  return (
    <span className="switch" role="group" aria-label={label}>
      {choices.map(([id, text]) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === shown}
          onClick={() => search.set({ [name]: id === first ? null : id, chosen: null })}
        >
          {text}
        </button>
      ))}
    </span>
  );
}
