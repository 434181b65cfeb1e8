import { resolve } from 'node:path'
import type { Connect, ViteDevServer } from 'vite'
import type { BuiltPage } from '../src/index.ts'
import { isInside } from './ids.ts'

/**
 * Answers 404 for every path that leads into a folder of ours, in any spelling, before Vite sees it. Vite's own `server.fs.deny` is left as it is: setting it would replace its defaults,
 * and open `.env`.
 *
 * @param folders Absolute.
 */
export function guardPaths(server: ViteDevServer, folders: readonly string[]): void {
  server.middlewares.use((request, response, next) => {
    if (
      !namedPaths(request.url ?? '/', server.config.root, server.config.base).some((path) =>
        folders.some((folder) => isInside(folder, path)),
      )
    )
      return next()
    response.statusCode = 404
    response.end()
  })
}

/** Every file that a URL may name: under the root, after `/@fs/`, with the base or without it, decoded as often as it changes. */
function namedPaths(url: string, root: string, base: string): readonly string[] {
  const paths: string[] = []
  let path = url.split(/[?#]/)[0] ?? '/'
  for (let turn = 0; turn < 4; turn++) {
    const plain = path.replaceAll('\\', '/').replaceAll('\0', '')
    const bases = base.length > 1 && plain.startsWith(base) ? [plain, `/${plain.slice(base.length)}`] : [plain]
    for (const one of bases) {
      paths.push(resolve(root, `.${one.startsWith('/') ? one : `/${one}`}`))
      const absolute = /^\/+@fs\/*(.*)$/s.exec(one)?.[1]
      if (absolute !== undefined) paths.push(resolve('/', absolute))
    }
    const decoded = decodeOnce(path)
    if (decoded === path) break
    path = decoded
  }
  return paths
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Serves pages from memory under a prefix, by content hash, with an ETag: a page that the browser has is not sent again. */
export function servePages(server: ViteDevServer, prefix: string, find: (sha256: string) => BuiltPage | undefined): void {
  const handle: Connect.NextHandleFunction = (request, response, next) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (!path.startsWith(prefix)) return next()
    const page = find(/^([0-9a-f]{64})\.[a-z0-9]+$/.exec(path.slice(prefix.length))?.[1] ?? '')
    if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.statusCode = page ? 405 : 404
      return void response.end()
    }
    const etag = `"${page.sha256}"`
    response.setHeader('ETag', etag)
    response.setHeader('Cache-Control', 'no-cache')
    if (request.headers['if-none-match'] === etag) {
      response.statusCode = 304
      return void response.end()
    }
    response.setHeader('Content-Type', page.contentType)
    response.setHeader('Content-Length', page.bytes.length)
    response.end(request.method === 'HEAD' ? undefined : page.bytes)
  }
  server.middlewares.use(handle)
}
