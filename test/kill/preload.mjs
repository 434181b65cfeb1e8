// Loaded into a real process before everything else (`node --import`). It numbers the changes of the disk
// under one folder and the requests of the process, and writes each step to file descriptor 3. It ends the
// process at one of them, or makes the disk full from one on. `SPRITEWRIGHT_MORTAL` chooses:
// - `before 7`, `after 7`: SIGKILL right before or right after the seventh step. "After" a request is when
//   its answer comes.
// - `change 7`: SIGKILL right before the seventh step, not counting flushes and removals, which do not change
//   the files that a killed process leaves.
// - `torn 7`: SIGKILL with half of the bytes written, if the seventh step writes.
// - `ENOSPC 7`: the seventh call that needs room fails, and every later one.
import { subscribe } from 'node:diagnostics_channel'
import fs, { openSync, readSync, writeSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { sep } from 'node:path'

const { SPRITEWRIGHT_MORTAL_ROOT: root = '', SPRITEWRIGHT_MORTAL = '' } = process.env
const [deed = '', at = '0'] = SPRITEWRIGHT_MORTAL.split(' ')
const chosen = Number.parseInt(at, 10)
const isFull = deed === 'ENOSPC'
const diesBefore = deed === 'before' || deed === 'change'
/** The limits that processes share are no files of the project. Losing them only costs a wait. */
const limits = `${sep}spritewright${sep}limits${sep}`
const isSkipped = (name) => deed === 'change' && (name === 'sync' || name === 'rm')
let steps = 0
let taken = 0

const isOurs = (path) => (path === root || String(path).startsWith(root + sep)) && !String(path).includes(limits)
const tell = (name, what) => writeSync(3, `${name} ${what}\n`)
const short = (path) => path.slice(root.length + 1) || '.'

function die() {
  process.kill(process.pid, 'SIGKILL')
  // The signal ends the process when that call returns. Until then, nothing else may run.
  const zero = openSync('/dev/zero', 'r')
  for (;;) readSync(zero, new Uint8Array(1))
}

/**
 * Begins a step.
 *
 * @returns Whether it is the one to die at.
 */
function begin(name, path) {
  const isChosen = !isSkipped(name) && ++steps === chosen && !isFull
  tell(name, short(path))
  if (isChosen && diesBefore) die()
  return isChosen
}

/**
 * Wraps an asynchronous step.
 *
 * @param tear Does half of it.
 */
async function step(name, path, call, tear) {
  if (!isOurs(path)) return call()
  const isChosen = begin(name, path)
  if (isChosen && deed === 'torn' && tear) {
    await tear()
    die()
  }
  try {
    return await call()
  } finally {
    // A step that failed is a step too.
    if (isChosen) die()
  }
}

/** Wraps a synchronous step. */
function stepNow(name, path, call, tear) {
  if (!isOurs(path)) return call()
  const isChosen = begin(name, path)
  if (isChosen && deed === 'torn' && tear) {
    tear()
    die()
  }
  try {
    return call()
  } finally {
    if (isChosen) die()
  }
}

/** A call that needs room on a disk. */
function roomy(name, path, call) {
  if (!isFull || !isOurs(path) || ++taken < chosen) return call()
  const syscall = { writeFile: 'write', appendFile: 'write', copyFile: 'copyfile' }[name] ?? name
  throw Object.assign(new Error(`ENOSPC: no space left on device, ${syscall} '${path}'`), { code: 'ENOSPC', errno: -28, syscall, path })
}

const real = { ...promises }
const realNow = { ...fs }
/** Paths of open files, by their numbers. */
const paths = new Map()
const half = (bytes) => bytes.slice(0, bytes.length >> 1)
for (const name of ['writeFile', 'appendFile']) {
  promises[name] = (path, bytes, options) => {
    const call = (some) => real[name](path, some, options)
    return step(
      name,
      path,
      async () => roomy(name, path, () => call(bytes)),
      () => call(half(bytes)),
    )
  }
  fs[`${name}Sync`] = (target, bytes, options) => {
    const call = (some) => realNow[`${name}Sync`](target, some, options)
    const path = paths.get(target) ?? target
    return stepNow(
      path === target ? name : 'appendFile',
      path,
      () => roomy(name, path, () => call(bytes)),
      () => call(half(bytes)),
    )
  }
}
// The second path is the one that is made.
for (const name of ['link', 'copyFile', 'symlink']) {
  promises[name] = (from, to, ...rest) => step(name, to, async () => roomy(name, to, () => real[name](from, to, ...rest)))
  fs[`${name}Sync`] = (from, to, ...rest) => stepNow(name, to, () => roomy(name, to, () => realNow[`${name}Sync`](from, to, ...rest)))
}
promises.rename = (from, to) => step('rename', to, () => real.rename(from, to))
fs.renameSync = (from, to) => stepNow('rename', to, () => realNow.renameSync(from, to))
for (const name of ['rm', 'unlink', 'rmdir', 'truncate']) {
  promises[name] = (path, ...rest) => step(name, path, () => real[name](path, ...rest))
  // The removal of a file is the same step, whichever function does it.
  fs[`${name}Sync`] = (path, ...rest) => stepNow(name === 'unlink' ? 'rm' : name, path, () => realNow[`${name}Sync`](path, ...rest))
}
// Making a folder is no step of its own, because the folder mostly exists. Dying after it equals dying before
// the next step.
promises.mkdir = async (path, ...rest) => roomy('mkdir', path, () => real.mkdir(path, ...rest))
fs.mkdirSync = (path, ...rest) => roomy('mkdir', path, () => realNow.mkdirSync(path, ...rest))
fs.openSync = (path, ...rest) => {
  const file = realNow.openSync(path, ...rest)
  paths.set(file, path)
  return file
}
fs.closeSync = (file) => {
  paths.delete(file)
  realNow.closeSync(file)
}
fs.fsync = (file, done) => {
  const sync = () => new Promise((resolve, reject) => realNow.fsync(file, (error) => (error ? reject(error) : resolve())))
  step('sync', paths.get(file) ?? '', sync).then(() => done(null), done)
}
syncBuiltinESMExports()

let asked
subscribe('undici:request:create', ({ request }) => {
  tell('request', `${request.method} ${request.path}`)
  if (++steps !== chosen || isFull) return
  if (diesBefore) die()
  asked = request
})
// "After" a request is when its answer begins, or when it has failed; at the latest, at the end of the
// process.
process.on('exit', () => {
  if (asked) die()
})
for (const end of ['headers', 'error'])
  subscribe(`undici:request:${end}`, ({ request }) => {
    if (request === asked) die()
  })
