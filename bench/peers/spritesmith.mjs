// node spritesmith.mjs <folder of folders of frames> <output>: no trim, no duplicates found, one page
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Spritesmith from 'spritesmith'

const [frames, output] = process.argv.slice(2)
const src = readdirSync(frames, { recursive: true })
  .filter((file) => file.endsWith('.png'))
  .sort()
  .map((file) => join(frames, file))
const { image } = await new Promise((resolve, reject) =>
  Spritesmith.run({ src, padding: 2 }, (error, result) => (error ? reject(error) : resolve(result))),
)
mkdirSync(output, { recursive: true })
writeFileSync(join(output, 'page-0.png'), image)
