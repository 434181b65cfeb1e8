import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleRunner } from '../scripts/bundle-runner.mjs'

const examples = join(import.meta.dirname, '../examples')
const corpora = process.env.SPRITEWRIGHT_CORPORA ?? join(import.meta.dirname, '../../shared/corpora')

/**
 * The pictures of a game that its authors pack with AssetPack.
 *
 * @returns A folder of folders of PNGs, or `undefined` if the corpus is not here.
 */
export function provideGame(cache) {
  const images = join(corpora, 'packers/bubbo-bubbo/raw-assets/images')
  if (!existsSync(images)) return undefined
  const folder = join(cache, 'game')
  rmSync(folder, { recursive: true, force: true })
  for (const name of readdirSync(images).filter((file) => file.includes('{tps}')))
    cpSync(join(images, name), join(folder, name.replace(/\{.*/, '')), { recursive: true })
  return folder
}

/**
 * The sprites of two examples, as the embedded service draws them, in the size of their specs.
 *
 * @returns A folder with one folder of PNGs for each animation.
 */
export async function provideExamples(cache) {
  const folder = join(cache, 'examples')
  if (existsSync(folder)) return folder
  const { encodePng, readPicture, resize } = await import('../dist/atlas/index.js')
  const { animate } = await import(await bundleRunner('src/embedded/artist/artist.ts', join(cache, 'artist')))
  for (const sprites of ['phaser', 'pixi'].map((name) => join(examples, name, 'sprites')))
    for (const file of readdirSync(sprites).filter((name) => name.endsWith('.sprite.json'))) {
      const { reference, prompt, size, animations } = JSON.parse(readFileSync(join(sprites, file), 'utf8'))
      const picture = await readPicture(readFileSync(join(sprites, reference)))
      for (const [name, animation] of Object.entries(animations)) {
        const asked = { reference: picture, prompt: `${prompt}, ${animation.prompt}`, frames: animation.frames, background: 'remove' }
        const own = join(folder, `${file.split('.')[0]}-${name}`)
        mkdirSync(own, { recursive: true })
        for (const [at, frame] of (await animate(asked)).entries()) {
          const factor = size / Math.max(frame.width, frame.height)
          const scaled = await resize(frame, Math.round(frame.width * factor), Math.round(frame.height * factor), 'lanczos')
          writeFileSync(join(own, `frame_${String(at).padStart(3, '0')}.png`), encodePng(scaled))
        }
      }
    }
  return folder
}
