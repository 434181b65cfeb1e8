// Loaded into a process before everything else. Writes every HTTP request of the process, whole, as one JSON
// line into the file that SPRITEWRIGHT_TOLD names.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.SPRITEWRIGHT_TOLD ?? ''
const tell = (origin, rest) => appendFileSync(file, `${JSON.stringify({ origin, ...rest })}\n`)

subscribe('undici:request:create', ({ request }) =>
  tell(String(request.origin), { method: request.method, path: request.path, headers: request.headers }),
)
subscribe('http.client.request.start', ({ request }) =>
  tell(`${request.protocol}//${request.getHeader('host')}`, { method: request.method, path: request.path, headers: request.getHeaders() }),
)
