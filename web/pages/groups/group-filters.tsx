// The filters of the list of groups. They are in the address, so that a view can be shared.

import { type ReactNode, type SubmitEvent, useEffect, useState } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import type { Group } from "./groups-page.tsx";

const TYPING_MS = 250;

export function GroupFilters({ groups }: { readonly groups: readonly Group[] }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const codes = namesOf(groups, search.get("code"), ({ code }) => code);
  const tools = namesOf(groups, search.get("tool"), ({ tool }) => tool);
  const isFiltered = ["q", "code", "tool"].some((name) => search.get(name) !== null);
  return (
    <>
      <TextFilter label={words.find} hint={words.hint} />
      <Choice name="code" label={words.code} any={words.anyCode} names={codes} />
      <Choice name="tool" label={words.tool} any={words.anyTool} names={tools} />
      {isFiltered ? (
        <Button kind="quiet" onClick={() => search.set({ q: null, code: null, tool: null })}>
          {words.clear}
        </Button>
      ) : null}
    </>
  );
}

/** What the loaded groups have, and what is chosen although none of them has it. */
function namesOf(groups: readonly Group[], chosen: string | null, nameOf: (group: Group) => string): readonly string[] {
  const names = new Set([...groups.map(nameOf), ...(chosen === null ? [] : [chosen])]);
  names.delete("");
  return [...names].toSorted();
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly any: string;
  readonly names: readonly string[];
}

function Choice({ name, label, any, names }: ChoiceProps): ReactNode {
  const search = useSearchParams();
  const chosen = search.get(name);
  return (
    <select
      className="groups-filter"
      aria-label={label}
      data-on={chosen !== null}
      value={chosen ?? ""}
      onChange={({ target }) => search.set({ [name]: target.value, chosen: null })}
    >
      <option value="">{any}</option>
      {names.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/** Goes into the address when the person pauses, not with every letter. */
function TextFilter({ label, hint }: { readonly label: string; readonly hint: string }): ReactNode {
  const search = useSearchParams();
  const inAddress = search.get("q") ?? "";
  const [text, setText] = useState(inAddress);
  useEffect(() => setText(inAddress), [inAddress]);
  useEffect(() => {
    if (text.trim() === inAddress) return;
    const timer = setTimeout(() => search.set({ q: text.trim(), chosen: null }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    search.set({ q: text.trim(), chosen: null });
  };
  return (
    <form className="groups-find" onSubmit={submit}>
      <input
        type="search"
        aria-label={label}
        placeholder={hint}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}

const WORDS = wordTable({
  "en": {
    find: "Find groups",
    hint: "Title, code, tool or words of the failure",
    code: "Code",
    anyCode: "Any code",
    tool: "Where",
    anyTool: "Anywhere",
    clear: "Clear filters",
  },
  "zh-CN": {
    find: "查找分组",
    hint: "标题、代码、工具或失败原文",
    code: "代码",
    anyCode: "任意代码",
    tool: "位置",
    anyTool: "任意位置",
    clear: "清除筛选",
  },
});
