// The one catch in core. Foreign values may throw from any access (getters, proxies, JSON that is none); here the
// throw becomes the value the caller named. Everywhere else a catch rethrows, classifies or records (a lint rule holds it).

export function tolerate<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Text that is not JSON gives undefined. */
export function parseJson(text: string): unknown {
  return tolerate(() => JSON.parse(text) as unknown, undefined);
}

export function readField(value: object, key: string): unknown {
  return tolerate(() => (value as Readonly<Record<string, unknown>>)[key], undefined);
}
