import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAbsolute } from 'node:path'
import type { ViteDevServer } from 'vite'
import { isInside } from '../src/host/real-path.ts'
import { createLog } from './log.ts'

/**
 * Refuses modules of the game as service workers of the panel. Any script of an origin may become a service
 * worker. Its folder is its scope, and it receives the address of every page in that scope, with the token.
 * So a module beside the root page, `/main.js`, could put its imports between a person and the panel. A file
 * that is meant as a service worker (in the public folder, or made by another plugin) is allowed.
 *
 * @param prefix `<base>__spritewright/`.
 */
export function guardWorkers(server: ViteDevServer, prefix: string): void {
  server.middlewares.use((request, response, next) => {
    // Every browser sets this header for the script of a service worker. No page can leave it out.
    if (request.headers['service-worker'] === undefined) return next()
    const url = request.url ?? '/'
    mayReach(server, url.split(/[?#]/)[0] ?? '/', prefix).then(
      (mayReachPanel) => (mayReachPanel ? refuse(server, request, response) : next()),
      () => refuse(server, request, response),
    )
  })
}

/**
 * A header that the configuration of Vite adds to responses.
 *
 * @param name In lower case.
 */
export function addedHeader(server: ViteDevServer, name: string): unknown {
  return Object.entries(server.config.server.headers ?? {}).find(([other]) => other.toLowerCase() === name)?.[1]
}

/**
 * Whether a module of the project would reach the panel as a service worker.
 *
 * @param path As requested.
 */
async function mayReach(server: ViteDevServer, path: string, prefix: string): Promise<boolean> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const isWidened = addedHeader(server, 'service-worker-allowed') !== undefined
  if (!isWidened && !prefix.startsWith(folder) && !path.startsWith(prefix)) return false
  // The panel's own scripts, and inline scripts of a page, which Vite serves under the page's address.
  if (path.startsWith(prefix) || path.endsWith('/') || path.endsWith('.html')) return true
  const { root, base, publicDir } = server.config
  const plain = decodeURI(path)
  const asked = plain.startsWith(base) ? `/${plain.slice(base.length)}` : plain
  const id = (await server.environments.client.pluginContainer.resolveId(asked))?.id.split('?')[0] ?? ''
  const isPublic = publicDir !== '' && !isInside(publicDir, root) && isInside(publicDir, id)
  // A virtual module of a plugin keeps the requested name as its id.
  return isAbsolute(id) && (isInside(root, id) || id !== asked) && !isPublic
}

function refuse(server: ViteDevServer, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const words = `${url} is a module of the game, and was asked for as a service worker that would reach as far as the panel. It is refused: service workers belong in the public folder.`
  createLog(server.config).warn(words)
  response.statusCode = 403
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end(words)
}
