import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAbsolute } from 'node:path'
import type { ViteDevServer } from 'vite'
import { isInside } from '../src/host/real-path.ts'
import { createLog } from './log.ts'

/**
 * Refuses modules of the game as service workers of the panel. Any script of an origin may become one; its folder says how far it reaches, and it is told the address of every page in its
 * reach, the token with it. So a module beside the root page, `/main.js`, could bring whatever it imports between a person and the panel. What is there to be a service worker (in the public
 * folder, or made by another plugin) is left alone: somebody has written it for that.
 *
 * @param prefix `<base>__spritewright/`.
 */
export function guardWorkers(server: ViteDevServer, prefix: string): void {
  server.middlewares.use((request, response, next) => {
    // Set by every browser where a script is to be one; no page can leave it out.
    if (request.headers['service-worker'] === undefined) return next()
    const url = request.url ?? '/'
    mayReach(server, url.split(/[?#]/)[0] ?? '/', prefix).then(
      (mayReachPanel) => (mayReachPanel ? refuse(server, request, response) : next()),
      () => refuse(server, request, response),
    )
  })
}

/** A header that Vite adds to its answers, as the configuration has it. @param name In lower case. */
export function addedHeader(server: ViteDevServer, name: string): unknown {
  return Object.entries(server.config.server.headers ?? {}).find(([other]) => other.toLowerCase() === name)?.[1]
}

/** Whether a module of the project would reach the panel. @param path As it was asked for. */
async function mayReach(server: ViteDevServer, path: string, prefix: string): Promise<boolean> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const isWidened = addedHeader(server, 'service-worker-allowed') !== undefined
  if (!isWidened && !prefix.startsWith(folder) && !path.startsWith(prefix)) return false
  // The panel's own scripts, and those within a page, which Vite gives under its address.
  if (path.startsWith(prefix) || path.endsWith('/') || path.endsWith('.html')) return true
  const { root, base, publicDir } = server.config
  const plain = decodeURI(path)
  const asked = plain.startsWith(base) ? `/${plain.slice(base.length)}` : plain
  const id = (await server.environments.client.pluginContainer.resolveId(asked))?.id.split('?')[0] ?? ''
  const isPublic = publicDir !== '' && !isInside(publicDir, root) && isInside(publicDir, id)
  // A module that a plugin makes up keeps the name that it was asked for.
  return isAbsolute(id) && (isInside(root, id) || id !== asked) && !isPublic
}

function refuse(server: ViteDevServer, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const words = `${url} is a module of the game, and was asked for as a service worker that would reach as far as the panel. It is refused: service workers lie in the public folder.`
  createLog(server.config.logger).warn(words)
  response.statusCode = 403
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end(words)
}
