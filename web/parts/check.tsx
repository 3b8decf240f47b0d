// A box to tick, with its words.

import type { ReactNode } from "react";
import "./field.css";

export interface CheckProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Check({ name, isOn, onChange }: CheckProps): ReactNode {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
      {name}
    </label>
  );
}
