// Starts the dev server of the project in the working folder, in a process that is measured as a whole. Requests
// what a page with twenty sprites does, and then what the panel does. Writes a line of JSON for each point that it
// reaches.
// - `SCALE_UPDATES`: how often the panel asks again at most; default: until it has all sprites
import { openGame } from './scale-game.mjs'

const since = performance.now()
const reached = (point, facts = {}) => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  const figures = { wallS: (performance.now() - since) / 1000, cpuS: (userCPUTime + systemCPUTime) / 1e6, ...facts }
  console.log(JSON.stringify({ point, mb: process.memoryUsage.rss() / 2 ** 20, ...figures }))
}

const { server, panel, get } = await openGame()
reached('first page')

let text = await get(new URL('api/state?whole', panel))
reached('panel, first state', { bytes: text.length })
let bytes = 0
let requests = 0
// A page asks again after each event of a new state, until all pictures are made.
while (text.includes('"art":""') && requests < Number(process.env.SCALE_UPDATES ?? Infinity)) {
  text = await get(new URL('api/state', panel))
  bytes += text.length
  requests++
}
reached('panel, all sprites', { bytes, requests })
await server.close()
