// Filters as chips. What is chosen stands in the page's address, so that a view can be shared and the way back works.

import * as Menu from "@radix-ui/react-dropdown-menu";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useSearchParams } from "../app/search-params.ts";
import { useWords, wordTable } from "../app/words.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import "./actions.css";
import "./filters.css";

export interface Choice {
  readonly id: string;
  readonly label: string;
}

export interface ChoiceFilterProps {
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** One of several values, or any. */
export function ChoiceFilter({ name, label, choices }: ChoiceFilterProps): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const value = search.get(name);
  const chosen = choices.find(({ id }) => id === value)?.label ?? value;
  return (
    <Menu.Root>
      <Menu.Trigger className={value === null ? "chip" : "chip chip-on"}>
        <span>{label}</span>
        {chosen === null ? <Icon name="open" size={10} /> : <b className="one-line">{chosen}</b>}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" sideOffset={4} aria-label={label}>
          <Menu.RadioGroup value={value ?? ""} onValueChange={(id) => search.set({ [name]: id === "" ? null : id })}>
            {[{ id: "", label: words.any }, ...choices].map((choice) => (
              <Menu.RadioItem key={choice.id} value={choice.id} className="menu-item menu-choice">
                <span className="menu-tick">
                  <Menu.ItemIndicator>
                    <Icon name="completed" />
                  </Menu.ItemIndicator>
                </span>
                {choice.label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

export interface ToggleFilterProps {
  readonly name: string;
  readonly label: string;
  /** What stands in the address while it is off; the default is on. */
  readonly off: string;
}

/** Something that is on unless the address says otherwise. */
export function ToggleFilter({ name, label, off }: ToggleFilterProps): ReactNode {
  const search = useSearchParams();
  const isOn = search.get(name) !== off;
  return (
    <button
      type="button"
      className={isOn ? "chip chip-on" : "chip"}
      aria-pressed={isOn}
      onClick={() => search.set({ [name]: isOn ? off : null })}
    >
      {isOn ? <Icon name="completed" /> : null}
      <span>{label}</span>
    </button>
  );
}

const TYPED_MS = 250;

export interface TextFilterProps {
  readonly name: string;
  readonly label: string;
  /** Only the whole text fits something, so it counts when it is complete: with Enter, or when the field is left. */
  readonly isWhole?: boolean;
}

/** Free text. What is typed reaches the address after a short rest. */
export function TextFilter({ name, label, isWhole = false }: TextFilterProps): ReactNode {
  const search = useSearchParams();
  const value = search.get(name) ?? "";
  const [typed, setTyped] = useState(value);
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => setTyped(value), [value]);
  const apply = (): void => latest.current.set({ [name]: typed.trim() === "" ? null : typed.trim() });
  useEffect(() => {
    // What was cleared counts at once.
    if (typed === value || (isWhole && typed !== "")) return undefined;
    const timer = setTimeout(apply, TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, name, isWhole]);
  return (
    <label className={value === "" ? "chip chip-text" : "chip chip-text chip-on"}>
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => (event.key === "Enter" ? apply() : undefined)}
        onBlur={() => (typed.trim() === value ? undefined : apply())}
      />
    </label>
  );
}

/** Removes all filters; only there when one is set. */
export function ClearFilters({ names }: { readonly names: readonly string[] }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  if (names.every((name) => search.get(name) === null)) return null;
  return (
    <Button kind="quiet" onClick={() => search.set(Object.fromEntries(names.map((name) => [name, null])))}>
      {words.clear}
    </Button>
  );
}

const WORDS = wordTable({
  "en": { any: "Any", clear: "Clear filters" },
  "zh-CN": { any: "不限", clear: "清除筛选" },
});
