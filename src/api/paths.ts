// Every route of the server by name: where it is and whether it acts. Plain data without schemas, so that a page can carry it;
// `routes.ts` says what goes in and what comes out.

export type Method = "GET" | "POST" | "DELETE";

export interface RoutePath {
  readonly method: Method;
  /** With its parameters in braces. */
  readonly path: string;
}

function get<const Path extends string>(path: Path): { readonly method: "GET"; readonly path: Path } {
  return { method: "GET", path };
}

function post<const Path extends string>(path: Path): { readonly method: "POST"; readonly path: Path } {
  return { method: "POST", path };
}

// prettier-ignore
export const PATHS = {
  health:           get("/v1/health"),
  ready:            get("/v1/ready"),
  openapi:          get("/v1/openapi.json"),
  logIn:            post("/v1/login"),
  logOut:           post("/v1/logout"),
  whoAmI:           get("/v1/whoami"),
  listTokens:       get("/v1/tokens"),
  showSettings:     get("/v1/settings"),
  overview:         get("/v1/overview"),
  search:           get("/v1/search"),
  lookUp:           get("/v1/lookup"),
  metrics:          get("/metrics"),

  mayCall:          post("/v1/calls/ask"),
  reportSuccess:    post("/v1/calls/succeeded"),
  reportFailure:    post("/v1/failures"),
  showFailure:      get("/v1/failures/{id}"),
  reportOutcome:    post("/v1/failures/{id}/outcome"),

  listFaultGroups:  get("/v1/fault-groups"),
  showFaultGroup:   get("/v1/fault-groups/{fingerprint}"),
  listFaults:       get("/v1/fault-groups/{fingerprint}/faults"),

  previewBulk:      post("/v1/fault-groups/{fingerprint}/preview"),
  startBulk:        post("/v1/fault-groups/{fingerprint}/actions"),
  listBulks:        get("/v1/bulk"),
  showBulk:         get("/v1/bulk/{bulk}"),
  abortBulk:        post("/v1/bulk/{bulk}/abort"),

  listTargets:      get("/v1/targets"),
  isolateTarget:    post("/v1/targets/{target}/isolate"),
  resetTarget:      post("/v1/targets/{target}/reset"),
  probeTarget:      post("/v1/targets/{target}/probe"),

  showGateway:      get("/v1/gateway"),
  listGatewayCalls: get("/v1/gateway/calls"),
  showGatewayCall:  get("/v1/gateway/calls/{call}"),

  showPolicy:       get("/v1/policy"),
  checkPolicy:      post("/v1/policy/check"),
  replayPolicy:     post("/v1/policy/replay"),
  replayProgress:   get("/v1/policy/replay"),
  classify:         post("/v1/classify"),

  listRuns:         get("/v1/runs"),
  showRunFilters:   get("/v1/run-filters"),
  startRun:         post("/v1/runs"),
  showRun:          get("/v1/runs/{run}"),
  listRunEvents:    get("/v1/runs/{run}/events"),
  listAttempts:     get("/v1/runs/{run}/attempts"),
  showOutput:       get("/v1/runs/{run}/output"),
  act:              post("/v1/runs/{run}/actions"),
  cancelRun:        post("/v1/runs/{run}/cancel"),
  resumeRun:        post("/v1/runs/{run}/resume"),
  exportRun:        get("/v1/runs/{run}/export"),
  reportOnRun:      get("/v1/runs/{run}/report"),
  listFiles:        get("/v1/runs/{run}/files"),
  showFile:         get("/v1/runs/{run}/files/{file}"),

  listQuestions:    get("/v1/questions"),
  showQuestion:     get("/v1/questions/{question}"),
  answerQuestion:   post("/v1/questions/{question}/answer"),
  lookAtQuestion:   post("/v1/questions/{question}/look"),

  listSessions:     get("/v1/sessions"),
  showSession:      get("/v1/sessions/{session}"),
  endSession:       post("/v1/sessions/{session}/end"),
  listEntries:      get("/v1/sessions/{session}/events"),
  traceSession:     get("/v1/sessions/{session}/trace"),
  showArtefact:     get("/v1/artefacts/{ref}"),

  listTools:        get("/v1/tools"),
  listWorkflows:    get("/v1/workflows"),
  showWorkflow:     get("/v1/workflows/{workflow}"),
  checkWorkflow:    post("/v1/workflows/check"),

  listAudit:        get("/v1/audit"),
  events:           get("/v1/events"),
} as const satisfies Readonly<Record<string, RoutePath>>;

/** The name of a route: a method of the client, and the operation's id in the OpenAPI document. */
export type RouteName = keyof typeof PATHS;
