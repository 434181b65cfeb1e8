/**
 * A place for paid results that many machines read and write. A name is the SHA-256 of its bytes, so every
 * reader can check what it gets, and wrong bytes can be replaced.
 */
export interface BlobStore {
  /** Address for messages, without credentials. */
  readonly address: string
  /**
   * Reads an object. The bytes are not checked here. Returns `undefined` if there is none.
   *
   * @param sha256 64 lower-case hex digits.
   * @throws `SW_STORE` if the store cannot be reached or refuses.
   */
  get(sha256: string): Promise<Uint8Array | undefined>
  /** Whether there is an object of that name. Its bytes are not read. */
  has(sha256: string): Promise<boolean>
  /**
   * Writes an object, in place of one that is there. The store has confirmed it when this resolves.
   *
   * @throws `SW_STORE` if the store cannot be reached or refuses.
   */
  put(sha256: string, bytes: Uint8Array): Promise<void>
  /** Removes an object. Only a person's command that names it may call this. */
  remove(sha256: string): Promise<void>
}
