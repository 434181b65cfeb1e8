// `node bench/scale-approve.mjs [100,450,1000]`: what an approval and a purchase of many sprites write into the lock
// file, and into a lock file for each sprite. `npm run bench:scale` prints it too. At most 450 sprites are bought.
import { createJiti } from 'jiti'
import { printTable } from './report.mjs'

const sizes = (process.argv[2] ?? '100,450,1000').split(',').map(Number)
const { countLockWrites } = await createJiti(import.meta.url).import('../test/kit/counted-lock.ts')
const rows = []
for (const isFolder of [false, true])
  for (const sprites of sizes)
    for (const { step, files, bytes, seconds } of await countLockWrites(sprites, isFolder, sprites <= 450))
      rows.push({
        step,
        form: isFolder ? 'sprites.lock/' : 'sprites.lock.json',
        sprites,
        writes: files,
        MB: bytes / 1e6,
        'kB a sprite': bytes / 1000 / sprites,
        seconds,
      })
for (const step of ['approve', 'buy'])
  printTable(
    `${step}: bytes of lock files`,
    rows.filter((row) => row.step === step).map(({ step: _, ...row }) => row),
  )
