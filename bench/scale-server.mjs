// Starts the dev server of the project in the working folder, in a process that is measured as a whole. Writes
// a line of JSON to stdout for each point that it reaches.
import { createServer } from 'vite'

const since = performance.now()
const server = await createServer({ root: process.cwd(), logLevel: 'error', server: { host: '127.0.0.1', port: 0 } })
await server.listen()
const { port } = server.httpServer.address()
const origin = `http://127.0.0.1:${port}`
const get = async (path) => {
  const response = await fetch(`${origin}${path}`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`Expected ${path}, found ${response.status}: ${text.slice(0, 300)}`)
  return text
}
const reached = (point, facts = {}) => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  const figures = { wallS: (performance.now() - since) / 1000, cpuS: (userCPUTime + systemCPUTime) / 1e6, ...facts }
  console.log(JSON.stringify({ point, mb: process.memoryUsage.rss() / 2 ** 20, ...figures }))
}

await get('/')
const main = await get('/main.js')
const imports = [...main.matchAll(/"(\/[^"]+\.sprite\.json[^"]*)"/g)].map(([, path]) => path)
await Promise.all(imports.map(get))
reached('first page', { sprites: imports.length })

const revisionOf = (text) => Number(/"revision":(\d+)/.exec(text)?.[1])
const isShown = (text) => text.split('"pages":[{').length - 1
let text = await get('/__spritewright/api/state')
reached('panel, first state', { bytes: text.length })
let revision = revisionOf(text)
let shown = isShown(text)
let bytes = 0
let requests = 0
// A page asks again after each event of a new state. An answer without changes means that no state followed.
while (requests < Number(process.env.SCALE_UPDATES)) {
  text = await get(`/__spritewright/api/state?since=${revision}`)
  if (revisionOf(text) === revision) break
  revision = revisionOf(text)
  shown += isShown(text)
  bytes += text.length
  requests++
}
reached('panel, all shown', { bytes, requests, shown })
await server.close()
