// Makes docs/chains.png from a built copy of examples/chains. Each row is a sprite: its reference pictures
// from step to step, then frames of its animation. Usage: node scripts/take-chains.mjs FOLDER (in which
// `spritewright build` has run)
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { encodePng, readArchive, readDelivery } = await import(join(root, 'dist/atlas/index.js'))
const project = resolve(process.argv[2] ?? '.')
const status = JSON.parse(
  execFileSync(process.execPath, [join(root, 'dist/src/cli/bin.js'), 'status', '--json'], { cwd: project, encoding: 'utf8' }),
)
const cell = 128
const words = { text_to_image: 'text', image_to_image: 'edit', background_remove: 'cut out', upscale: 'doubled' }

const stored = (sha256, ending) => readFileSync(join(project, '.spritewright/results', `${sha256}.${ending}`))
const toCell = (bytes) =>
  sharp(bytes)
    .resize(cell - 16, cell - 16, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png()
    .toBuffer()
const label = (text, size, colour, width) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="22"><title>${text}</title><text x="${width / 2}" y="16" font-family="sans-serif" font-size="${size}" fill="${colour}" text-anchor="middle">${text}</text></svg>`,
  )

const rows = []
for (const item of status.items) {
  const own = join(project, 'sprites', `${item.sprite}.png`)
  const steps = status.steps.filter((step) => step.id.startsWith(`${item.sprite}#`))
  const pictures = [
    ...(existsSync(own) ? [{ name: 'your drawing', bytes: readFileSync(own) }] : []),
    ...steps.map((step) => ({ name: words[step.operation], bytes: stored(step.result, 'png') })),
  ]
  const { frames } = readDelivery(readArchive(stored(item.result, 'zip')))
  const shown = [0, 2, 4, 6].map((index) => Buffer.from(encodePng(frames[index])))
  rows.push({ name: item.id, pictures, frames: shown })
}

const columns = Math.max(...rows.map((row) => row.pictures.length))
const width = (columns + 4) * cell + 48
const height = rows.length * (cell + 26) + 12
const layers = []
for (const [line, row] of rows.entries()) {
  const top = 8 + line * (cell + 26)
  for (const [index, picture] of row.pictures.entries()) {
    const left = 8 + (columns - row.pictures.length + index) * cell
    layers.push(
      { input: await toCell(picture.bytes), left: left + 8, top: top + 4 },
      { input: label(picture.name, 13, '#5b6472', cell), left, top: top + cell },
    )
  }
  for (const [index, frame] of row.frames.entries())
    layers.push({ input: await toCell(frame), left: 40 + (columns + index) * cell, top: top + 4 })
  layers.push({ input: label(row.name, 14, '#1f2430', 4 * cell), left: 32 + columns * cell, top: top + cell })
  layers.push({ input: label('→', 22, '#8a93a3', 32), left: 4 + columns * cell, top: top + cell / 2 - 11 })
}
await sharp({ create: { width, height, channels: 4, background: '#f6f4ef' } })
  .composite(layers)
  .png({ palette: true, quality: 90 })
  .toFile(join(root, 'docs/chains.png'))
console.log(`docs/chains.png, ${width} × ${height}`)
