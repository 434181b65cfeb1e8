import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createJiti } from 'jiti'
import { readCorpus } from './corpus.mjs'

// dist/ lacks code that no user of the package needs, so these are the sources themselves.
const jiti = createJiti(import.meta.url)
const { requestHash } = await jiti.import('../src/sprite-spec/key.ts')
const { parseSpec } = await jiti.import('../src/sprite-spec/parser.ts')
const { toRequests } = await jiti.import('../src/sprite-spec/request.ts')
const { formatLockFile } = await jiti.import('../src/vault/lockfile.ts')

/** No request ever goes to the project's service, because everything is bought. Port 9 would refuse. */
export const projectEnv = { SPRITEWRIGHT_BASE_URL: 'http://127.0.0.1:9' }
const identity = { host: '127.0.0.1:9', keyMode: 'test', apiVersion: '1' }

/**
 * A user's project in which every sprite of a corpus was bought, and nothing has been built.
 *
 * @param {{ isReversed?: boolean, spec?: object }} options `isReversed`: whether its files are written in
 * reverse order; `spec`: free fields of every spec.
 * @returns Its folder.
 */
export function makeProject(corpus, folder, { isReversed = false, spec = {} } = {}) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'game', private: true, type: 'module', dependencies: { phaser: '^4.0.0' } }),
  )
  const { sprites } = readCorpus(corpus)
  const reference = readFileSync(join(corpus, 'frames', sprites[0].name, 'frame_000.png'))
  const ordered = isReversed ? sprites.toReversed() : sprites
  const bought = ordered.map(({ name, frames }) => ({ name, frames, zip: join(corpus, 'zips', `${name}.zip`), free: spec }))
  return buyAll(folder, bought, reference)
}

/**
 * A project of own art: each folder of pictures is a sprite.
 *
 * @param {object} atlas The project's options of the atlas.
 * @returns Its folder.
 */
export function makeOwnProject(frames, folder, atlas = {}) {
  rmSync(folder, { recursive: true, force: true })
  cpSync(frames, join(folder, 'sprites'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'game', private: true, dependencies: { 'pixi.js': '^8.0.0' } }))
  writeFileSync(join(folder, 'spritewright.config.json'), JSON.stringify({ atlas }))
  for (const name of readdirSync(frames))
    writeFileSync(join(folder, 'sprites', `${name}.sprite.json`), JSON.stringify({ source: `./${name}/` }))
  return folder
}

/**
 * Writes specs, and results as if they had been bought.
 *
 * @param {readonly { name: string, frames: number, zip: string, free?: object, folder?: string }[]} sprites
 * Each with its delivery, and the folder of its spec inside the folder of all sprites.
 * @param reference PNG that all of them name.
 * @returns The folder.
 */
export function buyAll(folder, sprites, reference) {
  mkdirSync(join(folder, 'sprites'), { recursive: true })
  mkdirSync(join(folder, '.spritewright/results'), { recursive: true })
  writeFileSync(join(folder, 'sprites/reference.png'), reference)
  const animations = Object.fromEntries(sprites.map((sprite) => buy(sprite, folder, sha256(reference))))
  writeFileSync(join(folder, 'sprites.lock.json'), formatLockFile({ version: 1, animations }))
  return folder
}

/** Deletes everything that a build makes, so that the next one is cold. */
export function forgetBuilds(folder) {
  rmSync(join(folder, 'node_modules/.cache'), { recursive: true, force: true })
  rmSync(join(folder, 'out'), { recursive: true, force: true })
}

function buy({ name, frames, zip, free = {}, folder: own }, folder, reference) {
  const text = JSON.stringify({
    reference: own === undefined ? './reference.png' : '../reference.png',
    prompt: `a figure called ${name}`,
    ...free,
    animations: { walk: { frames } },
  })
  const file = join(folder, 'sprites', own ?? '', `${name}.sprite.json`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const spec = parseSpec(text, file)
  const { request } = toRequests(spec, spec.animations[0], reference, (step) => requestHash(step, identity))
  const bytes = readFileSync(zip)
  const result = { sha256: sha256(bytes), bytes: bytes.length }
  place(zip, join(folder, '.spritewright/results', `${result.sha256}.zip`))
  const { operation: _, id, ...asked } = { ...request, reference }
  return [id, { [requestHash(request, identity)]: { service: identity, asked, result } }]
}

function place(from, to) {
  if (existsSync(to)) return
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
