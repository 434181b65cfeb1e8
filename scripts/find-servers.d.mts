/**
 * Finds the folder with `postgres` and `initdb`, and the executables of nginx and of Ceph's S3 service, by the
 * names of their packages in Debian.
 */
export declare function findServers(env?: Readonly<Record<string, string | undefined>>): {
  postgresql: string | undefined
  nginx: string | undefined
  'redis-server': string | undefined
  radosgw: string | undefined
}
