// What this person prefers on this machine: language and theme. Kept in the browser; the server knows nothing of it.

import { useSyncExternalStore } from "react";
import { suppressThrown } from "./thrown.ts";

export type Language = "en" | "zh-CN";
export type Theme = "system" | "light" | "dark";

export const LANGUAGES: readonly Language[] = ["en", "zh-CN"];
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

export interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
}

const KEY = "faultline.preferences";
const listeners = new Set<() => void>();
const darkSystem = matchMedia("(prefers-color-scheme: dark)");

let current = read();
apply();
darkSystem.addEventListener("change", apply);

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  apply();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** What was kept may come from another version of the page. */
function read(): Preferences {
  const kept = parse(localStorage.getItem(KEY));
  return {
    language: LANGUAGES.find((one) => one === kept["language"]) ?? languageOfBrowser(),
    theme: THEMES.find((one) => one === kept["theme"]) ?? "system",
  };
}

function parse(text: string | null): Readonly<Record<string, unknown>> {
  if (text === null || !text.startsWith("{")) return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    suppressThrown("The kept preferences cannot be read; the defaults are used.", error);
    return {};
  }
}

function languageOfBrowser(): Language {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

function apply(): void {
  const { language, theme } = current;
  const isDark = theme === "dark" || (theme === "system" && darkSystem.matches);
  document.documentElement.lang = language;
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}
