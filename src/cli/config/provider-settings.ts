// Where the keys and addresses of models in workflows come from, unless a workflow names others.

import { WORKFLOW_PROVIDERS } from "../../workflow-model/providers.ts";
import type { Setting } from "./settings.ts";

/** Providers of the same package share their variables; the first one names them. */
const PROVIDERS = [
  ...new Map(WORKFLOW_PROVIDERS.toReversed().map((row) => [row.npmPackage, row])).values(),
].toReversed();

export const PROVIDER_SETTINGS: readonly (readonly [string, Setting])[] = PROVIDERS.flatMap(
  ({ id, keyEnv, baseUrlEnv, ownBaseUrl }) => {
    const key: Setting = {
      about: `the key of ${id} models in workflows`,
      variables: keyEnv,
      fallback: null,
      isSecret: true,
    };
    const address: Setting = {
      about: `the address of ${id} models in workflows`,
      variables: baseUrlEnv === "" ? [] : [baseUrlEnv],
      fallback: ownBaseUrl,
    };
    return [
      ...(keyEnv.length === 0 ? [] : [[`${id}.key`, key] as const]),
      ...(ownBaseUrl === "" ? [] : [[`${id}.address`, address] as const]),
    ];
  },
);
