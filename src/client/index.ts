// `faultline/client`: talks to a Faultline server, from Node or a browser.

export { createClient, ProblemError } from "./client.ts";
export type { EventsOptions } from "./event-stream.ts";
export type { Client, ClientOptions, Input, ProblemDetails, RequestOptions } from "./client.ts";
export type { RouteName } from "../api/paths.ts";
export type { EntryEvent } from "../api/entry-event.ts";
