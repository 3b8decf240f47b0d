// What the server does with a write: functions, so that a transaction is one message to it and one answer. Only one `write` of a journal
// runs at a time, over all processes, from its first line until it is on disk: so positions are in the order of commits, and a reader that has
// seen a position has seen all before it. They carry a version: a program of another one finds its function missing and is refused.

const LOCK = "PERFORM pg_advisory_xact_lock(hashtextextended('faultline @.', 0))";

/** Plans are kept for as long as a connection lives, and the first ones are made while tables are empty. */
const BY_INDEX = "SET enable_seqscan = off SET plan_cache_mode = force_generic_plan";

const NEWEST_POSITION = `greatest(coalesce((SELECT max(position) FROM @.events), 0),
      coalesce((SELECT value::bigint FROM @.meta WHERE name = 'pruned'), 0))`;

const KEEPS = "unnest(keeps) WITH ORDINALITY AS k (kind, key, value, hash, session, seq, at, old, n)";
const TAG = "kind text, key text, tag text, at float8";
const MARK = `entry integer, session bigint, seq integer, at float8, call text, worked boolean, fingerprint text, code text, tool text, recourse text, message text,
    echo_from text, echo_to text, cause text, pairs text`;

/** Nothing was written: a session is not where the writer believes. Another process was first. */
export const STALE_CODE = "FL001";
const RAISE_STALE = `RAISE EXCEPTION USING ERRCODE = '${STALE_CODE}', MESSAGE = 'another process has written to the same session'`;

/**
 * Appends entries and keeps values, all of them or none. Answers with the position before the first entry, and with the numbers of values
 * whose condition did not hold: `old` is the checksum that must be there, empty for none. `moved` are heads of sessions that are there, `begun` of
 * those that begin, and `absent` must not be there. A session that begins has the number of its first entry in this write, negative.
 * A writer numbers its calls and waits for each answer, so the answer to its last call is all that has to be remembered. A call that was done
 * is answered again: its first answer was lost on its way. A call before the last one was delayed, and its sender no longer waits for the answer.
 */
const WRITE = `CREATE FUNCTION @.write_3(
    w_writer text, w_call bigint, w_channel text, w_notice text, w_now float8,
    moved @.moved_head[], begun @.begun_head[], absent text[], entries @.entry[], keeps @.keep[], tags json, runs json, marks json,
    OUT base bigint, OUT lost integer[])
  LANGUAGE plpgsql ${BY_INDEX} AS $write$
  #variable_conflict use_column
  DECLARE v_base bigint; v_lost integer[] := '{}'; v_last bigint; v_rows integer;
  BEGIN
    IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
    ${LOCK};
    SELECT w.call, w.base, w.lost, ${NEWEST_POSITION} INTO v_last, base, lost, v_base
      FROM (VALUES (1)) AS one LEFT JOIN @.writers AS w ON w.writer = w_writer;
    IF v_last >= w_call THEN RETURN; END IF;
    IF keeps IS NOT NULL THEN
      v_lost := ARRAY(SELECT k.n::integer FROM ${KEEPS} LEFT JOIN @.kept AS t ON t.kind = k.kind AND t.key = k.key
        WHERE k.old IS NOT NULL AND k.old <> coalesce(t.hash, ''));
    END IF;
    base := v_base;
    lost := v_lost;
    IF v_last IS NULL THEN
      DELETE FROM @.writers AS w WHERE w.at < now() - interval '1 day';
      INSERT INTO @.writers (writer, call, base, lost) VALUES (w_writer, w_call, v_base, v_lost);
    ELSE
      UPDATE @.writers AS w SET call = w_call, base = v_base, lost = v_lost, at = now() WHERE w.writer = w_writer;
    END IF;
    IF moved IS NOT NULL THEN
      UPDATE @.sessions AS s SET status = m.status, updated_at = m.updated_at, last_seq = m.last_seq, last_hash = m.last_hash
        FROM unnest(moved) AS m WHERE s.number = m.number AND s.last_seq = m.seq_before AND s.last_hash = m.hash_before;
      GET DIAGNOSTICS v_rows = ROW_COUNT;
      IF v_rows <> cardinality(moved) THEN ${RAISE_STALE}; END IF;
    END IF;
    IF begun IS NOT NULL THEN
      INSERT INTO @.sessions (number, session, status, started_at, updated_at, last_seq, last_hash)
        SELECT v_base - b.number, b.session, b.status, b.started_at, b.updated_at, b.last_seq, b.last_hash FROM unnest(begun) AS b
        ON CONFLICT (session) DO NOTHING;
      GET DIAGNOSTICS v_rows = ROW_COUNT;
      IF v_rows <> cardinality(begun) THEN ${RAISE_STALE}; END IF;
    END IF;
    IF absent IS NOT NULL THEN
      IF EXISTS (SELECT 1 FROM @.sessions AS s WHERE s.session = ANY (absent)) THEN ${RAISE_STALE}; END IF;
    END IF;
    IF entries IS NOT NULL THEN
      INSERT INTO @.events (position, session, seq, at, type, body, hash, seal)
        SELECT v_base + e.n, CASE WHEN e.session > 0 THEN e.session ELSE v_base - e.session END, e.seq, e.at, e.type, e.body, e.hash, e.seal
        FROM unnest(entries) WITH ORDINALITY AS e (session, seq, at, type, body, hash, seal, n);
    END IF;
    IF marks IS NOT NULL THEN PERFORM @.note_faults_2(v_base, marks); END IF;
    IF keeps IS NOT NULL THEN PERFORM @.keep_3(w_now, v_lost, keeps, tags, runs); END IF;
    PERFORM pg_notify(w_channel, w_notice || ' ' || (v_base + coalesce(cardinality(entries), 0)));
  END $write$`;

