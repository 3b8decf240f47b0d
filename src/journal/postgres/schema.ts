// The tables of a journal in PostgreSQL and the steps that lead to them. A new schema takes all steps, so an old one that is
// brought up to date cannot end up different from it. Text is compared by its bytes (`COLLATE "C"`), as in every other journal.

/** Step n leads from version n to n + 1. Never change a released step. */
export const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE @.meta (
       name text PRIMARY KEY,
       value text NOT NULL)`,
    // A session's number is the position of its first entry. `writer`: the write that brought it here.
    `CREATE TABLE @.sessions (
       number bigint PRIMARY KEY,
       session text COLLATE "C" NOT NULL UNIQUE,
       status text COLLATE "C" NOT NULL,
       started_at float8 NOT NULL,
       updated_at float8 NOT NULL,
       last_seq integer NOT NULL,
       last_hash text NOT NULL,
       writer text NOT NULL) WITH (fillfactor = 80)`,
    "CREATE INDEX sessions_by_start ON @.sessions (started_at, number)",
    "CREATE INDEX sessions_by_status ON @.sessions (status, started_at, number)",
    `CREATE TABLE @.events (
       position bigint PRIMARY KEY,
       session bigint NOT NULL,
       seq integer NOT NULL,
       at float8 NOT NULL,
       type text NOT NULL,
       body text NOT NULL,
       hash text NOT NULL,
       seal text NOT NULL,
       UNIQUE (session, seq))`,
    `CREATE TABLE @.kept (
       kind text COLLATE "C" NOT NULL,
       key text COLLATE "C" NOT NULL,
       value text NOT NULL,
       updated_at float8 NOT NULL,
       hash text NOT NULL,
       session text COLLATE "C",
       seq integer NOT NULL,
       at float8,
       writer text NOT NULL,
       PRIMARY KEY (kind, key))`,
    "CREATE INDEX kept_by_time ON @.kept (kind, at, key) WHERE at IS NOT NULL",
    `CREATE TABLE @.kept_tags (
       kind text COLLATE "C" NOT NULL,
       tag text COLLATE "C" NOT NULL,
       at float8 NOT NULL,
       key text COLLATE "C" NOT NULL,
       PRIMARY KEY (kind, tag, at, key))`,
    "CREATE INDEX kept_tags_by_key ON @.kept_tags (kind, key)",
    `CREATE TABLE @.holds (
       key text COLLATE "C" PRIMARY KEY,
       owner text COLLATE "C" NOT NULL,
       until float8 NOT NULL)`,
    `CREATE TABLE @.fault_groups (
       number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       fingerprint text COLLATE "C" NOT NULL UNIQUE,
       code text COLLATE "C" NOT NULL,
       tool text COLLATE "C" NOT NULL,
       count integer NOT NULL,
       sessions integer NOT NULL,
       first_at float8 NOT NULL,
       last_at float8 NOT NULL,
       message text NOT NULL)`,
    "CREATE INDEX fault_groups_by_time ON @.fault_groups (last_at, fingerprint)",
    "CREATE INDEX fault_groups_by_code ON @.fault_groups (code, last_at, fingerprint)",
    "CREATE INDEX fault_groups_by_tool ON @.fault_groups (tool, last_at, fingerprint)",
    // `pairs`: pairs of neighbouring characters, by which a search finds it.
    `CREATE TABLE @.faults (
       position bigint PRIMARY KEY,
       at float8 NOT NULL,
       session bigint NOT NULL,
       seq integer NOT NULL,
       call text COLLATE "C" NOT NULL,
       family bigint NOT NULL,
       recourse text COLLATE "C" NOT NULL,
       message text NOT NULL,
       worked boolean,
       pairs tsvector NOT NULL)`,
    "CREATE INDEX faults_by_family ON @.faults (family, at, position)",
    "CREATE INDEX faults_by_call ON @.faults (session, call, position)",
    "CREATE INDEX faults_of_session ON @.faults (family, session)",
    "CREATE INDEX faults_by_pairs ON @.faults USING gin (pairs)",
    `CREATE TABLE @.fault_recourses (
       family bigint NOT NULL,
       recourse text COLLATE "C" NOT NULL,
       worked integer NOT NULL,
       failed integer NOT NULL,
       PRIMARY KEY (family, recourse))`,
    `CREATE TABLE @.searched_runs (
       position bigint PRIMARY KEY,
       run text COLLATE "C" NOT NULL UNIQUE,
       text text NOT NULL,
       pairs tsvector NOT NULL)`,
    "CREATE INDEX searched_runs_by_pairs ON @.searched_runs USING gin (pairs)",
    `CREATE TABLE @.files (
       area text COLLATE "C" NOT NULL,
       path text COLLATE "C" NOT NULL,
       chunk integer NOT NULL,
       bytes bytea NOT NULL,
       PRIMARY KEY (area, path, chunk))`,
  ],
  [
    // The answer to the last call of each process that writes, for when it is lost on its way. The row is replaced with every write.
    `CREATE TABLE @.writers (
       writer text COLLATE "C" PRIMARY KEY,
       call bigint NOT NULL,
       base bigint NOT NULL,
       lost integer[] NOT NULL,
       at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 50)`,
    "ALTER TABLE @.sessions DROP COLUMN writer",
    "ALTER TABLE @.kept DROP COLUMN writer",
  ],
  [
    // The arguments of a write; `row-bytes.ts` sends them in this order.
    "CREATE TYPE @.moved_head AS (number bigint, last_seq integer, last_hash text, status text, updated_at float8, seq_before integer, hash_before text)",
    "CREATE TYPE @.begun_head AS (number bigint, last_seq integer, last_hash text, status text, updated_at float8, started_at float8, session text)",
    "CREATE TYPE @.entry AS (session bigint, seq integer, at float8, type text, body text, hash text, seal text)",
    "CREATE TYPE @.keep AS (kind text, key text, value text, hash text, session text, seq integer, at float8, old text)",
  ],
];

export const SCHEMA_VERSION = STEPS.length;

/** Tables that a whole journal has. */
export const TABLES: readonly string[] = [
  "events",
  "fault_groups",
  "fault_recourses",
  "faults",
  "files",
  "holds",
  "kept",
  "kept_tags",
  "meta",
  "searched_runs",
  "sessions",
  "writers",
];

// How a kept value is read together with the entry that it hangs on: the columns of a KeptRow.

const COLUMNS = "k.key, k.value, k.hash, k.session, k.seq, e.seal, e.hash AS link";
const WITH_ENTRY = `LEFT JOIN @.sessions AS o ON o.session = k.session LEFT JOIN @.events AS e ON e.session = o.number AND e.seq = k.seq`;

export const KEPT_ROW = `${COLUMNS} FROM @.kept AS k ${WITH_ENTRY}`;
/** The same for values that are found by a tag. */
export const TAGGED_ROW = `${COLUMNS} FROM @.kept_tags AS t JOIN @.kept AS k ON k.kind = t.kind AND k.key = t.key ${WITH_ENTRY}`;
