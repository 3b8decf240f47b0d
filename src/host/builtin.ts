// Node's own modules that are slow to load, loaded on first use. `import` from `node:util`, `node:fs` or `node:crypto` loads about
// thirty more of Node's modules each, which costs a program up to 15 ms at its start; asked for this way they cost nothing until then.

/** Returns a function that makes something on its first call, and returns the same from then on. */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

export const nodeCrypto = onFirstUse(() => process.getBuiltinModule("node:crypto"));
export const nodeFs = onFirstUse(() => process.getBuiltinModule("node:fs"));
export const nodeFsPromises = onFirstUse(() => process.getBuiltinModule("node:fs/promises"));
export const nodeHttp = onFirstUse(() => process.getBuiltinModule("node:http"));
export const nodeOs = onFirstUse(() => process.getBuiltinModule("node:os"));
export const nodeUtil = onFirstUse(() => process.getBuiltinModule("node:util"));