const KEEP = `CREATE FUNCTION @.keep_3(w_now float8, v_lost integer[], keeps @.keep[], tags json, runs json)
  RETURNS void LANGUAGE plpgsql ${BY_INDEX} AS $keep$
  #variable_conflict use_column
  BEGIN
    DELETE FROM @.kept AS t USING ${KEEPS} WHERE k.value IS NULL AND t.kind = k.kind AND t.key = k.key AND k.n <> ALL (v_lost);
    INSERT INTO @.kept AS t (kind, key, value, updated_at, hash, session, seq, at)
      SELECT k.kind, k.key, k.value, w_now, k.hash, k.session, k.seq, k.at FROM ${KEEPS}
      WHERE k.value IS NOT NULL AND k.n <> ALL (v_lost)
      ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, hash = excluded.hash,
        session = excluded.session, seq = excluded.seq, at = excluded.at;
    IF tags IS NOT NULL THEN
      DELETE FROM @.kept_tags AS t USING ${KEEPS} WHERE t.kind = k.kind AND t.key = k.key AND k.n <> ALL (v_lost)
        AND NOT EXISTS (SELECT 1 FROM json_to_recordset(tags) AS n (${TAG})
          WHERE n.kind = t.kind AND n.key = t.key AND n.tag = t.tag AND n.at = t.at);
      INSERT INTO @.kept_tags (kind, tag, at, key) SELECT n.kind, n.tag, n.at, n.key FROM json_to_recordset(tags) AS n (${TAG})
        WHERE EXISTS (SELECT 1 FROM ${KEEPS} WHERE k.kind = n.kind AND k.key = n.key AND k.n <> ALL (v_lost))
        ON CONFLICT DO NOTHING;
    END IF;
    IF runs IS NOT NULL THEN
      DELETE FROM @.searched_runs AS s USING json_to_recordset(runs) AS r (run text, text text) WHERE s.run = r.run AND r.text IS NULL;
      -- A run is a session of the same name; without one it has no position.
      INSERT INTO @.searched_runs AS s (position, run, text, pairs)
        SELECT o.number, r.run, r.text, array_to_tsvector(string_to_array(r.pairs, ' '))
        FROM json_to_recordset(runs) AS r (run text, text text, pairs text) JOIN @.sessions AS o ON o.session = r.run
        WHERE r.text IS NOT NULL
        ON CONFLICT (run) DO UPDATE SET text = excluded.text, pairs = excluded.pairs WHERE s.text <> excluded.text;
    END IF;
  END $keep$`;

