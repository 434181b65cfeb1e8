import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes the purchase of the last sprite out of the project in a folder: its entry in the lock file, and the folders of
 * its records. `putBack` restores both once, as another process writes them when it buys.
 */
export function takeOutPurchase(root) {
  const lockFile = join(root, 'sprites.lock.json')
  const text = readFileSync(lockFile, 'utf8')
  const lock = JSON.parse(text)
  const id = Object.keys(lock.animations).sort().at(-1)
  const [hash] = Object.keys(lock.animations[id])
  const journals = join(process.env.XDG_STATE_HOME, 'spritewright', 'journals')
  const stores = [join(root, '.spritewright'), ...readdirSync(journals).map((place) => join(journals, place))]
  const moves = stores.map((store) => ({ taken: join(store, `taken-out-${hash}`), records: join(store, 'submissions', hash) }))
  for (const { taken, records } of moves) renameSync(records, taken)
  delete lock.animations[id]
  replace(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
  let isTaken = true
  return {
    id,
    putBack: () => {
      if (!isTaken) return
      isTaken = false
      for (const { taken, records } of moves) renameSync(taken, records)
      replace(lockFile, text)
    },
  }
}

function replace(file, text) {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
