import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { cliBin, createProject, serviceEnv, type TestProject } from '../kit/project.ts'

/** A configuration that prints, and writes down whether its process has the key. */
const config = `import { writeFileSync } from 'node:fs'
console.log('hello')
process.stdout.write('{"jsonrpc":"2.0","id":1}\\n')
writeFileSync(process.argv.includes('mcp') ? 'server.txt' : 'prices.txt', String(process.env.SPRITEWRIGHT_API_KEY))
export default {}
`

async function place(): Promise<{
  readonly project: TestProject
  readonly service: EmbeddedService
  readonly env: Record<string, string>
}> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 } })
  onTestFinished(() => service.close())
  const { SPRITEWRIGHT_BASE_URL, SPRITEWRIGHT_API_KEY } = serviceEnv(service)
  const project = await createProject({
    '.env.local': `SPRITEWRIGHT_API_KEY=${SPRITEWRIGHT_API_KEY}\nSPRITEWRIGHT_BASE_URL=${SPRITEWRIGHT_BASE_URL}\n`,
    'spritewright.config.mjs': config,
  })
  onTestFinished(() => project.remove())
  const { PATH = '', HOME = '' } = process.env
  return {
    project,
    service,
    env: { PATH, HOME, XDG_STATE_HOME: join(project.root, '.state'), SPRITEWRIGHT_API_KEY: 'sk_test_another-key' },
  }
}

test.each(['auto', 'legacy'] as const)('the official client calls the built server over stdio: %s', async (mode) => {
  const { project, service, env } = await place()
  const transport = new StdioClientTransport({ command: process.execPath, args: [cliBin, 'mcp'], cwd: project.root, env, stderr: 'pipe' })
  const faults: Error[] = []
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  client.onerror = (error) => faults.push(error)
  await client.connect(transport)
  onTestFinished(() => client.close())
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
  expect((await client.listTools()).tools).toHaveLength(7)
  const { structuredContent } = await client.callTool({ name: 'sprites', arguments: {} })
  expect(structuredContent).toMatchObject({ sprites: [{ id: 'hero.walk', state: 'missing', credits: '1.6', usd: '0.40' }] })
  const set = [{ field: 'animations.walk.frames', value: 12 }]
  const written = await client.callTool({ name: 'write_spec', arguments: { sprite: 'hero', set } })
  expect(written.structuredContent).toMatchObject({ paid: ['animations.walk.frames'], total: { credits: '2.4', usd: '0.60' } })
  const asked = await client.callTool({ name: 'request_approval', arguments: { names: ['hero'], why: 'longer walk' } })
  expect(asked.structuredContent).toMatchObject({ credits: '2.4' })
  // The server has no key. The process that is asked for prices reads it from the file, and does not get the other one.
  for (const name of ['server.txt', 'prices.txt']) expect(await readFile(join(project.root, name), 'utf8')).toBe('undefined')
  expect(faults).toEqual([])
  expect(service.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/execute')).toEqual([])
})

test.each(['end of stdin', 'SIGINT', 'SIGTERM'] as const)('the built server ends at: %s', async (how) => {
  const { project, env } = await place()
  const child = spawn(process.execPath, [cliBin, 'mcp'], { cwd: project.root, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const out: string[] = []
  const answered = new Promise<void>((resolve) => {
    child.stdout.on('data', (part: Buffer) => {
      out.push(part.toString())
      if (out.join('').includes('\n')) resolve()
    })
  })
  const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  child.stdin.write(`garbage\n{"half":\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: opening })}\n`)
  await answered
  if (how === 'end of stdin') child.stdin.end()
  else child.kill(how)
  expect(await ended).toBe(0)
  for (const line of out.join('').trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0', id: 1 })
})
