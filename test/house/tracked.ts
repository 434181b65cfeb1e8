import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import type { Violation } from './rooms.ts'

/** A text file of the repository: its path from the root and its text. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/**
 * Every text file that git tracks, or would track, in path order. Returns `undefined` outside of a git
 * checkout.
 */
export function readTextFiles(root: string): TextFile[] | undefined {
  let listed: string
  try {
    listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return undefined
  }
  const paths = [...new Set(listed.split('\0'))].filter((path) => path !== '').sort()
  return paths.flatMap((path) => {
    const text = readText(join(root, path))
    return text === undefined ? [] : [{ path, text }]
  })
}

/** Returns `undefined` if the file is gone or contains no text. */
function readText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path)
    return bytes.includes(0) ? undefined : bytes.toString('utf8')
  } catch {
    return undefined
  }
}

/** Absolute paths that only this machine has: the home folder, the checkout and its siblings. */
export function machinePaths(root: string): string[] {
  const parent = dirname(root)
  const beside = parent === dirname(parent) ? [] : readdirSync(parent).map((name) => posix.join(parent, name))
  return [root, homedir(), ...beside].filter((path) => path.split('/').filter((part) => part !== '').length > 1 || path === homedir())
}

/** Mentions of this machine's paths, of anybody's home folder, or of a package registry. */
export function namesOfPlaces(files: readonly TextFile[], paths: readonly string[]): Violation[] {
  const home = /(?<![\w.$}/-])\/(?:home|Users)\/(?!you\b|me\b|user\b)[a-z][\w.-]*\/|\b[A-Z]:\\Users\\\w+/
  // Written so that this file does not contain the names that it searches for.
  const registries =
    /\b(?:registry|packages?)\.(?:np[m]js|yar[n]pkg|npmmirr[o]r)\.\w+|\bnp[m]js\.(?:org|com)\b|\byar[n]pkg\.com\b|\bdeb\.debia[n]\b/i
  const own = new RegExp(`(?<![\\w.}/-])(?:${paths.map(literally).join('|')})(?=[/"'\`\\s:]|$)`)
  return inLines(files, (line) => own.exec(line)?.[0] ?? home.exec(line)?.[0] ?? registries.exec(line)?.[0], 'names')
}

/** Download addresses in npm's lock file, which reveal the origin of the packages on one machine. */
export function downloadAddresses(files: readonly TextFile[]): Violation[] {
  const locks = files.filter(({ path }) => posix.basename(path) === 'package-lock.json')
  return inLines(locks, (line) => /"resolved": "http[^"]*/.exec(line)?.[0], 'records')
}

/** Mentions of a Markdown page that the repository does not have. */
export function missingPages(files: readonly TextFile[], isPage: (path: string) => boolean): Violation[] {
  return inLines(
    files.filter(({ path }) => /\.(?:[cm]?[jt]s|json|md|yml|yaml|html)$/.test(path) && !path.startsWith('test/house')),
    (line) => [...line.matchAll(/(?<![\w*.{}$])[\w./-]*\w\.md\b/g)].map(([page]) => page).find((page) => !isPage(page)),
    'speaks of a page that is not here:',
  )
}

function inLines(files: readonly TextFile[], find: (line: string) => string | undefined, verb: string): Violation[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = find(line)
      return found === undefined ? [] : [{ at: `${path}:${index + 1}`, found: `${verb} ${found.trim()}` }]
    }),
  )
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
