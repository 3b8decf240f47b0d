// The value of a setting, from wherever it comes.

import type { Io } from "../io.ts";
import { defaultOf, fromVariables, type Resolved, type Setting, type SettingName, SETTINGS } from "./settings.ts";

/** `given`: the value of the flag. */
export async function settingOf(name: SettingName, given: string | undefined, env: Io["env"]): Promise<Resolved> {
  const setting: Setting = SETTINGS[name];
  const { flag = "", isInFile } = setting;
  if (given !== undefined) return { value: given, origin: { kind: "flag", name: flag } };
  const fromFile = async (): Promise<Resolved | null> => {
    // Loaded on demand: most commands need no setting that a file may have.
    const { fromProjectFile } = await import("./project-file.ts");
    return fromProjectFile(name);
  };
  return fromVariables(setting, env) ?? (isInFile === true ? await fromFile() : null) ?? defaultOf(setting);
}
