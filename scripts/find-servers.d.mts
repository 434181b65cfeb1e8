/** Finds the folder with `postgres` and `initdb`, and the executable of nginx. */
export declare function findServers(env?: Readonly<Record<string, string | undefined>>): {
  postgres: string | undefined
  nginx: string | undefined
}
