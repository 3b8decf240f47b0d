// The filters of the list of groups. They are in the address, so that a view can be shared.

import type { ReactNode } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { type Choice, ChoiceFilter, ClearFilters, TextFilter } from "../../parts/filters.tsx";
import type { Group } from "./groups-page.tsx";

export const GROUP_FILTERS = ["q", "code", "tool"] as const;

export function GroupFilters({ groups }: { readonly groups: readonly Group[] }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const codes = namesOf(groups, search.get("code"), ({ code }) => code);
  const tools = namesOf(groups, search.get("tool"), ({ tool }) => tool);
  return (
    <>
      <ChoiceFilter name="code" label={words.code} choices={codes} />
      <ChoiceFilter name="tool" label={words.tool} choices={tools} />
      <TextFilter name="q" label={words.contains} />
      <ClearFilters names={GROUP_FILTERS} />
    </>
  );
}

/** What the loaded groups have, and what is chosen although none of them has it. */
function namesOf(groups: readonly Group[], chosen: string | null, nameOf: (group: Group) => string): readonly Choice[] {
  const names = new Set([...groups.map(nameOf), ...(chosen === null ? [] : [chosen])]);
  names.delete("");
  return [...names].toSorted().map((id) => ({ id, label: id }));
}

const WORDS = wordTable({
  "en": { code: "Fault", tool: "Target", contains: "Contains…" },
  "zh-CN": { code: "故障", tool: "目标", contains: "包含…" },
});
