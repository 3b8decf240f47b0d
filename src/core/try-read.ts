// The only file in core that catches. Foreign values may throw from any access (getters, proxies, invalid JSON); here the
// throw becomes the value the caller named. Everywhere else a catch rethrows, classifies or records (a lint rule holds it).

export function tryRead<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Text that is not JSON gives undefined. */
export function parseJson(text: string): unknown {
  return tryRead(() => JSON.parse(text) as unknown, undefined);
}

/** The most frequent read, so it makes no closure. */
export function readField(value: object, key: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}

/** A field of anything; undefined for what is not an object. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? readField(value, key) : undefined;
}

/** As `readField`, for a field that is named in the code: many times faster than by a key in a variable. */
export function readWith<T>(value: T, read: (value: T) => unknown): unknown {
  try {
    return read(value);
  } catch {
    return undefined;
  }
}

/** `instanceof` for what a foreign program threw: a Proxy may throw from this question too. */
export function isA<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}
