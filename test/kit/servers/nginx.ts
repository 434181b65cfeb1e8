import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findServers } from '../../../scripts/find-servers.mjs'
import { freePort } from '../listen.ts'
import { removeFolder, serverFolder, startProcess } from './process.ts'

/** An nginx on loopback that serves a folder with WebDAV, as Bazel's documentation sets it up as a cache. */
export interface Nginx {
  readonly url: string
  /** The served folder. */
  readonly folder: string
  close(): Promise<void>
}

/** Whether this machine has nginx. If not, the tests that need it say that they are skipped. */
export const hasNginx: boolean = findServers().nginx !== undefined
if (!hasNginx) console.warn('The tests of nginx as a cache are skipped: no nginx is here (on Debian: apt-get install nginx).')

/** Starts nginx in a new folder. */
export async function startNginx(): Promise<Nginx> {
  // One process needs no other user, even as root.
  const home = serverFolder({})
  const folder = join(home, 'files')
  mkdirSync(folder)
  const port = await freePort()
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home}/${name};`).join(' ')
  const text = `
daemon off; master_process off; pid ${home}/pid; error_log stderr;
events { worker_connections 64; }
http {
  access_log off; ${temp}
  server {
    listen 127.0.0.1:${port};
    location /cache/ {
      alias ${folder}/;
      dav_methods PUT DELETE;
      create_full_put_path on;
      client_max_body_size 1G;
    }
  }
}
`
  writeFileSync(join(home, 'nginx.conf'), text)
  const server = await startProcess(findServers().nginx ?? '', ['-c', join(home, 'nginx.conf'), '-p', home], port, {})
  return {
    url: `http://127.0.0.1:${port}/cache`,
    folder,
    close: async () => {
      await server.stop('SIGTERM')
      removeFolder(home)
    },
  }
}