/** The index of failures, mark by mark in the order of their entries. \`src/core/record/fault-index.ts\` says what it holds. */
const NOTE_FAULTS = `CREATE FUNCTION @.note_faults_2(v_base bigint, marks json)
  RETURNS void LANGUAGE plpgsql ${BY_INDEX} AS $note$
  #variable_conflict use_column
  DECLARE m record; v_last record; v_session bigint; v_family bigint;
  BEGIN
    FOR m IN SELECT * FROM json_to_recordset(marks) AS x (${MARK}) LOOP
      v_session := CASE WHEN m.session > 0 THEN m.session ELSE v_base - m.session END;
      IF m.worked IS NOT NULL THEN
        SELECT f.position, f.family, f.recourse, f.worked INTO v_last FROM @.faults AS f
          WHERE f.session = v_session AND f.call = m.call ORDER BY f.position DESC LIMIT 1;
        IF FOUND AND v_last.worked IS NULL THEN
          UPDATE @.faults AS f SET worked = m.worked WHERE f.position = v_last.position;
          INSERT INTO @.fault_recourses AS r (family, recourse, worked, failed)
            VALUES (v_last.family, v_last.recourse, m.worked::integer, (NOT m.worked)::integer)
            ON CONFLICT (family, recourse) DO UPDATE SET worked = r.worked + excluded.worked, failed = r.failed + excluded.failed;
        END IF;
      END IF;
      CONTINUE WHEN m.fingerprint IS NULL;
      CONTINUE WHEN m.echo_from IS NOT NULL AND EXISTS (
        SELECT 1 FROM @.faults AS f JOIN @.fault_groups AS g ON g.number = f.family
        WHERE f.session = v_session AND f.call >= m.echo_from AND f.call < m.echo_to AND g.code = m.code
          AND substr(g.fingerprint, strpos(g.fingerprint, '#')) = m.cause);
      INSERT INTO @.fault_groups AS g (fingerprint, code, tool, count, sessions, first_at, last_at, message)
        VALUES (m.fingerprint, m.code, m.tool, 1, 0, m.at, m.at, m.message)
        ON CONFLICT (fingerprint) DO UPDATE SET count = g.count + 1, first_at = least(g.first_at, excluded.first_at),
          message = CASE WHEN excluded.last_at >= g.last_at THEN excluded.message ELSE g.message END,
          last_at = greatest(g.last_at, excluded.last_at)
        RETURNING g.number INTO v_family;
      UPDATE @.fault_groups AS g SET sessions = g.sessions + 1 WHERE g.number = v_family
        AND NOT EXISTS (SELECT 1 FROM @.faults AS f WHERE f.family = v_family AND f.session = v_session);
      INSERT INTO @.faults (position, at, session, seq, call, family, recourse, message, pairs)
        VALUES (v_base + m.entry, m.at, v_session, m.seq, m.call, v_family, m.recourse, m.message,
          array_to_tsvector(string_to_array(m.pairs, ' ')));
    END LOOP;
  END $note$`;

/** Claims on keys, each in one step; in the order of their keys, so that two processes never wait for each other. */
const CLAIM = `CREATE FUNCTION @.claim_1(c_act text[], c_key text[], c_owner text[], c_until float8[], c_now float8[], c_from text[])
  RETURNS TABLE (n integer, granted boolean, owner text, until float8) LANGUAGE plpgsql ${BY_INDEX} AS $claim$
  #variable_conflict use_column
  DECLARE c record;
  BEGIN
    FOR c IN SELECT * FROM unnest(c_act, c_key, c_owner, c_until, c_now, c_from) WITH ORDINALITY
        AS x (act, key, owner, until, now, from_owner, n) ORDER BY x.key, x.n LOOP
      IF c.act = 'let-go' THEN
        DELETE FROM @.holds AS h WHERE h.key = c.key AND h.owner = c.owner;
      ELSE
        INSERT INTO @.holds AS h (key, owner, until) VALUES (c.key, c.owner, c.until)
          ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
          WHERE h.owner = excluded.owner OR (c.act = 'hold' AND h.until <= c.now) OR (c.act = 'take-from' AND h.owner = c.from_owner);
      END IF;
      n := c.n; granted := FOUND; owner := c.owner; until := c.until;
      IF NOT granted THEN SELECT h.owner, h.until INTO owner, until FROM @.holds AS h WHERE h.key = c.key; END IF;
      RETURN NEXT;
    END LOOP;
  END $claim$`;

