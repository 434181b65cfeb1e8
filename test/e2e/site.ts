import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

/** A folder on loopback, as a plain static server serves it. */
export interface Site {
  /** Ends with a slash. */
  readonly url: string
  close(): Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
}

/** Serves files from memory by their paths from the root. Later additions to the map are served too. */
export async function serveFiles(files: ReadonlyMap<string, Uint8Array>): Promise<Site> {
  return serve(async (path) => files.get(path.slice(1)), '/')
}

/**
 * Serves a folder.
 *
 * @param at Path under which it is served, so that a bundle with a wrong base fails.
 */
export async function serveFolder(folder: string, at = '/'): Promise<Site> {
  return serve(async (path) => {
    const file = join(folder, path.slice(at.length - 1), path.endsWith('/') ? 'index.html' : '')
    const isThere = path.startsWith(at) && (await stat(file).catch(() => undefined))?.isFile()
    return isThere ? readFile(file) : undefined
  }, at)
}

/** @param find Gets a path with its first slash; returns `undefined` if there is no file. */
async function serve(find: (path: string) => Promise<Uint8Array | undefined>, at: string): Promise<Site> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const bytes = await find(path)
    if (bytes === undefined) return void response.writeHead(404).end()
    response
      .writeHead(200, { 'content-type': types[extname(path.endsWith('/') ? 'index.html' : path)] ?? 'application/octet-stream' })
      .end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${at}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
