// A journal may hold codes of a newer program. They are read as the code for unknown failures; reading never fails because of them.

import { type FaultCode, isFaultCode } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";

export function knownCode({ code }: Pick<Fault, "code">): FaultCode {
  return isFaultCode(code) ? code : "Unclassified";
}
