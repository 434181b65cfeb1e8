import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { homedir, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { nodeHost, stateFolder, zlibVersion } from '../../src/host/host.ts'
import { nodeOwnProcess } from '../../src/host/own-process.ts'

test('the host of this machine has its folders, its names and every port', () => {
  const host = nodeHost()
  const { env, stateFolder: state, tempFolder, workingFolder, processId, machineName, ...ports } = host
  expect({ env, state, tempFolder, workingFolder, processId, machineName }).toEqual({
    env: process.env,
    state: stateFolder(process.env, homedir),
    tempFolder: tmpdir(),
    workingFolder: process.cwd(),
    processId: process.pid,
    machineName: hostname(),
  })
  expect(Object.entries(ports).map(([name, port]) => [name, typeof port])).toEqual([
    ...['clock', 'disk'].map((name) => [name, 'object']),
    ['glob', 'function'],
    ...['net', 'random', 'terminal'].map((name) => [name, 'object']),
    ...['loadModule', 'encodeTexture', 'connectDatabase', 'openQueue', 'trackedFiles'].map((name) => [name, 'function']),
    ['repository', 'object'],
    ['runCommand', 'function'],
  ])
  expect(zlibVersion().split(' ')).toEqual([process.versions.zlib, process.arch])
})

test('random values are as many as asked for, and each is another one', () => {
  const { bytes, uuid, unit } = nodeHost().random
  expect([bytes(0).length, bytes(16).length, bytes(16).constructor]).toEqual([0, 16, Uint8Array])
  const [one, other] = [bytes(16), bytes(16)].map(String)
  expect(one).not.toBe(other)
  expect(uuid()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(uuid()).not.toBe(uuid())
  const units = Array.from({ length: 20 }, unit)
  expect([units.every((each) => each >= 0 && each < 1), new Set(units).size > 1]).toEqual([true, true])
})

test('the wall clock has the milliseconds of the epoch', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_234_567_890_123 })
  const now = nodeHost().clock.wall()
  vi.useRealTimers()
  expect(now).toBe(1_234_567_890_123)
})

test('a program knows the folder of its package, and drops a variable of its process alone', () => {
  const own = nodeOwnProcess('/game/node_modules/spritewright/dist/src/cli/bin.js')
  expect([own.packageFolder, own.input]).toEqual(['/game/node_modules/spritewright', process.stdin])
  process.env.SPRITEWRIGHT_TEST_DROPPED = 'x'
  own.dropVariable('SPRITEWRIGHT_TEST_DROPPED')
  expect('SPRITEWRIGHT_TEST_DROPPED' in process.env).toBe(false)
})

test('a program runs itself with its arguments in a folder, and takes what it prints whatever its exit code', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-own-')))
  const code = `process.stdin.on('data', () => {}).on('end', () => {
    console.error('dropped')
    process.stdout.write(JSON.stringify([process.argv.slice(2), process.cwd()]), () => process.exit(3))
  })`
  try {
    await writeFile(join(folder, 'bin.mjs'), code)
    const own = nodeOwnProcess(join(folder, 'bin.mjs'))
    const printed = await own.run(['plan', '--json', '-- x'], folder, new AbortController().signal)
    expect(JSON.parse(printed)).toEqual([['plan', '--json', '-- x'], folder])
  } finally {
    await rm(folder, { recursive: true })
  }
})
