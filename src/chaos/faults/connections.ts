// Faults of the connection itself: there is no answer at all.

import { row } from "./fault-row.ts";

// prettier-ignore
export const CONNECTIONS = [
  row("reset", "NetworkDisconnect", {
    about: "The connection is reset before a single byte of answer.",
    seenIn: "transport", plan: () => [{ do: "reset" }] }),
  row("hang", "NetworkTimeout", {
    about: "The request is read and nothing comes back, not even headers, until the connection is closed.",
    seenIn: "transport", params: { "for-ms": 600_000 }, plan: ({ params }) => [{ do: "wait", ms: params["for-ms"] }, { do: "cut" }] }),
  row("refuse", "NetworkDisconnect", {
    about: "This connection is reset, and new connections are refused for a while.",
    seenIn: "transport", params: { "for-ms": 1000 }, plan: ({ params }) => [{ do: "refuse", ms: params["for-ms"] }] }),
] as const;
