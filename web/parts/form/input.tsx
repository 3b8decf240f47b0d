// The input of one field.

import type { ReactNode } from "react";
import { useWords } from "../../app/words.ts";
import { type Draft, textIn } from "./draft.ts";
import { FORM_WORDS } from "./form-words.ts";
import type { ChoiceField, Field } from "./schema-field.ts";

export interface InputProps {
  readonly id: string;
  readonly field: Field;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly isRequired: boolean;
  readonly isWrong: boolean;
  readonly describedBy: string;
}

export function InputFor({ id, field, draft, onChange, isRequired, isWrong, describedBy }: InputProps): ReactNode {
  const same = {
    id,
    "aria-required": isRequired,
    "aria-invalid": isWrong,
    ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
  };
  const text = {
    ...same,
    value: textIn(draft),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  switch (field.kind) {
    case "yes-no":
      return (
        <input
          {...{ ...same, "aria-required": undefined }}
          type="checkbox"
          checked={draft === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case "choice":
      return <Choice {...text} field={field} />;
    case "number":
      // Not type=number: that loses what is not a number, and reacts to the wheel.
      return <input {...text} className="form-number" inputMode={field.isWhole ? "numeric" : "decimal"} />;
    case "text":
      return field.isLong ? (
        <textarea {...text} rows={4} />
      ) : (
        <input {...text} type={field.input} {...(field.input === "password" ? { autoComplete: "off" } : {})} />
      );
    default:
      return <textarea {...text} rows={4} spellCheck={false} placeholder="JSON" />;
  }
}

function Choice({ field, ...more }: { readonly field: ChoiceField; readonly value: string }): ReactNode {
  const words = useWords(FORM_WORDS);
  const labelOf = (value: unknown, label: string): string =>
    typeof value === "boolean" ? (value ? words.yes : words.no) : label;
  return (
    <select {...more}>
      {field.options.length === 1 ? null : <option value="">{words.choose}</option>}
      {field.options.map(({ value, label }, index) => (
        <option key={label} value={String(index)}>
          {labelOf(value, label)}
        </option>
      ))}
    </select>
  );
}
