import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { measureProcess } from './measure.mjs'
import { forgetBuilds, makeOwnProject, makeProject, projectEnv } from './project.mjs'

const here = import.meta.dirname
const cli = join(here, '../dist/src/cli/bin.js')

const looks = {
  mirror: { back: 'walk' },
  boxes: { body: 'find', feet: 'find' },
  variants: { cold: [{ from: ['#7a1c1c', '#ff8a6d'], to: ['#1c2f7a', '#6d8cff'] }] },
  normals: true,
  pixelArt: { grid: 4, palette: 32, alpha: 'hard' },
}
/** Specs with free fields that make more of each frame: each field alone, and all but those of pixel art. */
const freeFields = {
  ...Object.fromEntries(Object.entries(looks).map(([field, value]) => [`with ${field}`, { [field]: value }])),
  'with mirror, boxes, variants, normals': { ...looks, pixelArt: false },
}

/**
 * Everything that makes an atlas of a corpus, by name. `cold` measures a whole process from nothing; `out` is
 * the folder of its pages. Peers get frames as PNG files; the floor and spritewright get the ZIPs as they are
 * delivered.
 */
export function toolsFor(size, corpus, cache) {
  const out = (name) => join(cache, `out-${name}-${size}`)
  const frames = join(corpus, 'frames')
  const peer = (script, args) => measureProcess({ script: join(here, 'peers', script), args, cwd: join(here, 'peers') })
  const emptied = (name) => {
    rmSync(out(name), { recursive: true, force: true })
    return out(name)
  }
  const project = join(cache, `project-${size}`)
  const drawn = join(cache, `own-${size}`)
  const buildIn = (cwd) => measureProcess({ script: cli, args: ['build', '--out', 'out'], cwd, env: projectEnv })
  const build = () => buildIn(project)
  const assets = join(cache, `assetpack-${size}`)
  const assetPack = () => peer('assetpack.mjs', [assets, out('assetpack'), join(cache, `assetpack-cache-${size}`)])
  return {
    floor: { out: out('floor'), cold: () => measureProcess({ script: join(here, 'floor.mjs'), args: [corpus, emptied('floor')] }) },
    spritewright: {
      out: join(project, 'out'),
      project,
      prepare: () => makeProject(corpus, project),
      cold: () => {
        forgetBuilds(project)
        return build()
      },
      again: build,
      serveTools: () => measureProcess({ script: cli, args: ['mcp'], cwd: project, env: projectEnv }),
    },
    'own art': {
      prepare: () => makeOwnProject(frames, drawn),
      cold: () => {
        forgetBuilds(drawn)
        return buildIn(drawn)
      },
    },
    ...Object.fromEntries(
      Object.entries(freeFields).map(([name, spec]) => {
        const folder = join(cache, `${name.replaceAll(' ', '-')}-${size}`)
        return [
          name,
          {
            prepare: () => makeProject(corpus, folder, { spec }),
            cold: () => {
              forgetBuilds(folder)
              return buildIn(folder)
            },
          },
        ]
      }),
    ),
    AssetPack: {
      out: out('assetpack'),
      prepare: () => {
        rmSync(assets, { recursive: true, force: true })
        cpSync(frames, join(assets, 'sprites{tps}'), { recursive: true })
      },
      cold: () => {
        rmSync(join(cache, `assetpack-cache-${size}`), { recursive: true, force: true })
        emptied('assetpack')
        return assetPack()
      },
      again: assetPack,
    },
    'free-tex-packer': { out: out('free-tex'), cold: () => peer('free-tex-packer.mjs', [frames, emptied('free-tex')]) },
    spritesmith: { out: out('spritesmith'), cold: () => peer('spritesmith.mjs', [frames, emptied('spritesmith')]) },
    'maxrects-packer': { out: out('maxrects'), cold: () => peer('maxrects-packer.mjs', [corpus, emptied('maxrects')]) },
    'empty process': { cold: () => measureProcess({ script: join(here, 'empty.mjs') }) },
  }
}

/** Bytes and area of the PNG pages in a folder. Returns `undefined` if there are none. */
export function readPages(folder) {
  if (!existsSync(folder)) return undefined
  const pages = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.png'))
    .map((file) => {
      const png = readFileSync(join(folder, file))
      return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), bytes: statSync(join(folder, file)).size }
    })
  if (pages.length === 0) return undefined
  const sum = (of) => pages.reduce((total, page) => total + of(page), 0)
  return {
    pages: pages.length,
    mpx: sum(({ width, height }) => width * height) / 1e6,
    kb: sum(({ bytes }) => bytes) / 1000,
    longest: Math.max(...pages.flatMap(({ width, height }) => [width, height])),
  }
}
