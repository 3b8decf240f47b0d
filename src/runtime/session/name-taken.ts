// A name is given once: to a session, or to a run, which is a session too.

import { fault, type Fault } from "../../core/fault/fault.ts";

export function nameTaken(id: string): Fault {
  const message = `the name ${id} is taken: there is a run or a session of that name in this journal; choose another one`;
  return fault("EngineState", { message, context: { session: id } });
}
