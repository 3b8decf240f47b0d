// What the page has read from the server, kept until it changes.

import { QueryClient } from "@tanstack/react-query";
import { ProblemError } from "faultline/client";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // What the server refuses stays refused. Everything else is tried again, because servers restart.
      retry: (count, error) => !(error instanceof ProblemError && error.problem.status < 500) && count < 3,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
