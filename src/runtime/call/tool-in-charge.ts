// Which tool goes on with a call that other tools have tried: the last of them. Each was an alternative of one before it.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Binding } from "./binding.ts";
import type { LiveCall } from "./live-call.ts";

/** Throws when it is not there: without it, another tool would answer for work it has not done. */
export function toolInCharge({ call, engine, request }: LiveCall, tried: readonly string[]): Binding {
  let { binding } = request;
  const known = [...binding.alternatives, ...(binding.tool.chain?.members ?? [])];
  for (const id of tried.slice(1)) {
    const found = known.find((other) => other.id === id) ?? engine.find(id);
    if (found === undefined) throw new FaultError(toolGone(call, id));
    binding = binding.bindings.bind(found);
    known.push(...binding.alternatives);
  }
  return binding;
}

function toolGone(call: string, id: string): Fault {
  return fault("ResumeMismatch", {
    message: `call ${call} was continued with the tool ${id}, which no longer exists; register it, or use another call id`,
    context: { call, tool: id },
  });
}
