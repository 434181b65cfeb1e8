import { mkdtemp, readdir, rm } from 'node:fs/promises'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProject, runCli } from '../kit/project.ts'

test('I8: compiled code is kept in our state folder, never in the folder for temporary files, which others may have made', async () => {
  const project = await createProject({ '.state/keep': '' })
  const temp = await mkdtemp(join(tmpdir(), 'spritewright-compiled-'))
  try {
    expect(await runCli(project, ['status'], { TMPDIR: temp, TEMP: temp, TMP: temp })).toMatchObject({ code: 0 })
    expect(await readdir(temp)).toEqual([])
    const hasCompileCache = 'enableCompileCache' in module
    const kept = await readdir(join(project.root, '.state/spritewright')).catch(() => [])
    expect(kept).toEqual(hasCompileCache ? ['compiled'] : [])
  } finally {
    await rm(temp, { recursive: true, force: true })
    await project.remove()
  }
})

test('a command that waits for what never comes does not end as if it had done its work', async () => {
  const project = await createProject({ 'spritewright.config.mjs': 'export default await new Promise(() => {})' })
  try {
    const run = await runCli(project, ['plan'])
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/^error SW_INTERNAL Expected the command to end/)
  } finally {
    await project.remove()
  }
})

test('what a configuration prints goes to stderr: the JSON document is whole, and so is Markdown', async () => {
  const project = await createProject({
    'spritewright.config.mjs': `console.log('hello from the configuration')
process.stdout.write('and again\\n')
export default {}`,
  })
  try {
    const json = await runCli(project, ['status', '--json'])
    expect(json.stderr).toContain('hello from the configuration\nand again\n')
    expect(JSON.parse(json.stdout)).toMatchObject({ items: expect.any(Array) })
    expect((await runCli(project, ['status'])).stdout).not.toContain('hello')
  } finally {
    await project.remove()
  }
})

test('a command ends when its work is done, whatever its configuration leaves running', async () => {
  const lasting = `setInterval(() => {}, 1000)\nexport default { service: 'embedded', engine: 'pixi' }\n`
  const project = await createProject({ 'spritewright.config.mjs': lasting })
  try {
    const { code, stdout } = await runCli(project, ['plan', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ sprite: 'hero', state: 'missing' }] })
  } finally {
    await project.remove()
  }
})
