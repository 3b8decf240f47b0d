// The server as the page sees it: the typed client, and one hook that reads a route and keeps the answer fresh.

import {
  keepPreviousData,
  QueryClientProvider,
  type UseMutationResult,
  useMutation,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Client, createClient } from "faultline/client";
import { usePreferences } from "./preferences.ts";
import { queries } from "./queries.ts";

type Methods = Omit<Client, "stream" | "text">;
export type Route = keyof Methods;
export type Sent<Name extends Route> = NonNullable<Parameters<Methods[Name]>[0]>;
export type Answer<Name extends Route> = Awaited<ReturnType<Methods[Name]>>;

const ClientContext = createContext<Client | null>(null);

/** Browsers refuse to keep more than 64 KiB of requests alive. */
const MOST_KEPT_ALIVE = 32_768;

/** What a person does reaches the server, even if the page is closed a moment later. */
const fetchToTheEnd: typeof fetch = (address, init) => {
  const { method = "GET", body } = init ?? {};
  const keepalive = method !== "GET" && typeof body === "string" && body.length < MOST_KEPT_ALIVE;
  return fetch(address, { ...init, keepalive });
};

export function ServerProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { language } = usePreferences();
  const client = useMemo(() => createClient({ baseUrl: location.origin, language, fetch: fetchToTheEnd }), [language]);
  return (
    <QueryClientProvider client={queries}>
      <ClientContext value={client}>{children}</ClientContext>
    </QueryClientProvider>
  );
}

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === null) throw new Error("useClient outside of ServerProvider");
  return client;
}

export interface ReadOptions {
  /** False: does not ask yet. */
  readonly enabled?: boolean;
  /** Asks again after so long, for what no event announces. */
  readonly everyMs?: number;
}

/** Reads a route. The answer is asked for again when events say that it may have changed; see `live.tsx`. */
export function useRead<Name extends Route>(
  name: Name,
  input: Sent<Name>,
  { enabled = true, everyMs }: ReadOptions = {},
): UseQueryResult<Answer<Name>> {
  const client = useClient();
  const { language } = usePreferences();
  return useQuery({
    queryKey: [name, input, language],
    queryFn: ({ signal }) => call(client, name, { ...input, signal }),
    enabled,
    placeholderData: keepPreviousData,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/**
 * Sends something that acts, and asks again for everything on the page afterwards. `onAnswer` is called before that, and also when the
 * component has gone meanwhile; what is given to `mutate` is called after that, and only if the component is still there.
 */
export function useAct<Name extends Route>(
  name: Name,
  onAnswer?: (answer: Answer<Name>) => void,
): UseMutationResult<Answer<Name>, Error, Sent<Name>> {
  const client = useClient();
  return useMutation({
    mutationFn: (input: Sent<Name>) => call(client, name, input),
    onSuccess: (answer) => {
      onAnswer?.(answer);
      return queries.invalidateQueries();
    },
    // A refusal is said at once: where the server is gone, reading everything again takes as long as all its retries.
    onError: () => void queries.invalidateQueries(),
  });
}

/** One place where the types of a method and of its input meet. */
export function call<Name extends Route>(client: Client, name: Name, input: Sent<Name>): Promise<Answer<Name>> {
  const method = client[name] as (input: Sent<Name>) => Promise<Answer<Name>>;
  return method(input);
}
