// node free-tex-packer.mjs <folder of folders of frames> <output> [packer] [its method]
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packAsync } from 'free-tex-packer-core'

const [frames, output, packer, packerMethod] = process.argv.slice(2)
const images = readdirSync(frames)
  .sort()
  .flatMap((sprite) =>
    readdirSync(join(frames, sprite))
      .sort()
      .map((file) => ({ path: `${sprite}/${file}`, contents: readFileSync(join(frames, sprite, file)) })),
  )
const files = await packAsync(images, {
  width: 2048,
  height: 2048,
  padding: 2,
  powerOfTwo: false,
  allowRotation: false,
  allowTrim: true,
  detectIdentical: true,
  exporter: 'Pixi',
  packer,
  packerMethod,
})
mkdirSync(output, { recursive: true })
for (const { name, buffer } of files) writeFileSync(join(output, name), buffer)
