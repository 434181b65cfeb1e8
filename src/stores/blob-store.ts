/** An object of a store, as its listing has it. */
export interface StoredObject {
  readonly sha256: string
  readonly bytes: number
  /** Time of its last write, in milliseconds since 1970. */
  readonly writtenMs: number
}

/**
 * A place for paid results that many machines read and write. A name is the SHA-256 of its bytes, so every reader
 * can check the bytes, and wrong bytes can be replaced.
 */
export interface BlobStore {
  /** Address for messages, without credentials. */
  readonly address: string
  /**
   * Reads an object. The caller must check the bytes. Returns `undefined` if there is no such object.
   *
   * @param sha256 64 lower-case hex digits.
   * @throws `SW_STORE` if the store cannot be reached or refuses.
   */
  get(sha256: string): Promise<Uint8Array | undefined>
  /** Whether an object with this name exists. Its bytes are not read. */
  has(sha256: string): Promise<boolean>
  /**
   * Writes an object, and replaces an existing one. Resolves when the store has confirmed the write.
   *
   * @throws `SW_STORE` if the store cannot be reached or refuses.
   */
  put(sha256: string, bytes: Uint8Array): Promise<void>
  /** Removes an object. Only a person's command that names the object may call this. */
  remove(sha256: string): Promise<void>
  /**
   * Lists all objects. A listing may lack the newest ones, so no decision about a purchase may use it.
   *
   * @throws `SW_STORE` if the store cannot be reached, refuses, or cannot list.
   */
  list(): Promise<readonly StoredObject[]>
}
