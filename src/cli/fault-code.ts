// A fault code as a person types it: in any letter case.

import { FAULT_CODES, type FaultCode } from "../core/index.ts";

export function findCode(name: string): FaultCode | undefined {
  const wanted = name.trim().toLowerCase();
  return FAULT_CODES.find((code) => code.toLowerCase() === wanted);
}
