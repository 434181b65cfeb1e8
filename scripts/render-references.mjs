// Renders the examples' reference drawings (examples/*/sprites/*.svg) to the PNG pictures that their specs
// name.
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples')
for (const example of ['phaser', 'pixi', 'prebuild']) {
  const folder = join(examples, example, 'sprites')
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.svg')).sort()) {
    const target = join(folder, file.replace(/\.svg$/, '.png'))
    // Drawn at four times the size, then reduced, for finer edges than the renderer's own.
    const large = await sharp(join(folder, file), { density: 288 }).png().toBuffer()
    const { width, height } = await sharp(large).resize(256, 256).png({ compressionLevel: 9 }).toFile(target)
    console.log(`${example}/sprites/${file} -> ${width} x ${height}`)
  }
}
