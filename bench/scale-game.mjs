// Starts the dev server of the project in the working folder, and requests what a page with twenty sprites does.
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

/** Returns the server, the panel's address, and a function that requests a path of the server. */
export async function openGame() {
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
    panel ??= /Sprites: (\S+)/.exec(line)?.[1]
  }
  server.printUrls()
  const { port } = server.httpServer.address()
  const get = async (path) => {
    const response = await fetch(new URL(path, `http://127.0.0.1:${port}`))
    const text = await response.text()
    if (response.status !== 200) throw new Error(`Expected ${path}, found ${response.status}: ${text.slice(0, 300)}`)
    return text
  }
  const code = await get(`/@id/__x00__${main}`)
  const imports = [...code.matchAll(/"(\/[^"]+)"/g)].map(([, path]) => path).filter((path) => path.includes('sprite'))
  if (imports.length < count) throw new Error(`Expected ${count} imports, found ${code}`)
  await Promise.all(imports.map(get))
  return { server, panel, get }
}
