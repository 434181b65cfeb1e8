/**
 * A place for small files that are written once and never changed. Several machines may write at the same time. The
 * journal needs nothing more: the first writer of the next record decides.
 */
export interface RecordStore {
  /** Address for messages, without credentials. */
  readonly address: string
  /**
   * Writes a file durably if its name is free. Two writers never get `mine` for one name.
   *
   * @param name Path of one or more segments of `a-z`, `0-9`, `-`, `_` and `.`, separated by `/`.
   * @param bytes Contain a random text of their writer, so that no two writers write the same bytes.
   * @returns `mine` if this call wrote the file, even if the answer was lost and a read proved it; `taken` if
   * the name has other bytes.
   * @throws `SW_STORE` if the store cannot be reached or refuses. Then it is unknown whether the file exists.
   */
  putIfAbsent(name: string, bytes: Uint8Array): Promise<'mine' | 'taken'>
  /**
   * Reads the present file, without any cache. Returns `undefined` if there is no such file.
   *
   * @throws `SW_STORE` if the store cannot be reached or refuses.
   */
  get(name: string): Promise<StoredFile | undefined>
  /** Closes connections, so that a process can end. */
  close(): Promise<void>
}

/** A file of a record store. */
export interface StoredFile {
  readonly bytes: Uint8Array
  /**
   * Milliseconds since the file was written, by the store's own clock, rounded up to the clock's precision.
   * Negative if the store's clock went back.
   */
  readonly ageMs: number
}
