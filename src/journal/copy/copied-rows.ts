// A journal's rows as they are stored, for copying them unchanged: hashes and seals included.

import type { EncodedEntry, EncodedKeep } from "../encode.ts";
import type { JournalFiles } from "../files/file-store.ts";
import type { KeptRow } from "../sealed.ts";

export interface CopiedEntry {
  readonly position: number;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly hash: string;
  readonly seal: string;
}

export interface CopiedKept extends KeptRow {
  readonly kind: string;
}

type Soon<T> = T | Promise<T>;

export interface CopySource {
  readonly storeId: string;
  readonly files: JournalFiles;
  /** Entries after a position, in order. */
  entriesBehind(position: number, limit: number): Soon<readonly CopiedEntry[]>;
  /** Kept values after a key, in order. */
  keptBehind(kind: string, key: string, limit: number): Soon<readonly CopiedKept[]>;
  close(): Soon<void>;
}

export interface CopyTarget {
  readonly files: JournalFiles;
  /** The store that this one is a copy of; null if it is not a copy. */
  copyOf(): Soon<string | null>;
  /** Makes it the copy of a store: its sessions continue there as if nothing had happened. */
  become(storeId: string): Soon<void>;
  isEmpty(): Soon<boolean>;
  heads(
    sessions: readonly string[],
  ): Soon<ReadonlyMap<string, { readonly lastSeq: number; readonly lastHash: string }>>;
  /** In this order; each after the last one of its session. Refuses an entry whose hash is not the one that its content gives. */
  append(entries: readonly (CopiedEntry & { readonly encoded: EncodedEntry })[]): Promise<void>;
  keep(values: readonly EncodedKeep[]): Promise<void>;
  close(): Soon<void>;
}
