// A labelled control of the lab, and the policies it offers.

import type { ComponentProps, ReactNode } from "react";

export const PRESETS = ["default", "cautious", "eager", "headless"] as const;

interface LabControl {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** `choices`: the value and the label of each. */
export function LabChoice({
  label,
  value,
  onChange,
  choices,
}: LabControl & { readonly choices: readonly (readonly [value: string, label: string])[] }): ReactNode {
  return (
    <label className="lab-field">
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {choices.map(([one, says]) => (
          <option key={one} value={one}>
            {says}
          </option>
        ))}
      </select>
    </label>
  );
}

export function LabInput({
  label,
  onChange,
  className = "",
  ...input
}: LabControl & Omit<ComponentProps<"input">, "onChange" | "value">): ReactNode {
  return (
    <label className={`lab-field ${className}`.trim()}>
      <span>{label}</span>
      <input {...input} onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}
