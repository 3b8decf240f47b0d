// How a kept value is read together with the entry that it hangs on: the columns of a KeptRow.

const COLUMNS = "k.key, k.value, k.hash, k.session, k.seq, e.seal, e.hash AS link";
const WITH_ENTRY = `LEFT JOIN @.sessions AS o ON o.session = k.session LEFT JOIN @.events AS e ON e.session = o.number AND e.seq = k.seq`;

export const KEPT_ROW = `${COLUMNS} FROM @.kept AS k ${WITH_ENTRY}`;
/** The same for values that are found by a tag. */
export const TAGGED_ROW = `${COLUMNS} FROM @.kept_tags AS t JOIN @.kept AS k ON k.kind = t.kind AND k.key = t.key ${WITH_ENTRY}`;