/** Removes an ended session with all that belongs to it, and keeps the counts of failures right. Checks again, because it may have been resumed since. */
const REMOVE_SESSION = `CREATE FUNCTION @.remove_session_1(
    r_session text, r_folder text, r_before float8, ended text[], by_key text[], by_value text[], by_question text[])
  RETURNS boolean LANGUAGE plpgsql ${BY_INDEX} AS $remove$
  #variable_conflict use_column
  DECLARE v_number bigint; v_families bigint[]; v_questions text[];
  BEGIN
    ${LOCK};
    SELECT s.number INTO v_number FROM @.sessions AS s
      WHERE s.session = r_session AND s.status = ANY (ended) AND s.updated_at < r_before;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO @.meta AS m (name, value)
      SELECT 'pruned', e.position::text FROM @.events AS e WHERE e.session = v_number ORDER BY e.seq DESC LIMIT 1
      ON CONFLICT (name) DO UPDATE SET value = greatest(m.value::bigint, excluded.value::bigint)::text;
    v_questions := ARRAY(SELECT t.key FROM @.kept_tags AS t WHERE t.kind = ANY (by_value) AND t.tag = 'session:' || r_session);
    DELETE FROM @.kept AS k WHERE k.kind = ANY (by_question || by_value) AND k.key = ANY (v_questions);
    DELETE FROM @.kept_tags AS t WHERE t.kind = ANY (by_value) AND t.key = ANY (v_questions);
    DELETE FROM @.kept_tags AS t WHERE t.kind = ANY (by_key) AND (t.key = r_session OR (t.key >= r_session || '/' AND t.key < r_session || '0'));
    DELETE FROM @.kept AS k WHERE k.kind = ANY (by_key) AND (k.key = r_session OR (k.key >= r_session || '/' AND k.key < r_session || '0'));
    DELETE FROM @.searched_runs AS r WHERE r.run = r_session;
    DELETE FROM @.files AS f WHERE f.area = ANY ('{artefacts,runs}') AND f.path >= r_folder || '/' AND f.path < r_folder || '0';
    v_families := ARRAY(SELECT DISTINCT f.family FROM @.faults AS f WHERE f.session = v_number);
    UPDATE @.fault_recourses AS r SET worked = r.worked - d.worked, failed = r.failed - d.failed
      FROM (SELECT f.family, f.recourse, count(*) FILTER (WHERE f.worked) AS worked, count(*) FILTER (WHERE NOT f.worked) AS failed
        FROM @.faults AS f WHERE f.session = v_number AND f.worked IS NOT NULL GROUP BY f.family, f.recourse) AS d
      WHERE r.family = d.family AND r.recourse = d.recourse;
    DELETE FROM @.fault_recourses AS r WHERE r.family = ANY (v_families) AND r.worked = 0 AND r.failed = 0;
    UPDATE @.fault_groups AS g SET count = g.count - d.count, sessions = g.sessions - 1
      FROM (SELECT f.family, count(*) AS count FROM @.faults AS f WHERE f.session = v_number GROUP BY f.family) AS d WHERE g.number = d.family;
    DELETE FROM @.faults AS f WHERE f.session = v_number;
    DELETE FROM @.fault_groups AS g WHERE g.number = ANY (v_families) AND g.count = 0;
    UPDATE @.fault_groups AS g SET
        first_at = (SELECT f.at FROM @.faults AS f WHERE f.family = g.number ORDER BY f.at LIMIT 1),
        (last_at, message) = (SELECT f.at, f.message FROM @.faults AS f WHERE f.family = g.number ORDER BY f.at DESC, f.position DESC LIMIT 1)
      WHERE g.number = ANY (v_families);
    DELETE FROM @.events AS e WHERE e.session = v_number;
    DELETE FROM @.sessions AS s WHERE s.number = v_number;
    RETURN true;
  END $remove$`;

/** Makes the functions of this version, and removes those of another one: a program that needs them is refused. */
export const MAKE_FUNCTIONS: readonly string[] = [
  `DO $old$ DECLARE f regprocedure; BEGIN
    FOR f IN SELECT p.oid::regprocedure FROM pg_proc AS p JOIN pg_class AS c ON c.relnamespace = p.pronamespace
      WHERE c.oid = '@.meta'::regclass AND p.proname ~ '^(is_written|keep|note_faults|write|claim|remove_session)_[0-9]+$'
    LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP;
  END $old$`,
  ...[KEEP, NOTE_FAULTS, WRITE, CLAIM, REMOVE_SESSION],
];

/** The newest position that is on disk: of an entry that is there, or of one that was removed. */
export const LAST_POSITION = `SELECT ${NEWEST_POSITION}`;
