// What a person typed, kept until the browser's tab is closed: an error or a reload loses nothing.

import { useEffect, useState } from "react";
import { suppressThrown } from "../../app/thrown.ts";

const PREFIX = "faultline.lab.";

/** A value that survives a reload. `initial` also says what kind of value it is; a kept value of another kind is dropped. */
export function useKept<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(name, initial));
  useEffect(() => {
    try {
      sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
    } catch (error) {
      suppressThrown("What was typed cannot be kept for a reload.", error);
    }
  }, [name, value]);
  return [value, setValue];
}

function read<Value>(name: string, initial: Value): Value {
  const text = sessionStorage.getItem(PREFIX + name);
  if (text === null) return initial;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === typeof initial ? (value as Value) : initial;
  } catch (error) {
    suppressThrown("What was kept cannot be read.", error);
    return initial;
  }
}

/** The value as it was when it last stood still for so long. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
