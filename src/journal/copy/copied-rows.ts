// A journal's rows as they are stored, hashes and seals included, so that a copy has the same rows.

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
  entriesAfter(position: number, limit: number): Soon<readonly CopiedEntry[]>;
  /** Kept values after a key, in order. */
  keptAfter(kind: string, key: string, limit: number): Soon<readonly CopiedKept[]>;
  close(): Soon<void>;
}

export interface CopyTarget {
  readonly files: JournalFiles;
  /** The store that this one is a copy of; null if it is not a copy. */
  copyOf(): Soon<string | null>;
  /** Takes over the id of the store that is copied, so that its sessions can resume here. */
  become(storeId: string): Soon<void>;
  isEmpty(): Soon<boolean>;
  heads(
    sessions: readonly string[],
  ): Soon<ReadonlyMap<string, { readonly lastSeq: number; readonly lastHash: string }>>;
  /** Appends the entries in this order, each after the last one of its session. Refuses an entry whose hash does not match its content. */
  append(entries: readonly (CopiedEntry & { readonly encoded: EncodedEntry })[]): Promise<void>;
  keep(values: readonly EncodedKeep[]): Promise<void>;
  close(): Soon<void>;
}
