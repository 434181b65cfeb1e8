// CPU seconds, user and system, of a command and of everything that it starts.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { deflateSync } from 'node:zlib'

/**
 * Runs a command with the output of this process.
 *
 * On Linux, a control group counts every process, also those that outlive their parent, as parts of a browser do.
 * Making one usually takes root. Without one, a shell counts the processes that their parents have waited for.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ code: number, cpuSeconds: number | undefined, isWhole: boolean }>} `isWhole` says whether every
 * process was counted. `cpuSeconds` is `undefined` if nothing could be measured.
 */
export async function runMeasured(command, args, env) {
  const group = makeGroup()
  const script = group
    ? 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    : // `times` prints a line for the shell itself, then one for its children.
      '"$@"; code=$?; times >&3; exit $code'
  const [shell, words] =
    process.platform === 'win32' ? [command, args] : ['/bin/sh', ['-c', script, group?.folder ?? 'sh', command, ...args]]
  const child = spawn(shell, words, { env, stdio: ['inherit', 'inherit', 'inherit', 'pipe'] })
  let times = ''
  child.stdio[3]?.on('data', (part) => {
    times += part
  })
  // Ctrl-C reaches the command as well. Its end ends this process.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  const code = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  process.off('SIGINT', ignore)
  if (group) return { code, cpuSeconds: group.take(), isWhole: true }
  const spent = [...(times.split('\n')[1] ?? '').matchAll(/([\d.]+)m([\d.]+)s/g)]
  const cpuSeconds =
    spent.length === 0 ? undefined : spent.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0)
  return { code, cpuSeconds, isWhole: false }
}

/** A new control group, of version 1 or 2. Returns `undefined` if this process may not make one. */
function makeGroup() {
  const parent = ['/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup'].find((folder) => existsSync(`${folder}/cgroup.procs`))
  const folder = `${parent}/spritewright-${process.pid}`
  try {
    if (parent === undefined || process.getuid?.() !== 0) return undefined
    mkdirSync(folder)
  } catch {
    return undefined
  }
  const take = () => {
    const seconds = existsSync(`${folder}/cpuacct.usage`)
      ? Number(readFileSync(`${folder}/cpuacct.usage`, 'utf8')) / 1e9
      : Number(/^usage_usec (\d+)$/m.exec(readFileSync(`${folder}/cpu.stat`, 'utf8'))?.[1]) / 1e6
    try {
      rmdirSync(folder)
    } catch {
      // A process that still ends keeps the folder.
    }
    return seconds
  }
  return { folder, take }
}

/**
 * How slow this machine is, now: the CPU time of a fixed piece of work, as a multiple of what the machine needed on
 * which the budget of `npm test` was set.
 */
export function slowness() {
  /** CPU seconds on the machine on which the budget was set. */
  const usualSeconds = 0.4
  const bytes = new Uint8Array(2 ** 20)
  const before = process.cpuUsage()
  const names = new Map()
  for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 2654435761) >>> 24
  for (let at = 0; at < 400_000; at++) names.set(`${at % 5_000}:${at % 7}`, { at, text: JSON.stringify([at, `${at}`]) })
  for (let at = 0; at < 8; at++) deflateSync(bytes)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6 / usualSeconds
}
