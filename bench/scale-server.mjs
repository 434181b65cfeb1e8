// Starts the dev server of the project in the working folder, in a process that is measured as a whole. Requests
// what a page with twenty sprites does, and then what the panel does. Writes a line of JSON for each point that it
// reaches.
// - `SCALE_UPDATES`: how often the panel asks again at most; default: until it has all sprites
import { createServer } from 'vite'
import spritewright from '../dist/plugin/index.js'

const main = 'virtual:main'
const count = 20
const page = {
  name: 'page',
  resolveId: (id) => (id === main ? `\0${main}` : undefined),
  load: (id) =>
    id === `\0${main}`
      ? Array.from({ length: count }, (_, index) => `import '/sprites/group000/sprite${String(index).padStart(5, '0')}.sprite.json'`).join(
          '\n',
        )
      : undefined,
}
const since = performance.now()
const server = await createServer({
  root: process.cwd(),
  configFile: false,
  logLevel: 'error',
  server: { host: '127.0.0.1', port: 0 },
  plugins: [page, spritewright()],
})
await server.listen()
let panel
server.config.logger.info = (line) => {
  panel ??= /Sprites: ([^#]+)/.exec(line)?.[1]
}
server.printUrls()
const { port } = server.httpServer.address()
const get = async (path) => {
  const response = await fetch(new URL(path, `http://127.0.0.1:${port}`))
  const text = await response.text()
  if (response.status !== 200) throw new Error(`Expected ${path}, found ${response.status}: ${text.slice(0, 300)}`)
  return text
}
const reached = (point, facts = {}) => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  const figures = { wallS: (performance.now() - since) / 1000, cpuS: (userCPUTime + systemCPUTime) / 1e6, ...facts }
  console.log(JSON.stringify({ point, mb: process.memoryUsage.rss() / 2 ** 20, ...figures }))
}

const code = await get(`/@id/__x00__${main}`)
const imports = [...code.matchAll(/"(\/[^"]+)"/g)].map(([, path]) => path).filter((path) => path.includes('sprite'))
if (imports.length < count) throw new Error(`Expected ${count} imports, found ${code}`)
await Promise.all(imports.map(get))
reached('first page')

let text = await get(`${panel}api/state?whole`)
reached('panel, first state', { bytes: text.length })
let bytes = 0
let requests = 0
// A page asks again after each event of a new state, until all pictures are made.
while (text.includes('"art":""') && requests < Number(process.env.SCALE_UPDATES ?? Infinity)) {
  text = await get(`${panel}api/state`)
  bytes += text.length
  requests++
}
reached('panel, all sprites', { bytes, requests })
await server.close()
