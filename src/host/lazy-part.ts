// Parts that load on first use, so that a program starts without the parts it may never need. Loading takes real
// time: a fake clock must not move meanwhile, or a first call would time out where a second one does not.

const loading = new Set<Promise<unknown>>();

/** Returns a function that loads the part on its first call, and returns the same part from then on. A part that could not be loaded is tried again. */
export function lazyPart<T>(load: () => Promise<T>): () => Promise<T> {
  let part: Promise<T> | undefined;
  const retry = (): void => void (part = undefined);
  return () => {
    if (part !== undefined) return part;
    part = tracked(load());
    part.then(undefined, retry);
    return part;
  };
}

function tracked<T>(part: Promise<T>): Promise<T> {
  const forget = (): void => void loading.delete(part);
  loading.add(part);
  part.then(forget, forget);
  return part;
}

/** Null when no part is being loaded; otherwise a promise that resolves when some of them have been. */
export function partsLoading(): Promise<unknown> | null {
  return loading.size === 0 ? null : Promise.allSettled(loading);
}

/**
 * For imports of optional packages: `import(…).catch(orFail)`. It changes nothing at run time. Bundlers need it, because they refuse an import
 * of a package that is not installed, unless the import handles its failure.
 */
export function orFail(error: unknown): never {
  throw error;
}
