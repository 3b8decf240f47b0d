// Tabs above what they show. The tab is in the address, so that a view can be shared.

import * as Tabs from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
import { useSearchParams } from "../app/search-params.ts";
import "./tabs.css";

export interface TabPagesProps<Name extends string> {
  readonly label: string;
  /** The first one is shown when the address names none. */
  readonly names: readonly [Name, ...Name[]];
  readonly words: Readonly<Record<Name, string>>;
  readonly className: string;
  readonly pageClassName?: string;
  readonly page: (name: Name) => ReactNode;
}

export function TabPages<Name extends string>(props: TabPagesProps<Name>): ReactNode {
  const { label, names, words, className, pageClassName = "", page } = props;
  const search = useSearchParams();
  const shown = names.find((one) => one === search.get("tab")) ?? names[0];
  return (
    <Tabs.Root
      className={className}
      value={shown}
      onValueChange={(tab) => search.set({ tab: tab === names[0] ? null : tab })}
    >
      <Tabs.List className="tab-list" aria-label={label}>
        {names.map((name) => (
          <Tabs.Trigger key={name} value={name}>
            {words[name]}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Content key={name} className={pageClassName} value={name}>
          {name === shown ? page(name) : null}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
