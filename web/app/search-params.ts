// The filters of a page, read from and written to its address.

import { useNavigate, useSearch } from "@tanstack/react-router";

export interface SearchParams {
  readonly get: (name: string) => string | null;
  /** null removes a filter. Replaces the entry in the history unless told otherwise. */
  readonly set: (change: Readonly<Record<string, string | null>>, options?: { readonly push?: boolean }) => void;
}

export function useSearchParams(): SearchParams {
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    get: (name) => search[name] ?? null,
    set: (change, { push = false } = {}) => {
      const merged = Object.entries({ ...search, ...change }).filter(([, value]) => value !== null && value !== "");
      void navigate({ to: ".", search: Object.fromEntries(merged) as never, replace: !push });
    },
  };
}
