import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { ViteDevServer } from 'vite'
import { isInside, realPath } from '../../src/host/real-path.ts'
import { isOwnHost, type NamedServer } from './guard.ts'

/** Responds 403 to a request for a path under a prefix, if its host is not a name of the server. */
export function guardHost(server: ViteDevServer, prefix: string): void {
  server.middlewares.use((request, response, next) => {
    if (!`${pathOf(request)}/`.startsWith(prefix) || !refuseHost(request, response, server.config.server)) next()
  })
}

/** Responds 403 to a request whose host is not a name of the server. Returns whether it did. */
export function refuseHost(request: IncomingMessage, response: ServerResponse, names: NamedServer): boolean {
  if (isOwnHost(request.headers, names)) return false
  const { host, ':authority': authority = host } = request.headers
  response.statusCode = 403
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.end(
    `Expected a request to a name of this server, found Host: ${JSON.stringify(authority ?? '')}. If that name is yours, add it to server.allowedHosts in the configuration of Vite.`,
  )
  return true
}

/** Path of a request, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? ''
}

/**
 * Responds 404 to every path that leads into a folder of the plugin, in any spelling, before Vite handles it.
 * Vite's own `server.fs.deny` is left as it is: setting it would replace its defaults, and expose `.env`.
 *
 * @param folders Absolute.
 */
export function guardPaths(server: ViteDevServer, folders: readonly string[]): void {
  const { root, base } = server.config
  server.middlewares.use((request, response, next) => {
    if (!isOwnPath(request.url ?? '/', root, base, folders)) return next()
    response.statusCode = 404
    response.end()
  })
}

/**
 * Whether a URL or the id of a module may name a file in one of the folders. Links are resolved on both
 * sides: a workspace links `node_modules/game` to the project, a link may lead to a single file, and a disk
 * may accept several spellings of a folder.
 */
export function isOwnPath(url: string, root: string, base: string, folders: readonly string[]): boolean {
  const named = withRealPaths(namedPaths(url, root, base))
  const own = withRealPaths(folders)
  return named.some((path) => own.some((folder) => isInside(folder, path)))
}

/** Each path as it is written and as the disk has it, without duplicates. */
function withRealPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, realPath(path)]))]
}

/**
 * Every file that a URL may name: from the root or from the root of the disk (Vite accepts both), after
 * `/@fs/` and `/@id/`, with or without the base, decoded as often as it changes, up to eight times.
 */
function namedPaths(url: string, root: string, base: string): readonly string[] {
  const paths: string[] = []
  let path = url.split(/[?#]/)[0] ?? '/'
  for (let turn = 0; turn < 8; turn++) {
    const plain = path.replaceAll('\\', '/').replaceAll('\0', '').replaceAll('__x00__', '')
    const bases = base.length > 1 && plain.startsWith(base) ? [plain, `/${plain.slice(base.length)}`] : [plain]
    for (const one of bases) {
      const bare = one.replace(/^(\/*@(fs|id)(?=\/))+/, '').replace(/^\/+/, '')
      paths.push(resolve(root, bare), resolve('/', bare))
    }
    const decoded = decodeOnce(path)
    if (decoded === path) break
    path = decoded
  }
  return paths
}

/** Decodes a path once. Parts that cannot be decoded stay. */
function decodeOnce(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
}
