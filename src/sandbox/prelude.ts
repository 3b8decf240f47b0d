// What runs in every new context before the expression: takes away what an expression may not have, puts a bound on native loops the
// engine cannot interrupt, and gives back a function that hands in the values and one that writes the result as JSON. It keeps the
// natives it needs to itself, so an expression that replaces them changes nothing here.

/** Longest list its methods work on: a list with holes can be four billion long and cost no memory, only time. */
const LONGEST_LIST = 2 ** 20;
/** Most steps of a plain search, which is text length times needle length: about two seconds. */
const LONGEST_SEARCH = 1e9;

export const PRELUDE = `(() => {
  const { defineProperty, freeze, getOwnPropertyNames, getPrototypeOf, keys } = Object;
  const { apply, ownKeys } = Reflect;
  const { isArray } = Array;
  const { isFinite } = Number;
  const { parse, stringify } = JSON;
  const toText = String, Pattern = RegExp, TooFar = RangeError, WrongType = TypeError, EngineError = InternalError;
  const plain = Object.prototype, list = Array.prototype;
  const push = list.push, pop = list.pop;

  for (const name of ["eval", "Function", "Promise", "BigInt"]) delete globalThis[name];
  delete Math.random;
  const refuse = function () { throw new WrongType("no code from text"); };
  for (const kind of [function () {}, function* () {}, async function () {}, async function* () {}])
    defineProperty(getPrototypeOf(kind), "constructor", { value: refuse, writable: false, configurable: false });

  const tooLong = (value) => isArray(value) && value.length > ${LONGEST_LIST};
  const guard = (home, name, before) => {
    const native = home[name];
    defineProperty(home, name, { value(...given) { before(this, given); return apply(native, this, given); }, writable: true, configurable: true });
  };
  const listGuard = (self, given) => {
    if (typeof self !== "string" && !isArray(self)) throw new WrongType("not a list");
    if (tooLong(self)) throw new TooFar("list too long");
    for (let i = 0; i < given.length; i++) if (tooLong(given[i])) throw new TooFar("list too long");
  };
  for (const name of ownKeys(list)) if (name !== "constructor" && typeof list[name] === "function") guard(list, name, listGuard);
  // Written here because the native ones go through the lists inside the list without looking up.
  const flatInto = (out, items, depth) => {
    listGuard(items, []);
    for (let i = 0; i < items.length; i++) {
      if (!(i in items)) continue;
      if (depth > 0 && isArray(items[i])) flatInto(out, items[i], depth - 1);
      else apply(push, out, [items[i]]);
    }
    return out;
  };
  const map = list.map;
  const flats = {
    flat(depth = 1) { return flatInto([], this, depth); },
    flatMap(each, self) { return flatInto([], apply(map, this, [each, self]), 1); },
  };
  for (const name of keys(flats)) defineProperty(list, name, { value: flats[name], writable: true, configurable: true });
  const searchGuard = (self, given) => {
    if (self === undefined || self === null || given.length === 0 || given[0] instanceof Pattern) return;
    given[0] = toText(given[0]);
    if (toText(self).length * given[0].length > ${LONGEST_SEARCH}) throw new TooFar("search too long");
  };
  for (const name of ["indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll"]) guard(String.prototype, name, searchGuard);

  const frozen = (root) => {
    const open = [root];
    while (open.length > 0) {
      const value = apply(pop, open, []);
      if (typeof value !== "object" || value === null) continue;
      freeze(value);
      const names = keys(value);
      for (let i = 0; i < names.length; i++) apply(push, open, [value[names[i]]]);
    }
    return root;
  };
  const handIn = (text) => {
    const scope = parse(text);
    for (const name of getOwnPropertyNames(scope))
      defineProperty(globalThis, name, { value: frozen(scope[name]), writable: false, enumerable: true, configurable: false });
  };

  const notJson = {};
  const onlyJson = (_key, value) => {
    if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") throw notJson;
    if (typeof value === "number" && !isFinite(value)) throw notJson;
    if (typeof value === "object" && value !== null && !isArray(value)) {
      const kind = getPrototypeOf(value);
      if (kind !== plain && kind !== null) throw notJson;
    }
    return value;
  };
  const run = (program) => {
    const value = program();
    try {
      return stringify(value, onlyJson);
    } catch (error) {
      if (error === null || error instanceof EngineError) throw error;
      return undefined;
    }
  };
  return { handIn, run };
})()`;
