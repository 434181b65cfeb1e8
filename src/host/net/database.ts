/** A database of a PostgreSQL server, and who asks. */
export interface DatabaseTarget {
  readonly host: string
  readonly port: number
  readonly database: string
  /** @default as the package `pg` finds it: the user of this process */
  readonly user?: string | undefined
  /** @default as the package `pg` finds it: in the file that PGPASSFILE names */
  readonly password?: string | undefined
  /** Whether the connection is encrypted, and whether the server's certificate is checked. */
  readonly tls: 'off' | 'checked' | 'unchecked'
}

/** One connection. It takes one query at a time. */
export interface DatabaseConnection {
  /** Sends one statement with its values and returns its rows. Rejects if no answer comes in time. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Ends the connection, so that a process can end. Never rejects. */
  close(): Promise<void>
}

/**
 * Connects to a database, passed in. Rejects with the server's error, whose `code` is an SQLSTATE, or with that
 * of the network.
 *
 * @param entry URL of the module of `pg`.
 * @param timeoutMs Longest wait for the connection and for each answer.
 */
export type ConnectDatabase = (entry: string, target: DatabaseTarget, timeoutMs: number) => Promise<DatabaseConnection>

/** Connects by the package `pg`, which a project installs if it needs it. It is loaded with the first call. */
export function nodeDatabase(): ConnectDatabase {
  return async (entry, { tls, ...target }, timeoutMs) => {
    const { default: pg } = (await import(/* @vite-ignore */ entry)) as { default: typeof import('pg') }
    const client = new pg.Client({
      ...target,
      ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'checked' },
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: 'spritewright',
    })
    // An idle connection that breaks fails at its next query.
    client.on('error', () => {})
    const close = async (): Promise<void> => {
      await client.end().catch(() => {})
    }
    try {
      await client.connect()
    } catch (error) {
      void close()
      throw error
    }
    return { query: async (text, values = []) => (await client.query(text, [...values])).rows, close }
  }
}
