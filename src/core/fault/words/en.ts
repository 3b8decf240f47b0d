// The English sentences of every fault code, in the catalogue's order. Static text only: nothing is ever filled in.

import type { Words } from "./fault-words.ts";

export const EN = (): Words => ({
  ShapeInvalid: {
    title: "Data not valid",
    user: "Some of the data given to the agent does not have the expected form.",
    next: "Check what you entered and send it again; ask the operator if it looks right to you.",
    model:
      "The data did not have the required form; correct the fields that are wrong and do not send the same data again.",
    operator: "A value failed validation at a boundary; check the field named in the evidence, and its sender.",
  },
  ContractVersionMismatch: {
    title: "Versions do not match",
    user: "Two parts of the agent were made for different versions and cannot work together.",
    next: "Ask the operator to update the agent or the part that does not match.",
    model:
      "A component has an incompatible version; do not repeat the call, use another tool or tell the user it needs an update.",
    operator:
      "The declared contract version is not one this build supports; update the extension, the file or this package.",
  },
  ConfigSchemaViolation: {
    title: "Configuration not valid",
    user: "The agent's settings contain a mistake, so it could not start this work.",
    next: "Correct the settings, or ask the operator to do so, then start again.",
    model: "The configuration is invalid and you cannot correct it from here; do not repeat the call, tell the user.",
    operator: "The configuration does not match its schema; correct the reported keys and values, then start again.",
  },

  RateLimited: {
    title: "Too many requests",
    user: "The service is receiving too many requests from this account right now.",
    next: "Wait a minute, then try again. If it keeps happening, pick another model or ask for a higher limit.",
    nextAfter: "Wait {wait}, then try again. If that is too long, pick another model or ask for a higher limit.",
    model:
      "The service limits how often it may be called; do not call it again right away, continue with other work or fewer calls.",
    operator:
      "Rate limit hit (HTTP 429); check the account's request and token limits, concurrency and the Retry-After given.",
  },
  Overloaded: {
    title: "Service overloaded",
    user: "The service has more work than it can take at the moment.",
    next: "Wait a minute, then try again. If it keeps happening, use another service.",
    nextAfter: "Wait {wait}, then try again. If that is too long, use another service.",
    model:
      "The service is overloaded and did not take the request; do not call it again right away, use another service if you can.",
    operator:
      "The other side reports that it is overloaded; check its status page, and declare a fallback or an alternative.",
  },
  Provider5xx: {
    title: "Service error",
    user: "The service had an internal problem and could not answer.",
    next: "Try again in a few minutes. If it keeps happening, pick another model or ask the operator.",
    nextAfter: "Wait {wait}, then try again. If it keeps happening, pick another model or ask the operator.",
    model:
      "The service failed on its side; your arguments are probably fine, but check for any effect before you repeat a change.",
    operator: "The upstream answered with a 5xx status; check its status page and the request id in the evidence.",
  },
  NetworkTimeout: {
    title: "No answer in time",
    user: "The service did not answer in time.",
    next: "Check your connection and try again. If it keeps happening, pick another model or a smaller task.",
    model:
      "No answer came in time; the request may still have arrived, so check for its effect before you repeat a change.",
    operator:
      "Network timeout, may be retried; check latency, proxy and DNS, and whether the timeout suits this model.",
  },
  NetworkDisconnect: {
    title: "Connection lost",
    user: "The connection to the service broke off before the answer was complete.",
    next: "Check your connection and try again. If it keeps happening, ask the operator.",
    model:
      "The connection broke off; the request may still have arrived, so check for its effect before you repeat a change.",
    operator:
      "The stream or socket closed before completion, may be retried; check network, proxy idle limits and upstream.",
  },
  AnswerUnreadable: {
    title: "Answer could not be read",
    user: "The service answered with something that is not an answer, such as a web page or broken data.",
    next: "Try again in a minute. If it keeps happening, pick another model or ask the operator.",
    model:
      "The service sent something that could not be read; your arguments are probably fine, but check for any effect before you repeat a change.",
    operator:
      "The body of a successful response could not be read (a page, broken compression, no JSON, nothing at all); check the base URL, proxies and gateways in between.",
  },

  AuthFailed: {
    title: "Sign-in failed",
    user: "The service did not accept the sign-in or the key the agent uses.",
    next: "Sign in again or enter a valid key; ask the operator if the key is not yours.",
    model:
      "The service did not accept the credential; do not repeat the call or look for another one, ask the user to sign in.",
    operator: "Authentication failed (HTTP 401); check that the token is set, current and meant for this endpoint.",
  },
  KeyMissing: {
    title: "Key missing",
    user: "The agent has no key or sign-in for this service.",
    next: "Sign in or set the key; ask the operator if you do not manage it.",
    model:
      "No credential for this service is set; do not repeat the call or look for a credential, ask the user to set one.",
    operator: "No key was found, so nothing was sent; set the environment variable or the setting that holds it.",
  },
  AccessDenied: {
    title: "Access denied",
    user: "This account is not allowed to use what was asked for.",
    next: "Ask the operator or the account's owner for access, or pick a model this account may use.",
    model:
      "This account may not do that; do not repeat the call or try to get around the denial, ask the user for access.",
    operator:
      "Credential accepted but not permitted (HTTP 403); check its roles, project, region and access to this model.",
  },
  QuotaExhausted: {
    title: "Quota used up",
    user: "The account's quota or credit for this service is used up.",
    next: "Add credit, wait until the quota resets, or switch to another account or model.",
    model:
      "The quota for this service is used up; do not repeat the call, use another tool or tell the user that credit is needed.",
    operator:
      "Quota or credit is exhausted; check billing, the plan's limits and the reset time, or configure a fallback.",
  },
  TlsUntrusted: {
    title: "Connection not trusted",
    user: "The service could not prove who it is, so the agent did not connect to it.",
    next: "Ask the operator to check the certificate; a company network or a wrong clock is often the cause.",
    model: "The secure connection was refused; do not repeat the call or turn certificate checks off, tell the user.",
    operator:
      "TLS verification failed; check for an expired or self-signed certificate, a missing CA, a proxy or a wrong clock.",
  },
  BinaryMissing: {
    title: "Agent program not found",
    user: "The program this agent needs is not installed or could not be found.",
    next: "Install the program, or ask the operator to, then try again.",
    model: "A needed program is not installed; do not repeat the call, use another tool or ask the user to install it.",
    operator:
      "The CLI could not be started because it was not found; install it, or correct PATH or the configured command.",
  },
  PermissionLoop: {
    title: "Permission missing",
    user: "The agent kept asking for a permission it does not have, so it was stopped.",
    next: "Grant the permission if you agree with it, then start this step again.",
    model:
      "The same permission was denied repeatedly; do not ask again or try to get around it, wait for the user to grant it.",
    operator:
      "Repeated permission denials, stopped early; grant the permission in the agent CLI's settings or narrow the task.",
  },

  RequestInvalid: {
    title: "Request not accepted",
    user: "The service did not accept the request because something in it is not valid.",
    next: "Change the request or pick another model; ask the operator if you did not set anything special.",
    model:
      "The service found the request invalid; correct it before you send it again, the same request will fail again.",
    operator:
      "The provider refused the request (HTTP 400); check parameters, message order and tool schemas in the evidence.",
  },
  ModelNotFound: {
    title: "Model not found",
    user: "The chosen AI model does not exist or this account cannot use it.",
    next: "Pick another model, or ask the operator to correct the model's name.",
    model:
      "The requested model does not exist here; do not repeat the call, choose another model or ask the user for one.",
    operator: "Unknown model id; check its spelling, region and retirement, and that this account has access to it.",
  },
  EndpointNotFound: {
    title: "Service address wrong",
    user: "There is no service at the configured address.",
    next: "Ask the operator to check the service address in the settings.",
    model:
      "The service does not exist at its configured address; do not repeat the call, use another tool or tell the user.",
    operator: "The endpoint does not exist (HTTP 404); check the base URL, its version prefix and the deployment name.",
  },
  SessionLost: {
    title: "Session lost",
    user: "The earlier conversation is no longer known to the agent.",
    next: "Nothing, if the agent continues in a new conversation; otherwise start one and repeat what matters from the old one.",
    model: "The earlier session does not exist any more; start a new one with what has to be known from it.",
    operator:
      "The session id given to resume is unknown to the agent CLI: it was deleted, or belongs to another folder or account.",
  },
  ContextOverflow: {
    title: "Conversation too long",
    user: "The conversation has become longer than this model can read at once.",
    next: "Shorten the conversation or the attached material, start a new one, or pick a model that reads more.",
    model:
      "The request is longer than the context window; send less: summarise, drop old results or read in smaller parts.",
    operator:
      "The input exceeds the model's context window; turn on compaction, trim tool results or use a larger model.",
  },
  ContentFiltered: {
    title: "Blocked by content filter",
    user: "The AI service declined this because of its content rules.",
    next: "Rephrase the request or leave out the part in question; sending the same text again gives the same result.",
    model:
      "The content was blocked by policy; do not repeat it or disguise it, take an acceptable approach or tell the user.",
    operator:
      "The provider's content filter blocked input or output; check the filter category and the policy settings.",
  },

  MissingStreaming: {
    title: "Streaming not supported",
    user: "The chosen model cannot send its answer piece by piece, which this work needs.",
    next: "Pick a model that supports streaming, or turn streaming off.",
    model: "The model cannot stream; do not repeat the request as it is, ask for a whole answer or use another model.",
    operator: "Streaming is required but this model does not offer it; choose another model or drop the requirement.",
  },
  MissingToolCalling: {
    title: "Tools not supported",
    user: "The chosen model cannot use tools, which this work needs.",
    next: "Pick a model that can use tools.",
    model:
      "The model cannot call tools; do not repeat the request with tools, continue without them or use another model.",
    operator: "Tool calling is required but this model does not offer it; choose another model or drop the tools.",
  },
  MissingModality: {
    title: "Media type not supported",
    user: "The chosen model cannot handle this kind of content, such as images, sound or documents.",
    next: "Pick a model that can handle it, or send the content as text.",
    model: "The model cannot handle this type of content; do not send it again, use text instead or another model.",
    operator:
      "The request contains or asks for a modality this model lacks; route it to a capable model or convert the content.",
  },
  MissingCapability: {
    title: "Feature not supported",
    user: "The chosen model lacks a feature this work needs.",
    next: "Pick another model, or ask the operator which one offers it.",
    model:
      "The model lacks a required feature; do not repeat the request unchanged, continue without the feature or ask the user.",
    operator: "Capability negotiation rejected this model; compare the required capabilities with those it declares.",
  },
  ContextWindowTooSmall: {
    title: "Model too small",
    user: "The chosen model cannot read as much text at once as this work needs.",
    next: "Pick a model that reads more text at once, or make the task smaller.",
    model:
      "The model's context window is too small for this task; use a larger model or split the task into smaller parts.",
    operator:
      "The declared context window is below the required minimum; choose a larger model or lower the requirement.",
  },

  SchemaInvalid: {
    title: "Output format wrong",
    user: "The agent's answer did not have the form this step needs.",
    next: "Run this step again. If it keeps happening, pick another model or ask the operator.",
    model:
      "The output did not match the required schema; produce it again exactly as the schema asks, with no other text.",
    operator: "Reviewer or tester output is invalid JSON or lacks fields; compare the raw output with the schema.",
  },
  OutputTruncated: {
    title: "Answer cut off",
    user: "The agent's answer was cut off before its end because it was too long.",
    next: "Ask for a shorter answer or split the task into smaller parts.",
    model:
      "The output was cut off at the length limit; answer more briefly or in smaller parts, do not repeat it as it was.",
    operator: "The model stopped at its output limit; raise the maximum output tokens or ask for less at a time.",
  },
  EmptyOutput: {
    title: "Empty answer",
    user: "The agent gave no answer.",
    next: "Ask again, perhaps in other words. If it keeps happening, pick another model.",
    model: "The output was empty; give a complete answer, or say plainly why you cannot.",
    operator:
      "The call ended without text or tool calls; check the stop reason, the reasoning budget and the raw output.",
  },
  TestsFailed: {
    title: "Tests failed",
    user: "The tests ran and found problems in the work.",
    next: "Look at the failing tests, have the work corrected, and run the tests again.",
    model: "The tests failed; read what they report, correct the work and do not rerun them without a change.",
    operator: "A test command ended with a non-zero exit code; look at the failing command and its stderr.",
  },
  AssertFailed: {
    title: "Result refused",
    user: "A step gave a result that its own check did not accept.",
    next: "Run this step again, or look at what it gave and change the task.",
    model: "The step's check refused the result; read its reason and give a result that meets it.",
    operator: "The stage's assertion did not hold; compare its reason with the output in the raw file.",
  },

  ExecutionTimeout: {
    title: "Tool took too long",
    user: "A tool did not finish in the time it was given.",
    next: "Check whether its work was done. If it keeps happening, make the task smaller or ask the operator.",
    model: "The tool ran out of time and may have done its work; check whether it did before you repeat the call.",
    operator:
      "The tool passed its time limit; check what it was waiting for, its timeout and whether it is idempotent.",
  },
  ResourceBusy: {
    title: "Resource in use",
    user: "Something the tool needs is in use by someone else at the moment.",
    next: "Wait a moment, then try again. If it keeps happening, close other programs that may use it.",
    model:
      "What the tool needs is busy or locked and nothing was done; do something else first and call it again later.",
    operator: "The tool met a lock or a busy resource; find out who holds it and whether a stale lock was left behind.",
  },
  ToolUnavailable: {
    title: "Tool not reachable",
    user: "A tool the agent uses cannot be reached at the moment.",
    next: "Wait a moment, then try again. If it keeps happening, ask the operator.",
    model:
      "The tool cannot be reached and nothing was done; use another tool, continue without it or call it again later.",
    operator:
      "The tool's server refused or did not accept the connection; check that it is running and its address is right.",
  },

  InputInvalid: {
    title: "Tool input not valid",
    user: "The agent called a tool with input the tool does not accept.",
    next: "Give the missing or corrected details. If it keeps happening, ask the operator.",
    model: "The tool did not accept the arguments; correct them to fit its input schema, do not repeat the same call.",
    operator: "Tool arguments failed input validation; compare the call with the tool's schema and its description.",
  },
  OutputMalformed: {
    title: "Tool result unreadable",
    user: "A tool ran, but its result could not be read.",
    next: "Check whether its work was done before you run it again, and tell the operator.",
    model: "The tool ran but its result was unreadable; check whether the work was done before you repeat the call.",
    operator:
      "The tool's result does not match its output schema; compare the raw result with the schema and fix the tool.",
  },
  Forbidden: {
    title: "Tool not allowed",
    user: "The agent is not allowed to do what it tried with this tool.",
    next: "Allow it if you agree with it, or tell the agent to do without it.",
    model:
      "This tool call was denied; do not repeat it or try to get around the denial, continue without it or ask the user.",
    operator:
      "A policy, a grant or a person denied the tool call; check the tool's permissions and the approval record.",
  },
  ApprovalRejected: {
    title: "Not approved",
    user: "The approval that this step needs was not given, so the work stopped there.",
    next: "Answer again if you changed your mind, or send the work back with what should be different.",
    model:
      "The approval for this step was not given; do not repeat it unchanged, change what was criticised or ask the user.",
    operator:
      'Not approved, or not answered in time; ask again, send the work back, or add an edge with `when: "!output.approved"`.',
  },
  NotFound: {
    title: "Nothing found",
    user: "What the tool was asked for does not exist.",
    next: "Check the name or address you gave and try again.",
    model:
      "The tool did not find what you asked for; check the name, look it up first, and do not repeat the same call.",
    operator: "The tool reports that its target does not exist; check the identifier and where the tool looks for it.",
  },
  ExecutionFailed: {
    title: "Tool failed",
    user: "A tool failed while it was working.",
    next: "Check whether part of its work was done before you run it again. If it keeps happening, ask the operator.",
    model:
      "The tool failed while running and may have done part of the work; check what was done before you repeat the call.",
    operator:
      "The tool raised an error or exited non-zero; look at its error output and its log, which are in the evidence.",
  },
  Unsupported: {
    title: "Tool cannot do this",
    user: "There is no such tool here, or the tool cannot do what was asked.",
    next: "Ask for it in another way, or ask the operator to add a tool for it.",
    model:
      "This tool or operation does not exist here; do not repeat the call, use a tool from your list or continue without it.",
    operator:
      "Tool not registered, disabled or without this operation; check the tool registry and the name the model used.",
  },
  ResourceExhausted: {
    title: "Machine out of resources",
    user: "The machine the agent runs on has run out of memory, disk space or a similar resource.",
    next: "Free some space or memory, or ask the operator to, then try again.",
    model: "The machine ran out of memory or space; do not repeat the call, try with much less data or tell the user.",
    operator:
      "The host is out of disk, memory, processes or file handles; check usage and limits, then free or raise them.",
  },

  ManifestDrift: {
    title: "Session record inconsistent",
    user: "The saved session is incomplete or no longer fits this agent, so it was not opened.",
    next: "Start a new session, or ask the operator to look at the saved one.",
    model: "The saved session cannot be used as it is; do not repeat the call, tell the user to start a new session.",
    operator:
      "The stored manifest lacks what is needed or differs from what was recorded; compare it with the current setup.",
  },
  StoreUnavailable: {
    title: "Storage not available",
    user: "The agent could not save or read its progress.",
    next: "Try again in a moment. If it keeps happening, ask the operator to check the storage.",
    model:
      "Progress could not be saved or read; check what was recorded before you repeat anything that changes something.",
    operator:
      "The session store could not be read or written; check the disk, permissions, locks and the database connection.",
  },
  ResumeMismatch: {
    title: "Session cannot resume",
    user: "This session was saved by a different setup and cannot be continued in this one.",
    next: "Open it in the setup it was saved with, or start a new session.",
    model:
      "The session does not belong to this setup; do not try to resume it again, tell the user to start a new one.",
    operator: "The session was written by another store than the active one; select that store or migrate the session.",
  },

  BudgetExceeded: {
    title: "Budget used up",
    user: "The work stopped because it reached the spending limit set for it.",
    next: "Raise the limit if you want it to continue, or accept the result so far.",
    model:
      "The budget is used up; start nothing new and do not work around the limit, report what is done and what is left.",
    operator:
      "The run reached its cost or token cap; look at spending per attempt, then raise the cap or narrow the task.",
  },
  RunTimeout: {
    title: "Run took too long",
    user: "The work stopped because it reached the time limit set for the whole run.",
    next: "Check what has been done, then raise the limit or split the task before you start again.",
    model: "The run reached its time limit; check which work was done before you repeat any of it.",
    operator:
      "The run passed its deadline; find the slowest steps and waits in the journal, or raise the run's time limit.",
  },
  TurnTimeout: {
    title: "Turn took too long",
    user: "The agent did not finish this turn in the time it was given.",
    next: "Check what has been done, then ask for the rest in smaller steps.",
    model:
      "The turn reached its time limit and tools may still have finished; check what was done before you repeat any call.",
    operator:
      "The turn passed its deadline; unfinished tools were left to end unobserved, look for their late results.",
  },
  TurnLimit: {
    title: "Turn limit reached",
    user: "The agent stopped because it reached the number of turns set for it.",
    next: "Raise the limit if you want it to continue, or give it a smaller task.",
    model: "The number of turns is used up; start nothing new, report what is done and what is left.",
    operator: "The loop reached its maximum number of turns; check whether it made progress before you raise the cap.",
  },
  ToolLoop: {
    title: "Same failing call repeated",
    user: "The agent was stopped because it repeated the same failing step again and again.",
    next: "Look at why that step fails, then start again or describe the task in another way.",
    model:
      "The same call failed again and again with the same arguments; do not repeat it, and report what is missing.",
    operator:
      "The model repeated one call with the same arguments and ignored the notice that it keeps failing; repair the tool or change the prompt.",
  },

  CircuitOpen: {
    title: "Paused after failures",
    user: "This service failed several times in a row, so the agent is not calling it for now.",
    next: "Wait a minute, then try again, or pick another model or tool.",
    nextAfter: "Wait {wait}, then try again, or pick another model or tool.",
    model:
      "Calls to this target are paused after repeated failures and nothing was done; use another tool or continue without it.",
    operator:
      "The target's circuit breaker is open; look at the faults that opened it, a probe may pass after the cool-down.",
  },
  RetryBudgetSpent: {
    title: "No retries left",
    user: "Too many attempts have failed lately, so the agent did not try this one again.",
    next: "Wait a few minutes, then start again, or pick another model.",
    nextAfter: "Wait {wait}, then start again, or pick another model.",
    model:
      "No more retries are allowed for this target at present; do not repeat the call, use another way or tell the user.",
    operator:
      "The retry budget is spent because too large a share of calls fail; fix the cause before you raise the budget.",
  },
  QueueFull: {
    title: "Too much waiting",
    user: "Too much work is already waiting, so this was not started.",
    next: "Wait until some of the work is done, then try again.",
    model:
      "Too many calls are waiting and this one was not started; make fewer calls at a time and do other work first.",
    operator:
      "The target's queue reached its bound; check its concurrency limit, its latency and who sends so many calls.",
  },

  SandboxFailed: {
    title: "Expression failed",
    user: "A rule or expression in the workflow could not be worked out.",
    next: "Correct the expression in the workflow, or ask the operator to.",
    model: "An expression failed in the sandbox and would fail again; correct the expression or continue without it.",
    operator:
      "The sandbox reported a syntax, type, memory or result error; check the expression and the values it reads.",
  },
  SandboxTimeout: {
    title: "Expression too slow",
    user: "A rule or expression in the workflow took too long to work out.",
    next: "Try again. If it keeps happening, simplify the expression or ask the operator to.",
    model: "An expression ran out of time in the sandbox; use a simpler one or less data.",
    operator:
      "The sandbox hit its wall-clock limit; check for loops or large inputs, and whether the machine is under load.",
  },

  SessionCancelled: {
    title: "Session cancelled",
    user: "The session was cancelled.",
    next: "Nothing needs doing; start a new session whenever you like.",
    model:
      "The session was cancelled; stop here, and if you are asked to continue, check what was done before you repeat it.",
    operator: "Cancelled: the session's abort signal fired; no error, the record says who cancelled it.",
  },
  TurnCancelled: {
    title: "Turn cancelled",
    user: "This turn was cancelled.",
    next: "Nothing needs doing; send your next message whenever you like.",
    model:
      "The turn was cancelled; do not carry it on by yourself, and check what was done before you repeat any of it.",
    operator: "Cancelled: the turn's abort signal fired; no error, running tools were asked to stop.",
  },
  ToolCancelled: {
    title: "Tool cancelled",
    user: "A tool was cancelled before it finished.",
    next: "Nothing needs doing; ask the agent again if you still want the result.",
    model: "The tool call was cancelled; do not repeat it unless asked, and check first whether its work was done.",
    operator: "Cancelled: this tool call's abort signal fired; no error, it may have left part of its work behind.",
  },

  LifecycleFailure: {
    title: "Extension failed",
    user: "An extension of the agent failed while starting, running or stopping.",
    next: "Ask the operator to check the extension, or continue without it.",
    model: "An extension failed; do not repeat the call, use another tool or continue without what it offers.",
    operator:
      "An extension threw in a lifecycle phase; look up the phase and the extension in the evidence and its log.",
  },
  DependencyCycle: {
    title: "Circular dependency",
    user: "Some parts of the agent wait for each other, so none of them can start.",
    next: "Ask the operator to correct the setup.",
    model: "Components depend on each other in a circle and cannot start; do not repeat the call, tell the user.",
    operator:
      "Extensions or stages require each other in a cycle; break it by removing one of the listed dependencies.",
  },
  DependencyMissing: {
    title: "Required part missing",
    user: "A part the agent needs is not installed or not switched on.",
    next: "Ask the operator to install or switch on the missing part.",
    model: "A required component is missing; do not repeat the call, use another tool or tell the user.",
    operator: "A declared dependency is not installed or not active; install or enable it, or drop what requires it.",
  },

  ProcessCrashed: {
    title: "Program failed",
    user: "A program ended with an error, or something stopped it.",
    next: "Check what has been done, then start this step again. If it keeps happening, ask the operator.",
    model: "The program failed and may have done part of the work; check what was done before you repeat it.",
    operator:
      "The child process ended with a non-zero exit code or was killed by a signal; check exit code, signal, stderr and memory limits.",
  },
  Interrupted: {
    title: "Work interrupted",
    user: "The work was interrupted before its result was known, for example by a restart.",
    next: "Check whether the work was done, then decide whether to run this step again.",
    model: "The work was interrupted and its outcome is unknown; check whether it was done before you repeat it.",
    operator:
      "The call was admitted but has no outcome, as after a crash or restart; verify its effects before running it again.",
  },

  Uncaught: {
    title: "Unexpected error",
    user: "Something unexpected went wrong inside the agent.",
    next: "Check what has been done before you try again, and give the operator the reference shown with this message.",
    model:
      "An unexpected internal error occurred; check whether the work was done before you repeat it, or tell the user.",
    operator:
      "An uncaught exception reached the boundary; open it with `faultline explain <correlation id>` and fix the code that threw it.",
  },
  InvariantBroken: {
    title: "Internal check failed",
    user: "The agent noticed a mistake in its own working and stopped to be safe.",
    next: "Check what has been done, and give the operator the reference shown with this message.",
    model: "An internal check failed and work was stopped; check what was done, do not repeat it and tell the user.",
    operator:
      "An invariant of the engine does not hold: a defect; keep the journal and report it with the correlation id.",
  },
  HostCapabilityMissing: {
    title: "Host feature missing",
    user: "The environment the agent runs in does not offer something this work needs.",
    next: "Ask the operator to provide it, or run the work in another environment.",
    model: "The host does not offer what this call needs; do not repeat it, use another tool or continue without it.",
    operator:
      "The host application did not wire up a required capability; provide it, or remove the tools that need it.",
  },
  EngineState: {
    title: "Not possible now",
    user: "This cannot be done in the present state of the run, for example because it has already ended.",
    next: "Reload to see the run's present state, then choose a step that fits it.",
    model: "The run is not in a state that allows this; look at its state first and do not repeat the call unchanged.",
    operator:
      "The engine was called out of order, such as resuming a finished run; check the caller and the run's state.",
  },

  Unclassified: {
    title: "Unknown problem",
    user: "Something went wrong that the agent does not recognise.",
    next: "Check what has been done before you try again. If it keeps happening, ask the operator.",
    model:
      "The call failed for an unknown reason; check whether the work was done before you repeat it, or use another way.",
    operator: "No classification rule matched; read the evidence, and add a rule for it if the failure comes back.",
  },
});
